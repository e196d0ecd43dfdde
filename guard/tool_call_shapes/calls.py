"""Known calls and ways to cut their arguments: what the sweep's streams are made from.

Only `Random.random()` is drawn from, the one method whose sequence Python promises to keep.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tool_call_shapes.stream import Call

T = TypeVar("T")

BARE_TOOL = "take_screenshot"  # has no parameters
TOOLS = ("read_file", "list_dir", "search_text", "run_query", BARE_TOOL)

# Arguments by what is hard about them. The marker makes the calls of one turn differ.
_BODIES = (
    '{"path":"MARK"}',
    '{"path": "MARK", "limit": 20, "deep": true, "after": null}',
    '{"where":{"any":[{"name":"MARK"},{"size":[1,2,{"x":{}}]}]}}',
    '{"code":"if (x) { return \\"MARK}\\"; } // {{"}',
    '{"pattern":"\\\\d+\\\\\\"MARK","root":"C:\\\\tmp\\\\"}',
    '{"text":"na\u00efve \u65e5\u672c\u8a9e \U0001f600 MARK","n":-1.5e3}',
    '{"text":"\\u00e9\\ud83d\\ude00\\n\\t\\/ MARK"}',
    '{\n  "query": "MARK",\n  "tags": ["}", "{", "]"]\n}',
    '{"":"MARK","{}":"{}"}',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Calls in the order to run them, and for each the texts its deltas carry, in order."""

    calls: tuple[Call, ...]
    pieces: tuple[tuple[str, ...], ...]


def pick(random: Random, choices: Sequence[T]) -> T:
    """One of the choices."""
    return choices[int(random.random() * len(choices))]


def draw_calls(random: Random, count: int, *, repeated: bool) -> tuple[Call, ...]:
    """Calls of `count` different tools, or, if `repeated`, of fewer tools than calls."""
    tools = list(TOOLS)
    names: list[str] = []
    for _ in range(count):
        names.append(pick(random, tools))
        tools.remove(names[-1])
    if repeated:
        names = [names[int(random.random() * (count - 1))] for _ in range(count)]
    return tuple(
        Call(name=name, arguments=_arguments(random, name, f"{name[0]}{number}"))
        for number, name in enumerate(names)
    )


def _arguments(random: Random, name: str, mark: str) -> str:
    if name == BARE_TOOL:
        return pick(random, ("", "", "{}"))
    if random.random() < 0.1:
        return "{}"
    return pick(random, _BODIES).replace("MARK", mark)


def cut(text: str, places: Sequence[float], *, empty_head: bool) -> tuple[str, ...]:
    """Cut a text at the given fractions of its length, after an empty piece if so asked.

    A short text may give fewer pieces than asked for. No piece but such a head is empty, unless
    the text is.
    """
    inner = sorted({round(place * len(text)) for place in places} - {0, len(text)})
    ends = [0, *inner, len(text)]
    pieces = tuple(text[start:end] for start, end in itertools.pairwise(ends))
    return ("", *pieces) if empty_head and text else pieces
