"""An app with patched packages, and the command line run in this process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app_making import App
from http_server import Server
from patch_making import file
from patchtool import cli

from .world import Kept, World, make_world


@dataclass(frozen=True)
class Ran:
    """What a run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout, which must be all of it, with nothing on stderr."""
        assert self.err == ""
        return json.loads(self.out)


Patchtool = Callable[..., Ran]


@pytest.fixture
def patchtool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Patchtool:
    """Run a command on the app in tmp_path/app, whatever this process was told about npm."""
    for name in os.environ:
        if name.lower().startswith("npm_") or name in ("NODE_ENV", "VIRTUAL_ENV"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATCHTOOL_CACHE", str(tmp_path / "cache"))

    def run(command: str, *arguments: str | Path, root: Path | None = None) -> Ran:
        capsys.readouterr()
        project = str(root or tmp_path / "app")
        words = [command, "--root", project, *map(str, arguments)]
        code = cli.main(words)
        said = capsys.readouterr()
        # What is told to be run repeats --root, as the tests of the command line hold.
        return Ran(code, *(text.replace(f" --root {project}", "") for text in said))

    return run


OLD, NEW = file("old\n"), file("new\n")
FILES = {"dist/index.js": OLD, "other.js": file("other\n")}


@pytest.fixture
def app(tmp_path: Path) -> App:
    """Three packages, each pinned at 1.0.0 with one patch of one file; all are pristine."""
    made = App(tmp_path / "app")
    for name in ("a", "@s/b", "c"):
        made.install(name, "1.0.0", FILES)
        made.patch(f"{name.replace('/', '+')}+1.0.0.patch", name, {"dist/index.js": (OLD, NEW)})
    made.manifest(["pkg:npm/a@1.0.0"], ["pkg:npm/%40s/b@1.0.0", "pkg:npm/c@1.0.0"])
    made.lock(dict.fromkeys(["a@1.0.0", "@s/b@1.0.0", "c@1.0.0"], FILES))
    return made


@pytest.fixture(scope="session")
def world(lasting_server: Server, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The registry with a lead and its consumer."""
    return make_world(lasting_server, tmp_path_factory.mktemp("world"))


@pytest.fixture
def kept(
    world: World, patchtool: Patchtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Kept:
    """An app in that world, with a guard that has teeth; `patchtool` runs in it."""
    del patchtool  # it clears the environment first
    for name, value in world.variables.items():
        monkeypatch.setenv(name, value)
    return Kept(tmp_path / "app")
