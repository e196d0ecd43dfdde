"""Lays out a release's stacks, without and with the patch, and lets the guard say what each does.

One column of the grid at a time; what a column means is `verdict`'s part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from patchtool import ecosystems, stack
from patchtool.guard import Target, measure

if TYPE_CHECKING:
    from patchtool.files import Files
    from patchtool.package import Package
    from patchtool.project import Guard
    from patchtool.store import Store
    from patchtool.verdict import Run

# Each run of the grid is made twice, so that a case with two outcomes is seen; the two that would
# decide for DELETE, those without the patch, are made three times.
RUNS = 2
DECIDING_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """What all runs of one guard share: the guard, and where results are kept."""

    guard: Guard
    store: Store
    fresh: bool = False

    def run(
        self,
        packages: Sequence[Package],
        changes: Mapping[str, Files] | None = None,
        *,
        times: int = RUNS,
    ) -> Run:
        """Run the guard on a stack of `packages` with `changes`, by the package's name.

        Raises `CannotTell` if the stack cannot be laid out.
        """
        return self._measure(self.target(packages, changes), times)

    def run_beside(self, packages: Sequence[Package], candidate: Sequence[Package]) -> Run:
        """One run more of the unpatched `packages`, kept for what is decided of `candidate` alone.

        So it is as new as the candidate's runs, whenever the others were made.
        """
        target = self.target(packages)
        key = f"{target.key} beside {self.target(candidate).key}"
        return self._measure(replace(target, key=key), 1)

    def _measure(self, target: Target, times: int) -> Run:
        with self.store.progress.during(f"running {self.guard.path.name}"):
            return measure(self.guard, target, store=self.store, times=times, fresh=self.fresh)

    def target(
        self, packages: Sequence[Package], changes: Mapping[str, Files] | None = None
    ) -> Target:
        """A stack of `packages` with `changes`, by the package's name, and how to run there."""
        ecosystem = ecosystems.of(packages[0])
        base = ecosystem.lay_out(packages, self.store)
        placed = {
            ecosystem.package_directory(base, name): files
            for name, files in (changes or {}).items()
        }
        runtime = ecosystem.runtime(self.store)
        return Target(
            directory=stack.variant(base, placed, self.store) if placed else base,
            key=f"{runtime.identity} {stack.digest(base, placed)}",
            environment=runtime.environment,
        )
