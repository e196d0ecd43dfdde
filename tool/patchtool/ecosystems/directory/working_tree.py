"""Reads every file of a directory that belongs to the project: what git has, or would take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from patchtool import process
from patchtool.errors import CannotTell, Problem
from patchtool.files import File
from patchtool.tree import reader

_LIST = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")


def read_files(directory: Path, environment: Mapping[str, str]) -> dict[str, File]:
    """The files by their paths in `directory`; of a directory that git does not know, all of them.

    What git ignores (bytecode, for one) is no part of the project. `CannotTell` names what cannot
    be read as a file.
    """
    read = reader(directory)
    found: dict[str, File] = {}
    for path in _listed(directory, environment) or _walk(directory):
        file = read(path)
        if isinstance(file, File):
            found[path] = file
        elif file is not None:
            what = "is neither a file nor a link"
            raise CannotTell(Problem(kind="disk", what=what, path=str(directory / path)))
    return found


def _listed(directory: Path, environment: Mapping[str, str]) -> list[str]:
    if not directory.is_dir():
        return []
    try:
        done = process.run(
            _LIST, directory=directory, environment=process.clean(environment), timeout=60
        )
    except CannotTell:
        return []  # no git
    return [] if done.code else [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def _walk(directory: Path) -> Iterator[str]:
    for path in directory.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(directory).as_posix()
