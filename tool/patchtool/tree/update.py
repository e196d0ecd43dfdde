"""Reads a tree, lets it be decided what is to change, and changes it: one run among several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from patchtool.diff import Read
from patchtool.errors import PatchError
from patchtool.files import File
from patchtool.tree.disk import reader
from patchtool.tree.lock import exclusive
from patchtool.tree.swap import is_pending, recover, swap


class Decided(Protocol):
    """Anything that says what is to change."""

    @property
    def changes(self) -> Mapping[str, File | None]:
        """The new file of each path, None for "gone"."""


D = TypeVar("D", bound=Decided)


def update(base: Path, decide: Callable[[Read], D]) -> D:
    """Change the tree below `base` as `decide` says once it has read it.

    The first look takes no lock: most runs find nothing to do. If there is something, or the look
    fails (perhaps only because another run is at work), it is done again under the lock, after
    what a killed run has left is finished.
    """
    if not is_pending(base):
        try:
            decided = decide(reader(base))
        except PatchError:
            pass
        else:
            if not decided.changes:
                return decided
    with exclusive(base):
        recover(base)
        decided = decide(reader(base))
        swap(decided.changes, base)
    return decided
