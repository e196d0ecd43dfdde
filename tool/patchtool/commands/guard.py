"""`patchtool guard`: run the guard on each pin, without and with the patch, case by case.

Yes if the guard has teeth and the patch delivers: some required case is needed, none is harmful
or unmet.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from patchtool.commands import Answer
from patchtool.commands.options import (
    add_fixes,
    add_fresh,
    add_network,
    add_patches,
    explain,
    guarded,
    open_store,
)
from patchtool.grid import Trials
from patchtool.pristine import patched_files
from patchtool.project import Fix, Lock, Pin
from patchtool.project.load import load
from patchtool.verdict import Column, Kind, classify, lost_cases, missing_evidence, trouble

_DESCRIPTION = """\
Runs each fix's guard on its pin, without and with the patch, in stacks of its own: nothing that
is installed is used or changed. Each run is made twice. A case is

  needed   fails without the patch, passes with it
  control  passes both times
  harmful  passes without the patch, fails with it
  unmet    fails both times

Exit 0: some required case is needed, and none is harmful or unmet. Exit 1: not so. Exit 3: a run
gave no evidence, because it broke, was skipped, or gave two outcomes.
"""

_EXAMPLES = """\
  patchtool guard
  patchtool guard streamed-tool-calls --fresh
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinGrid:
    """The grid of one pin: each required case's kind, each boundary case's two outcomes.

    `reasons` say why the guard proves nothing on this pin; `known` is false if it gave no evidence.
    `failures` is what the guard's report says of each harmful or unmet case, with the patch.
    """

    fix: str
    pin: str
    cases: Mapping[str, Kind]
    boundary: Mapping[str, tuple[bool, bool]]
    reasons: tuple[str, ...]
    known: bool
    failures: Mapping[str, str]

    def count(self, kind: Kind) -> int:
        """How many required cases are of this kind."""
        return sum(found is kind for found in self.cases.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the guards say of every pin that was asked for."""

    answer: Answer
    pins: tuple[PinGrid, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)
    add_network(parser)
    add_fresh(parser)


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    fixes: Sequence[str],
    patches: Path | None,
    offline: bool,
    fresh: bool,
) -> Result:
    """Run the guard of each fix on each of its pins."""
    project = load(root, patches, believe_lock=True)
    store = open_store(root, environment, offline=offline)
    grids = []
    for fix, guard in guarded(project, fixes, "patchtool guard"):
        trials = Trials(guard=guard, store=store, fresh=fresh)
        for pin in fix.pins:
            column = pin_column(pin, trials, project.lock)
            grids.append(grid_of(fix, pin, column, project.lock))
    if not all(grid.known for grid in grids):
        answer = Answer.UNKNOWN
    else:
        answer = Answer.NO if any(grid.reasons for grid in grids) else Answer.YES
    return Result(answer=answer, pins=tuple(grids))


def pin_column(pin: Pin, trials: Trials, lock: Lock | None) -> Column:
    """Run the guard on a pin's own releases, without and with its patches."""
    changes = patched_files(pin.patches, pin.packages, lock=lock, store=trials.store)
    return Column(without=trials.run(pin.packages), patched=trials.run(pin.packages, changes))


def doubts(fix: Fix, pin: Pin, column: Column, lock: Lock | None) -> tuple[str, ...]:
    """Why the guard proves nothing on a pin, from its runs and from the cases in the lock."""
    baseline = lock.guards.get((fix.name, pin.lead)) if lock else None
    recorded = baseline.needed + baseline.control if baseline else ()
    return trouble(column) + lost_cases(column, recorded)


def grid_of(fix: Fix, pin: Pin, column: Column, lock: Lock | None) -> PinGrid:
    """Put a pin's two runs side by side."""
    assert column.patched is not None  # noqa: S101 - `pin_column` always runs it
    known = not missing_evidence(column)
    cases = classify(column) if known else {}
    return PinGrid(
        fix=fix.name,
        pin=str(pin.lead),
        cases=cases,
        boundary={
            name: (passed, column.patched.boundary.get(name, False))
            for name, passed in column.without.boundary.items()
        },
        reasons=doubts(fix, pin, column, lock),
        known=known,
        failures={
            name: column.patched.details.get(name, "")
            for name, kind in cases.items()
            if kind in (Kind.HARMFUL, Kind.UNMET)
        },
    )
