"""Reads a tree, lets it be decided what is to change, and changes it: one run among several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
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
    S = TypeVar("S")


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
    """As `update`, over all directories that `decide` names: all of them change, or none."""
    bases = {root}
    while True:
        with _locked(bases):
            for base in bases:
                recover(base)
            decided = decide()
            changes = decided.changes
            if changes.keys() <= bases:
                if decided.is_clear:
                    swap_all(changes)
                return decided
        bases |= changes.keys()


def look(see: Callable[[], S], bases_of: Callable[[S], set[Path]], root: Path) -> S:
    """What `see` sees below the directories `bases_of` it, while no other run changes them.

    Writes nothing: what a killed run has left is seen as it is.
    """
    bases = {root}
    while True:
        with _locked(bases):
            seen = see()
            if bases_of(seen) <= bases:
                return seen
        bases |= bases_of(seen)


@contextmanager
def _locked(bases: Iterable[Path]) -> Iterator[None]:
    """Hold the locks of directories for a block.

    Nearly always that is the root alone. More are locked in one order, so that two runs never wait
    for each other.
    """
    with ExitStack() as locks:
        for base in sorted(bases):
            locks.enter_context(exclusive(base))
        yield
