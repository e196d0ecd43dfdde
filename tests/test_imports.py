"""What each command loads: `apply` runs at every install and must start fast."""

from __future__ import annotations

import json
import subprocess
import sys

# Each of these takes some milliseconds to import, or pulls in what does.
HEAVY = {
    "argparse", "asyncio", "dataclasses", "defusedxml", "email", "http", "hypothesis", "inspect",
    "nodesemver", "packageurl", "packaging", "platformdirs", "pytest", "requests", "shlex",
    "shutil", "signal", "subprocess", "tempfile", "threading", "tomli", "typing", "unidiff", "yaml",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """The top-level modules that are loaded after running `code` in a fresh interpreter."""
    script = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_apply_imports_nothing_heavy() -> None:
    """The module of `apply` and all it imports are light."""
    assert loaded("import patchtool.cli, patchtool.commands.apply") & HEAVY == set()


def test_the_heavy_modules_are_known_by_their_names() -> None:
    """The list above names real modules, so that the check can fail."""
    assert "requests" in loaded("import requests")
