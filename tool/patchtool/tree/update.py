"""Reads a tree, lets it be decided what is to change, and changes it: one run among several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from patchtool.errors import PatchError
from patchtool.files import File, Read
from patchtool.tree.disk import reader
from patchtool.tree.lock import exclusive
from patchtool.tree.swap import is_pending, recover, swap, swap_all
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    class Decided(Protocol):
        """Anything that says what is to change."""

        @property
        def changes(self) -> Mapping[str, File | None]:
            """The new file of each path, None for "gone"."""

    class DecidedForAll(Protocol):
        """Anything that says what is to change below each of several directories."""

        @property
        def changes(self) -> Mapping[Path, Mapping[str, File | None]]:
            """For each directory that was looked at: the new file of each path, None for "gone"."""

        @property
        def is_clear(self) -> bool:
            """Whether nothing stood in the way."""

    D = TypeVar("D", bound=Decided)
    A = TypeVar("A", bound=DecidedForAll)


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


def update_all(decide: Callable[[], A], root: Path) -> A:
    """As `update`, over all directories that `decide` names: all of them change, or none.

    Nearly always that is `root` alone, so the first look is under its lock, and is enough. Else
    the directories are locked in one order, so that two runs never wait for each other.
    """
    with exclusive(root):
        recover(root)
        decided = decide()
        changes = decided.changes
        if changes.keys() <= {root}:
            if decided.is_clear:
                swap_all(changes)
            return decided
    with ExitStack() as locks:
        for base in sorted(changes):
            locks.enter_context(exclusive(base))
            recover(base)
        decided = decide()
        if decided.is_clear:
            swap_all({base: decided.changes[base] for base in sorted(changes)})
    return decided
