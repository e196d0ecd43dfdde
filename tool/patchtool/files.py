"""A file as git sees it: bytes, a mode, a blob id; and what else may be at a path. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from enum import Enum

from patchtool.values import dataclass


class Mode(Enum):
    """The three modes git keeps for a file."""

    REGULAR = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file's content; for a symlink `data` is the link's target."""

    data: bytes
    mode: Mode = Mode.REGULAR

    @property
    def identity(self) -> Identity:
        """The file's full git blob id and its mode."""
        return Identity(blob=blob_id(self.data), mode=self.mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a file must be: its full git blob id (40 hex digits) and its mode."""

    blob: str
    mode: Mode


# A path is relative to the package, with "/" between its parts, as os.fsdecode gives it.
# None stands for "no such file".
Files = Mapping[str, "File | None"]


def blob_id(data: bytes) -> str:
    """Git's id of a blob: the SHA-1 of `blob`, a space, the length, a NUL and the bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class Hindrance(Enum):
    """Why a path is neither a file nor free."""

    DIRECTORY = "a directory"
    SPECIAL = "neither a file, a link nor a directory"
    BELOW_LINK = "below a symlink"
    BELOW_FILE = "below a file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What stands at or above a path. `at` is where; `holds` is all that a directory has in it."""

    kind: Hindrance
    at: str
    holds: tuple[str, ...] = ()


Found = File | Obstacle | None
Read = Callable[[str], Found]


def remember(read: Read) -> Read:
    """The same function, asked once for each path."""
    known: dict[str, Found] = {}

    def read_once(path: str) -> Found:
        if path not in known:
            known[path] = read(path)
        return known[path]

    return read_once
