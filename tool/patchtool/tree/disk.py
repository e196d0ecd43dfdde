"""Reads a directory as the engine wants it: files, links and obstacles by path.

Follows no link below the directory, opens nothing but regular files, writes nothing.
"""

# Paths are bytes here, which pathlib does not have.
# ruff: noqa: PTH114, PTH115, PTH118, PTH123
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from patchtool.errors import CannotTell, Problem
from patchtool.files import File, Found, Hindrance, Mode, Obstacle, Read

# How much of a directory is listed when a file is to take its place: a patch removes no more.
_LISTED = 10_000


def encode(path: str) -> bytes:
    """A path as the system has it; the counterpart of `diff.paths.decode`."""
    return path.encode("utf-8", "surrogateescape")


def decode(path: bytes) -> str:
    """A path of the system as a patch has it."""
    return path.decode("utf-8", "surrogateescape")


def reader(base: Path) -> Read:
    """A function that reads paths below `base` (which may itself be a link).

    It remembers which directories are real ones, so that one serves one look at the tree.
    CannotTell if something cannot be read.
    """
    root = os.fsencode(base)
    directories: dict[str, Obstacle | None] = {"": None}

    def above(path: str) -> tuple[bool, Obstacle | None]:
        """Whether the directory is there, or what stands in the way."""
        if path not in directories:
            parent = path.rpartition("/")[0]
            is_there, hindrance = above(parent)
            if not is_there or hindrance is not None:
                return is_there, hindrance
            kind = _kind(os.path.join(root, encode(path)))
            if kind is None:
                return False, None
            directories[path] = _hindrance(kind, path)
        return True, directories[path]

    def read(path: str) -> Found:
        try:
            is_there, hindrance = above(path.rpartition("/")[0])
            return hindrance if hindrance or not is_there else _read(root, path)
        except OSError as error:
            raise cannot(error, "cannot read", path) from None

    return read


def cannot(error: OSError, doing: str, path: str | None) -> CannotTell:
    """A failure of the disk as an error that names the path."""
    what = f"{doing}: {os.strerror(error.errno) if error.errno else error}"
    return CannotTell(Problem(kind="disk", what=what, path=path))


def _kind(path: bytes) -> int | None:
    """The type bits of what is at `path`; None for nothing."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise


def _hindrance(kind: int, path: str) -> Obstacle | None:
    if kind == stat.S_IFDIR:
        return None
    below = Hindrance.BELOW_LINK if kind == stat.S_IFLNK else Hindrance.BELOW_FILE
    return Obstacle(kind=below, at=path)


def _read(root: bytes, path: str) -> Found:
    full = os.path.join(root, encode(path))
    kind = _kind(full)
    if kind is None:
        return None
    if kind == stat.S_IFLNK:
        return File(data=os.readlink(full), mode=Mode.SYMLINK)
    if kind == stat.S_IFDIR:
        return Obstacle(kind=Hindrance.DIRECTORY, at=path, holds=tuple(_below(root, path)))
    if kind != stat.S_IFREG:
        return Obstacle(kind=Hindrance.SPECIAL, at=path)
    handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        data = file.read()
        executable = os.fstat(handle).st_mode & stat.S_IXUSR
    return File(data=data, mode=Mode.EXECUTABLE if executable else Mode.REGULAR)


def _below(root: bytes, path: str) -> Iterator[str]:
    """What a directory holds: every path below it that is no directory, and every empty one."""
    top = os.path.join(root, encode(path))
    count = 0
    for directory, directories, names in os.walk(top, onerror=_raise):
        links = [name for name in directories if os.path.islink(os.path.join(directory, name))]
        held = [os.path.join(directory, name) for name in names + links]
        if not names and not directories:
            held = [directory]
        for full in held:
            count += 1
            yield decode(os.path.relpath(full, root))
        if count > _LISTED:
            return


def _raise(error: OSError) -> None:
    raise error


def folds_case(base: Path) -> bool:
    """Whether the disk under `base` takes names that differ in case for one.

    Told by the directory's own name; a name without letters tells nothing, and counts as no.
    """
    real = Path(os.path.realpath(base))
    swapped = real.with_name(real.name.swapcase()) if real.name else real
    try:
        return swapped != real and swapped.samefile(real)
    except OSError:
        return False
