"""What must hold for the parts of a turn, whoever labelled it: pure checks that list complaints.

Owns the lifecycle of a call's events. Must not know how the turn was run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from streamed_tool_calls.driver import Turn
from tool_call_shapes.stream import Call, Stream, matches

Part = Mapping[str, Any]


def complaints(turn: Turn, stream: Stream) -> list[str]:
    """All that is wrong with a turn that should have given the calls of `stream`."""
    failed = [f"the turn failed: {turn.error['message']}"] if turn.error else []
    return failed + lifecycle(turn) + inputs(turn, stream) + matches(calls(turn), stream)


def calls(turn: Turn) -> list[Call]:
    """The calls that came out, in the order to run them."""
    return [
        Call(id=part["toolCallId"], name=part["toolName"], arguments=part["input"])
        for part in turn.parts
        if part["type"] == "tool-call"
    ]


def events(turn: Turn) -> tuple[str, ...]:
    """The events of the calls, and the text among them, in order: start, delta, end, call, text."""
    return tuple(
        part["type"].removeprefix("tool-").removeprefix("input-").removesuffix("-delta")
        for part in turn.parts
        if part["type"].startswith("tool-") or part["type"] == "text-delta"
    )


def inputs(turn: Turn, stream: Stream) -> list[str]:
    """Each input must be JSON by itself, if what was meant is; an empty one stands for `{}`."""
    cut_short = [call.arguments for call in stream.calls if not _is_json(call.arguments or "{}")]
    return [
        f"the input of {call.name} is no JSON: {call.arguments!r}"
        for call in calls(turn)
        if not _is_json(call.arguments or "{}") and call.arguments not in cut_short
    ]


def lifecycle(turn: Turn) -> list[str]:
    """Start once, deltas that join up to the input, end, call: all under one id, one name.

    Only a turn that failed may leave a call unfinished.
    """
    calls: dict[Any, list[Part]] = {}
    for part in turn.parts:
        if part["type"].startswith("tool-"):
            calls.setdefault(part.get("toolCallId", part.get("id")), []).append(part)
    return [
        f"call {id!r}: {problem}"
        for id, parts in calls.items()
        for problem in _one_call(parts, failed=turn.error is not None)
    ]


def _one_call(parts: Sequence[Part], *, failed: bool) -> list[str]:
    kinds = [part["type"].removeprefix("tool-").removeprefix("input-") for part in parts]
    deltas = kinds.count("delta")
    whole = ["start", *["delta"] * deltas, "end", "call"]
    if kinds != whole:
        unfinished = failed and kinds == whole[: len(kinds)]
        return [] if unfinished else [f"its events are {', '.join(kinds)}"]
    problems = []
    start, call = parts[0], parts[-1]
    if start["toolName"] != call["toolName"]:
        problems.append(f"started as {start['toolName']!r}, called as {call['toolName']!r}")
    joined = "".join(part["delta"] for part in parts[1:-2])
    if joined != call["input"]:
        problems.append(f"its deltas join up to {joined!r}, its input is {call['input']!r}")
    return problems


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
