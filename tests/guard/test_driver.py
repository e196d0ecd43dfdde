"""How Node is found and started for a stack."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from json_lines import Child, ChildError
from streamed_tool_calls import driver
from streamed_tool_calls.driver import Driver, Request

NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_node_is_started_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a wrapper that PATH finds stands the program that is started."""
    wrapper = tmp_path / "node"
    wrapper.write_text(f'#!/bin/sh\nexec {NODE} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    says = subprocess.run([wrapper, "-p", "JSON.stringify(process.execPath)"], capture_output=True)
    assert driver.found() == json.loads(says.stdout)


def test_without_node_the_run_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where PATH has no Node, its name is what the error is about."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert driver.found() == "node"


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_a_stack_without_packages_is_tried_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Node says of packages that cannot be loaded is said again without asking it again."""
    requests = [Request(provider="openai", chunks=[])]
    said = "Cannot find module '@ai-sdk/openai-compatible'"
    with Driver(tmp_path) as running:
        with pytest.raises(ChildError, match=said):
            running.run(requests)
        monkeypatch.delattr(Child, "ask")
        with pytest.raises(ChildError, match=said):
            running.run(requests)
