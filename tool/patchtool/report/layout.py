"""The few shapes that the text reports share: a table, a list of problems, a count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from patchtool.errors import Problem
from patchtool.report.problem import lines, printable


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> str:
    """Rows with their columns aligned; the last column is as wide as it is."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]) - 1)] if cells else []
    lines = (
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in cells
    )
    return "".join(f"{indent}{line.rstrip()}\n" for line in lines)


def problems(found: Iterable[Problem], heading: str = "") -> str:
    """Each problem in full, under a heading if there is any problem."""
    texts = [lines(problem) + "\n" for problem in found]
    return (heading + "\n" if heading and texts else "") + "".join(texts)


def indented(text: str) -> str:
    """The text, which may have several lines, below something; its further lines stand deeper."""
    first, *rest = printable(text).splitlines()
    return "".join([f"  {first}\n", *(f"    {line}\n" for line in rest)])


def count(number: int, thing: str) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
