"""A chart of lines on two logarithmic axes, as SVG. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 460, 320, 64, 36, 130, 44
_COLOURS = ("#0b6e4f", "#c1121f", "#3a5a98", "#b5651d", "#6a4c93", "#555555")


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One set of axes: each line has a name and its points; `across` names what x counts."""

    title: str
    across: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def svg(panels: Sequence[Panel]) -> str:
    """The panels side by side. All values must be above zero; y is in milliseconds."""
    total = _WIDTH * len(panels)
    drawn = "".join(
        f'<g transform="translate({number * _WIDTH},0)">{_panel(panel)}</g>'
        for number, panel in enumerate(panels)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {_HEIGHT}" width="{total}" '
        f'height="{_HEIGHT}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#fff"/>{drawn}</svg>\n'
    )


class _Axis:
    """Where a value stands between two ends, by its logarithm."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(math.ceil(math.log10(max(values))), self._low + 1)
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return round(self._start + share * (self._end - self._start), 1)

    @property
    def marks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]


def _panel(panel: Panel) -> str:
    points = [point for line in panel.lines.values() for point in line]
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    x = _Axis([point[0] for point in points], _LEFT, right)
    y = _Axis([point[1] for point in points], bottom, _TOP)
    pieces = [_text(_LEFT, 20, panel.title, weight="bold")]
    for mark in x.marks:
        pieces.append(_rule(x.at(mark), _TOP, x.at(mark), bottom))
        pieces.append(_text(x.at(mark), bottom + 15, f"{mark:,.12g}", anchor="middle"))
    for mark in y.marks:
        pieces.append(_rule(_LEFT, y.at(mark), right, y.at(mark)))
        pieces.append(_text(_LEFT - 6, y.at(mark) + 4, f"{mark:,.12g} ms", anchor="end"))
    pieces.append(_text((_LEFT + right) / 2, bottom + 34, panel.across, anchor="middle"))
    for number, (name, line) in enumerate(panel.lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{x.at(across)},{y.at(up)}" for across, up in line)
        pieces.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        pieces += [
            f'<circle cx="{x.at(across)}" cy="{y.at(up)}" r="2.5" fill="{colour}"/>'
            for across, up in line
        ]
        pieces.append(_text(right + 8, _TOP + 12 + 16 * number, name, fill=colour))
    return "".join(pieces)


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#ddd"/>'


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal",
    fill: str = "#222",
) -> str:  # fmt: skip
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}">'
        f"{escape(text)}</text>"
    )
