"""Tables in Markdown, and numbers as tables show them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measure import Spread


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are numbers."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def milliseconds(seconds: float) -> str:
    """A time for people: `7.2 ms`, `48 ms`, `1,250 ms`."""
    value = seconds * 1000
    return f"{value:.1f} ms" if value < 10 else f"{value:,.0f} ms"


def times(spread: Spread) -> str:
    """A median with its range: `48 ms (45-61)`."""
    return (
        f"{milliseconds(spread.median)} ({spread.least * 1000:,.0f}\N{EN DASH}"
        f"{spread.most * 1000:,.0f})"
    )


def ratios(spread: Spread) -> str:
    """A ratio with its range: `0.19 (0.17-0.22)`."""
    return f"{spread.median:.2f} ({spread.least:.2f}\N{EN DASH}{spread.most:.2f})"


def megabytes(count: float) -> str:
    """A number of bytes in megabytes."""
    return f"{count / 1e6:,.0f} MB"


def size(count: int) -> str:
    """A size of a file: `1 KB`, `64 MB`, in powers of 1024."""
    return f"{count // 1024} KB" if count < 1024**2 else f"{count // 1024**2} MB"
