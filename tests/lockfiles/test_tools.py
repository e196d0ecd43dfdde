"""Lockfiles fresh from the tools themselves: a format that changes is seen here first."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patchtool.lockfiles import Source, judge, resolved
from patchtool.package import Package

MS = (
    "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLs"
    "voVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA=="
)
IDNA = "sha256-946d195a0d259cbba61165e88e65941f16e9b36ea6ddb97f00452bae8b1287d3"

BERRY = "npx --yes --package @yarnpkg/cli-dist@4 yarn install --mode=update-lockfile"
ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "YARN_ENABLE_IMMUTABLE_INSTALLS": "false",
    "YARN_ENABLE_TELEMETRY": "0",
    "YARN_NODE_LINKER": "node-modules",
}


def run(root: Path, *command: str) -> None:
    """Run a command in `root`; what it printed is the message if it fails."""
    done = subprocess.run(
        command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.network
@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("package-lock.json", "npm install --package-lock-only"),
        ("pnpm-lock.yaml", "npx --yes pnpm@10 install --lockfile-only"),
        ("yarn.lock", "npx --yes yarn@1.22.22 install --ignore-scripts --non-interactive"),
        ("yarn.lock", BERRY),
        ("bun.lock", "npx --yes bun@1 install --lockfile-only"),
    ],
)
def test_npm(tmp_path: Path, file: str, command: str) -> None:
    """Each tool's newest format is read, and agrees with the registry's integrity."""
    package = {"name": "app", "version": "1.0.0", "dependencies": {"ms": "2.1.3"}}
    (tmp_path / "package.json").write_text(json.dumps(package))
    if command == BERRY:  # it takes a directory for a project of its own by this file
        (tmp_path / "yarn.lock").touch()
    run(tmp_path, *command.split())
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert (copy.version, copy.source, copy.lockfile) == ("2.1.3", Source.REGISTRY, file)
    assert copy.integrity == (() if command == BERRY else (MS,))
    assert judge([copy], Package(ecosystem="npm", name="ms", version="2.1.3"), MS) == ()


@pytest.mark.network
def test_uv(tmp_path: Path) -> None:
    """The newest uv.lock, and the two other formats that uv makes of it, are read alike."""
    run(tmp_path, sys.executable, "-m", "pip", "install", "--quiet", "--target", "tools", "uv")
    uv = str(tmp_path / "tools" / "bin" / "uv")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.11"\n'
        'dependencies = ["idna==3.10"]\n'
    )
    run(tmp_path, uv, "lock")
    for file in ("pylock.toml", "requirements.txt"):
        run(tmp_path, uv, "export", "--no-emit-project", "--format", file, "--output-file", file)
    copies = resolved(tmp_path, "pypi", "idna")
    assert [copy.lockfile for copy in copies] == ["uv.lock", "pylock.toml", "requirements.txt"]
    assert {copy.version for copy in copies} == {"3.10"}
    assert all(IDNA in copy.integrity for copy in copies)
