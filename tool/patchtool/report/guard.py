"""The grid of each pin as text, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.report.layout import indented, table
from patchtool.report.problem import printable
from patchtool.verdict import KINDS, Kind

if TYPE_CHECKING:
    from patchtool.commands.guard import PinGrid, Result

# How many cases that the patch does not deliver are shown with what the guard says of them.
_SHOWN_FAILURES = 3

_WORDS = {True: "pass", False: "fail"}

# The pair of outcomes that each kind stands for.
_OUTCOMES = {kind: outcomes for outcomes, kind in KINDS.items()}


def text(result: Result) -> str:
    """One grid after the other; what is wrong comes last, where it is seen."""
    return "\n".join(_grid(grid) for grid in result.pins)


def _grid(grid: PinGrid) -> str:
    head = f"{grid.fix} on {grid.pin}\n"
    rows = [("without", "with", "kind", "case")]
    for kind in (Kind.NEEDED, Kind.CONTROL, Kind.HARMFUL, Kind.UNMET):
        without, patched = (_WORDS[passed] for passed in _OUTCOMES[kind])
        rows += [
            (without, patched, kind.value, name)
            for name, found in grid.cases.items()
            if found is kind
        ]
    rows += [
        (_WORDS[without], _WORDS[patched], "boundary", name)
        for name, (without, patched) in grid.boundary.items()
    ]
    counts = ", ".join(f"{grid.count(kind)} {kind.value}" for kind in Kind)
    summary = f"{counts}; {len(grid.boundary)} boundary\n"
    if grid.reasons:
        verdict = "it proves nothing:\n" + "".join(map(indented, grid.reasons))
    else:
        verdict = "the guard has teeth and the patch delivers\n"
    failures = [(name, said) for name, said in grid.failures.items() if said]
    verdict += "".join(
        f"with the patch, {printable(name)} fails:\n{indented(said)}"
        for name, said in failures[:_SHOWN_FAILURES]
    )
    return head + (table(rows) + summary if grid.known else "") + verdict
