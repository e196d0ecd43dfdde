"""What was measured, as a page of Markdown, as a chart, and as a part of the README. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import tables
from benchmarks.chart import Panel, svg
from benchmarks.commands import Start, Warm
from benchmarks.growth import Point
from benchmarks.machine import Machine
from benchmarks.measure import Run, Spread, ratio
from benchmarks.race import BASE, OURS, Result

COMMAND = "python -m benchmarks"
BEGIN = f"<!-- begin: written by `{COMMAND} --readme` -->\n"
END = "<!-- end -->\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything; `races` are by the number of patches."""

    machine: Machine
    rounds: int
    races: Mapping[int, Mapping[str, Result]]
    starts: Sequence[Start]
    warm: Sequence[Warm]
    counts: Sequence[Point]
    sizes: Sequence[Point]


def page(found: Measured) -> str:
    """The whole account."""
    return "\n".join(
        [
            f"Measured on {found.machine.day} on {found.machine.text}.",
            f"Medians of {found.rounds} rounds in turns, with the least and the greatest.\n",
            race(found),
            "How each command starts:\n",
            _starts(found.starts),
            *_warm(found.warm),
            "`apply` with a growing number of patches of 8 KB files:\n",
            _growth(found.counts, "patches", str),
            "`apply` of one patch of a growing file:\n",
            _growth(found.sizes, "file", tables.size),
        ]
    )


def race(found: Measured) -> str:
    """The tables of `apply` beside other tools: fresh, again, and memory."""
    counts = list(found.races)
    head = ["", *(f"{count} patch{'es' * (count > 1)}" for count in counts)]
    parts = [
        (f"Onto a fresh install, as a ratio to `{BASE}` in the same round", "fresh"),
        ("On what is patched already", "again"),
    ]
    texts = []
    for title, kind in parts:
        names = [name for name, each in found.races[counts[0]].items() if getattr(each, kind)]
        rows = [[name, *(_cell(found.races[n], name, kind) for n in counts)] for name in names]
        texts.append(f"{title}:\n\n{tables.table(head, rows)}")
    names = list(found.races[counts[0]])
    rows = [
        [name, *(tables.megabytes(_peak(found.races[n][name].fresh)) for n in counts)]
        for name in names
    ]
    texts.append(f"Peak memory:\n\n{tables.table(head, rows)}")
    return "\n".join(texts)


def _cell(results: Mapping[str, Result], name: str, kind: str) -> str:
    ours, base = (_seconds(getattr(results[each], kind)) for each in (name, BASE))
    text = tables.milliseconds(Spread.of(ours).median)
    return text if name == BASE else f"{tables.ratios(ratio(ours, base))}, {text}"


def _seconds(runs: Sequence[Run]) -> list[float]:
    return [run.seconds for run in runs]


def _peak(runs: Sequence[Run]) -> float:
    return max(run.peak for run in runs)


def _starts(starts: Sequence[Start]) -> str:
    rows = [
        [f"`{each.name}`", tables.times(Spread.of(_seconds(each.runs))), str(each.modules)]
        for each in starts
    ]
    return tables.table(["", "time", "modules imported"], rows)


def _warm(results: Sequence[Warm]) -> list[str]:
    if not results:
        return []
    rows = []
    for each in results:
        if each.first is None:
            rows.append([f"`{each.name}`", f"not measured: {each.why.splitlines()[0]}", ""])
            continue
        warm = tables.times(Spread.of(_seconds(each.runs)))
        rows.append([f"`{each.name}`", tables.milliseconds(each.first.seconds), warm])
    heads = ["", "empty cache", "again"]
    return ["On this repository's own fixes, all pins:\n", tables.table(heads, rows)]


def _growth(points: Sequence[Point], what: str, name: Callable[[int], str]) -> str:
    rows = [
        [
            name(each.at),
            tables.milliseconds(Spread.of(_seconds(each.fresh)).median),
            tables.milliseconds(Spread.of(_seconds(each.again)).median),
            tables.megabytes(_peak([*each.fresh, *each.again])),
        ]
        for each in points
    ]
    return tables.table([what, "fresh", "again", "peak memory"], rows)


def chart(found: Measured) -> str:
    """Time by number of patches for all tools, and by size of file."""
    names = [OURS[0], BASE, "npx patch-package", "git apply", "GNU patch"]
    lines = {
        name: [
            (float(count), 1000 * Spread.of(_seconds(results[name].fresh)).median)
            for count, results in found.races.items()
        ]
        for name in names
        if all(name in results for results in found.races.values())
    }
    grown = {"patchtool, made-up packages": _line(found.counts)}
    return svg(
        [
            Panel(title="Put patches on", across="patches", lines=lines | grown),
            Panel(
                title="One patch, a growing file",
                across="bytes",
                lines={"patchtool, fresh": _line(found.sizes)},
            ),
        ]
    )


def _line(points: Sequence[Point]) -> list[tuple[float, float]]:
    return [(float(each.at), 1000 * Spread.of(_seconds(each.fresh)).median) for each in points]


def in_readme(readme: str, found: Measured) -> str:
    """The README with its part on speed written anew, between its marks."""
    start, marked, rest = readme.partition(BEGIN)
    _, ended, rest = rest.partition(END)
    if not (marked and ended):
        raise ValueError(f"no marks in the README: {BEGIN.strip()} and {END.strip()}")
    text = (
        f"Measured on {found.machine.day} on {found.machine.text}; medians of {found.rounds} "
        f"rounds in turns, in brackets the least and the greatest.\n\n{race(found)}\n"
        + "\n".join(_warm(found.warm))
        + f"\n    {COMMAND} --results DIRECTORY\n\nmeasures all of this and more, "
        "and draws a chart.\n"
    )
    return start + BEGIN + text + END + rest
