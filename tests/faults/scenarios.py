"""The projects that `apply` is run on, and how: every kind of change, and every way to a tree."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app_making import App, write
from diff.engine_case import lay_out
from diff.git_trees import Git
from patch_making import Edit, file, patch_text
from patchtool.files import File, Mode

from .changes import NEW, OLD
from .injector import SEEN_TO_ONE_BY_ONE

Words = tuple[str, ...]
# More files than are seen to one by one.
_MANY: Mapping[str, Edit] = {
    f"dist/{number}.js": (file(f"old {number}\n"), file(f"new {number}\n"))
    for number in range(SEEN_TO_ONE_BY_ONE + 1)
}
_FEW: Mapping[str, Edit] = {
    "index.js": (file("old\n"), file("new\n")),
    "made/here.js": (None, file("made\n")),
    "gone/here.js": (file("gone\n"), None),
    "cli.js": (file("#!\n"), file("#!\n", Mode.EXECUTABLE)),
}
_MODULE: Mapping[str, Edit] = {"module/__init__.py": (file("old = 1\n"), file("new = 1\n"))}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A directory that is laid out, and the words of a command that changes what is in it.

    `prepare` are the words of one that is run once before, without faults.
    """

    name: str
    lay_out: Callable[[Path], None]
    words: Callable[[Path], Words]
    prepare: Callable[[Path], Words] | None = None


def _lay_out_file(place: Path) -> None:
    """A directory with the old files, and git's patch to the new ones."""
    lay_out(OLD, place / "tree")
    options = ("--full-index", "--binary", "--no-renames")
    with tempfile.TemporaryDirectory() as directory:
        text = Git(Path(directory)).diff(dict(OLD), dict(NEW), options)
    (place / "fix.patch").write_bytes(text)


def _file_words(place: Path) -> Words:
    return ("apply", "--file", f"{place}/fix.patch", "--into", f"{place}/tree")


def _lay_out_npm(place: Path) -> None:
    """Two packages and a second copy of one, pinned and locked."""
    app = App(place / "app")
    _pin(app, {"many": _MANY, "@s/few": _FEW}, "npm")
    app.install("@s/few", "1.0.0", _before(_FEW), within="node_modules/many")


def _npm_words(place: Path) -> Words:
    return ("apply", "--root", f"{place}/app")


def _lay_out_both(place: Path) -> None:
    """A package of npm in the project, and one of Python in a directory outside of it."""
    app = App(place / "app")
    _pin(app, {"few": _FEW}, "npm")
    info = "module-1.0.0.dist-info"
    rows = [
        f"{path},sha256={hashlib.sha256(each.data).hexdigest()},{len(each.data)}\n"
        for path, each in _before(_MODULE).items()
    ]
    packages = _before(_MODULE) | {
        f"{info}/METADATA": file("Metadata-Version: 2.1\nName: module\nVersion: 1.0.0\n"),
        f"{info}/RECORD": file("".join(rows)),
        "module/__pycache__/__init__.cpython-311.pyc": file("stale"),
    }
    write(place / "site", packages)
    (app.patches / "module+1.0.0.patch").write_bytes(patch_text(dict(_MODULE)))
    app.manifest(["pkg:npm/few@1.0.0"], ["pkg:pypi/module@1.0.0"])
    app.lock({"few@1.0.0": _before(_FEW), "module@1.0.0": _before(_MODULE)})


def _both_words(place: Path) -> Words:
    return ("apply", "--root", f"{place}/app", "--python", f"{place}/site")


def _pin(app: App, packages: Mapping[str, Mapping[str, Edit]], ecosystem: str) -> None:
    """Install the packages, each with a patch, and lock them."""
    for name, edits in packages.items():
        app.install(name, "1.0.0", _before(edits))
        app.patch(f"{name.replace('/', '+')}+1.0.0.patch", name, edits)
    app.manifest(*([f"pkg:{ecosystem}/{name.replace('@', '%40')}@1.0.0"] for name in packages))
    app.lock({f"{name}@1.0.0": _before(edits) for name, edits in packages.items()})


def _before(edits: Mapping[str, Edit]) -> dict[str, File]:
    return {path: old for path, (old, _) in edits.items() if old is not None}


def _both_ways(
    name: str, lay_out: Callable[[Path], None], words: Callable[[Path], Words]
) -> tuple[Scenario, Scenario]:
    def reverse(place: Path) -> Words:
        return (*words(place), "--reverse")

    return (
        Scenario(name, lay_out, words),
        Scenario(f"{name}, reverse", lay_out, reverse, prepare=words),
    )


SCENARIOS = (
    *_both_ways("any directory", _lay_out_file, _file_words),
    *_both_ways("npm", _lay_out_npm, _npm_words),
    *_both_ways("npm and Python", _lay_out_both, _both_words),
)
