"""The journal of a swap: what stands ready to go where, so that a later run can finish or undo it.

It has one file, in the directory that is patched, and only while a swap is under way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from patchtool.files import Identity, Mode
from patchtool.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any

NAME = ".patchtool-journal"
# The name under which a journal is written before it takes the place of the one before.
NEXT_NAME = ".patchtool-journal.next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One path: its identity before and after (None: no file), and where both contents wait.

    `fresh` is the path of the new content, `kept` that of the old one; None where there is none.
    """

    path: str
    old: Identity | None
    new: Identity | None
    fresh: str | None
    kept: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A swap. Until it is `committed`, the paths themselves have not been touched."""

    committed: bool
    entries: tuple[Entry, ...]


def is_ours(entry: Entry) -> bool:
    """Whether the entry could be from a journal of ours: a package may ship any file."""
    from patchtool.diff.paths import hazard

    names = [path for path in (entry.fresh, entry.kept) if path is not None]
    return all(hazard(path) is None for path in (entry.path, *names)) and all(
        path.rpartition("/")[2].startswith(".patchtool-") for path in names
    )


def meant(full: str, entries: Iterable[Entry]) -> str:
    """The path that the file at `full` is for, if it is one of ours: nobody else knows of those.

    The journal itself is for the directory it is in.
    """
    for entry in entries:
        for own in (entry.fresh, entry.kept):
            if own is not None and full.endswith(f"/{own}"):
                return full.removesuffix(own) + entry.path
    return full.removesuffix(f"/{NAME}").removesuffix(f"/{NEXT_NAME}")


def dump(journal: Journal) -> bytes:
    """The journal as bytes, with a checksum in front."""
    document = {
        "committed": journal.committed,
        "entries": [
            [entry.path, _pair(entry.old), _pair(entry.new), entry.fresh, entry.kept]
            for entry in journal.entries
        ],
    }
    body = json.dumps(document).encode("ascii")
    return hashlib.sha256(body).hexdigest().encode("ascii") + b"\n" + body


def load(data: bytes) -> Journal | None:
    """The journal, or None if it is not whole."""
    checksum, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode("ascii") != checksum:
        return None
    try:
        return _journal(json.loads(body))
    except (LookupError, TypeError, ValueError):
        return None


def _journal(document: dict[str, Any]) -> Journal:
    return Journal(
        committed=document["committed"],
        entries=tuple(
            Entry(path=path, old=_identity(old), new=_identity(new), fresh=fresh, kept=kept)
            for path, old, new, fresh, kept in document["entries"]
        ),
    )


def _pair(identity: Identity | None) -> list[str] | None:
    return None if identity is None else [identity.blob, identity.mode.value]


def _identity(pair: list[str] | None) -> Identity | None:
    return None if pair is None else Identity(blob=pair[0], mode=Mode(pair[1]))
