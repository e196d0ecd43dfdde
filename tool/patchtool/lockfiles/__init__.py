"""What a project will get: the versions its own lockfiles resolve, when nothing is installed yet.

Reads lockfiles, one module each, listed in `formats`. Never runs a package manager.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from patchtool.errors import CannotTell, UsageError
from patchtool.lockfiles.formats import FORMATS
from patchtool.lockfiles.judgement import judge
from patchtool.lockfiles.lockfile import Lockfile, table_of
from patchtool.lockfiles.resolution import Resolved, Source

if TYPE_CHECKING:
    from pathlib import Path

    from patchtool.errors import Problem
    from patchtool.project import LockedPackage

__all__ = ["Resolved", "Source", "findings", "judge", "resolved"]


def resolved(root: Path, ecosystem: str, name: str) -> tuple[Resolved, ...]:
    """Every copy of the package `name` that the lockfiles of `root` resolve, in their order.

    A root without a lockfile of this ecosystem is looked up in the nearest parent that has one
    and declares a workspace. No lockfile, or no such package in it: nothing. Lockfiles that
    disagree are all heard. `CannotTell` if one is there and cannot be read.
    """
    if ecosystem == "pypi":
        from packaging.utils import canonicalize_name

        name = canonicalize_name(name)
    found: list[Resolved] = []
    try:
        for module, lockfile in _lockfiles(root, ecosystem):
            read = importlib.import_module(f"{__name__}.{module}").read
            found += read(lockfile, name)
    except UsageError as error:  # the file is the user's, but not one of patchtool's
        raise CannotTell(error.problem) from error
    return tuple(found)


def findings(root: Path, pinned: Iterable[LockedPackage]) -> Iterator[Problem]:
    """Where a lockfile gives other bytes than a patched release's under its name and version."""
    for locked in pinned:
        if locked.patches:
            package = locked.package
            found = resolved(root, package.ecosystem, package.name)
            yield from judge(found, package, locked.integrity)


def _lockfiles(root: Path, ecosystem: str) -> Iterator[tuple[str, Lockfile]]:
    """Each lockfile that counts, with the module that reads it."""
    formats = FORMATS.get(ecosystem, {})
    directory = _directory(root, ecosystem)
    present = [name for name in formats if os.path.lexists(directory / name)]
    for name in present:
        if formats[name].behind not in present:
            yield formats[name].module, _open(directory / name, root, formats[name].refresh)


def _open(path: Path, root: Path, remedy: str | None = None) -> Lockfile:
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    return Lockfile(path=path, kind="lockfile", remedy=remedy, relative=relative)


def _directory(root: Path, ecosystem: str) -> Path:
    """The directory whose lockfiles say what `root` gets: it, or the root of its workspace."""
    root = root.absolute()
    for directory in (root, *root.parents):
        if any(os.path.lexists(directory / name) for name in FORMATS.get(ecosystem, {})) and (
            directory == root or _has_members(directory, root, ecosystem)
        ):
            return directory
        if (directory / ".git").exists():
            break
    return root


def _has_members(directory: Path, root: Path, ecosystem: str) -> bool:
    """Whether a directory declares a workspace, in the files of pnpm, npm, yarn and bun, or uv."""
    if ecosystem == "pypi":
        file = directory / "pyproject.toml"
        if not file.exists():
            return False
        return "workspace" in table_of(table_of(_open(file, root).toml(), "tool"), "uv").values
    if (directory / "pnpm-workspace.yaml").exists():
        return True
    file = directory / "package.json"
    return file.exists() and "workspaces" in _open(file, root).json().values
