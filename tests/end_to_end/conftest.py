"""Apps that real npm installs real packages into, and the fix project that tests keep."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SPARSE = ROOT / "tests/projects/sparse_index"
# One turn through the real provider: prints the names of the calls that come out.
TURN = SPARSE / "guard/turn.mjs"

SDK = {"@ai-sdk/provider-utils": "5.0.11", "@ai-sdk/openai-compatible": "3.0.13"}


@dataclass(frozen=True)
class RealApp:
    """A directory with a package.json, in which programs are run as a user would run them."""

    root: Path

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program with this patchtool first on the PATH."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("npm_")
        }
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment.pop("NODE_ENV", None)
        return subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def npm(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run npm, without what it says about other things."""
        return self.run(
            "npm", *arguments, "--no-audit", "--no-fund", "--prefer-offline", "--foreground-scripts"
        )

    def turn(self, *deltas: Mapping[str, object]) -> list[str] | str:
        """The names of the calls of one streamed turn, or what it crashed with."""
        done = self.run("node", TURN, self.root, json.dumps(deltas))
        names: list[str] = json.loads(done.stdout) if done.returncode == 0 else []
        return names or done.stderr

    def bytes_of(self, *paths: str) -> list[bytes]:
        """Files under node_modules."""
        return [(self.root / "node_modules" / path).read_bytes() for path in paths]


def call(index: int, name: str) -> dict[str, object]:
    """A whole tool call in one delta."""
    function = {"name": name, "arguments": "{}"}
    return {"index": index, "id": f"call_{name}", "type": "function", "function": function}


@pytest.fixture
def make_app(tmp_path: Path) -> Callable[..., RealApp]:
    """Make an app that depends on exact releases and runs `patchtool apply` after each install."""

    def make(
        dependencies: Mapping[str, str], patches: Sequence[Path], *, name: str = "app"
    ) -> RealApp:
        root = tmp_path / name
        (root / "patches").mkdir(parents=True)
        manifest = {
            "private": True,
            "dependencies": dependencies,
            "scripts": {"postinstall": "patchtool apply"},
        }
        (root / "package.json").write_text(json.dumps(manifest))
        for path in patches:
            shutil.copy(path, root / "patches")
        return RealApp(root)

    return make
