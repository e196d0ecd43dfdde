"""What became of the mutants, as text: a line each, then the counts, then what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.mutation.analysis import Fate
from patchtool.report.layout import count
from patchtool.report.problem import lines, printable

if TYPE_CHECKING:
    from patchtool.commands.mutate import PinMutants, Result
    from patchtool.mutation.findings import Row


def text(result: Result) -> str:
    """The report of all pins."""
    return "\n".join(_pin(pin) for pin in result.pins)


def _pin(pin: PinMutants) -> str:
    shown = [_row(row) for row in pin.mutants]
    shown += [f"not mutated, for there is no grammar: {name}" for name in pin.unread]
    counts = ", ".join(f"{pin.count(fate)} {fate.value}" for fate in Fate)
    shown.append(f"{pin.fix}, {pin.pin}: {count(len(pin.mutants), 'mutant')}: {counts}")
    return printable("\n".join([*shown, *map(lines, pin.problems)])) + "\n"


def _row(row: Row) -> str:
    where = f"{row.id} {row.path}:{row.line}:{row.column} {row.operator}: {row.fate.value}"
    if row.accepted is not None:
        return f"{where}: {row.accepted}"
    return f"{where} by {row.cases[0]}" if row.cases else where
