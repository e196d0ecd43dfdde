"""What must hold for what came of a turn, whoever labelled it: pure checks that list complaints.

Owns the lifecycle of a call's events. Must not know how the turn was run.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from openai_python.turn import Plain, Turn
from tool_call_shapes.stream import Call, Stream, matches

DELTA = "tool_calls.function.arguments.delta"
DONE = "tool_calls.function.arguments.done"


def complaints(turn: Turn, stream: Stream) -> list[str]:
    """All that is wrong with a turn that should have given the calls of `stream`."""
    if turn.error is not None:
        return [f"the turn failed: {turn.error}"]
    return matches(calls(turn), stream) + kinds(turn) + lifecycle(turn) + snapshot(turn)


def calls(turn: Turn) -> list[Call]:
    """The calls of the first choice's message."""
    return [
        Call(
            id=call.get("id"),
            name=str(call["function"].get("name")),
            arguments=str(call["function"].get("arguments")),
        )
        for call in turn.messages[0].get("tool_calls") or ()
    ]


def kinds(turn: Turn) -> list[str]:
    """Each call is one of a function."""
    return [
        f"{call!r} is no call of a function"
        for call in turn.messages[0].get("tool_calls") or ()
        if call.get("type") != "function"
    ]


def lifecycle(turn: Turn) -> list[str]:
    """Of each call: deltas that join up to the arguments, then done, once; all with its name.

    A delta without text may follow, for what else a fragment carries.
    """
    events: dict[int, list[Plain]] = {number: [] for number in range(len(calls(turn)))}
    for event in turn.events:
        if event["type"] in (DELTA, DONE):
            own = events.setdefault(event["index"], [])
            if event["type"] == DONE or event["arguments_delta"] or DONE not in map(_kind, own):
                own.append(event)
    return [
        f"call {number + 1}: {problem}"
        for number, (call, own) in enumerate(itertools.zip_longest(calls(turn), events.values()))
        for problem in _one_call(call, own)
    ]


def _one_call(call: Call | None, events: Sequence[Plain]) -> list[str]:
    if call is None:
        return [f"there are events of it, but no call: {events}"]
    kinds = [*map(_kind, events)]
    if kinds != [DELTA] * (len(kinds) - 1) + [DONE]:
        return [f"its events are {', '.join(kinds)}"]
    *deltas, done = events
    problems = []
    texts = [str(delta["arguments_delta"]) for delta in deltas]
    for delta, so_far in zip(deltas, itertools.accumulate(texts), strict=True):
        if not str(delta["arguments"]).startswith(so_far):
            problems.append(f"has {delta['arguments']!r} after the deltas {so_far!r}")
        if delta["arguments_delta"] and delta["name"] != call.name:
            problems.append(f"has a delta of {delta['name']!r}, and is {call.name!r}")
    if (done["name"], done["arguments"]) != (call.name, call.arguments):
        problems.append(f"is done as {done['name']!r} with {done['arguments']!r}")
    if "".join(texts) != call.arguments:
        problems.append(f"its deltas join up to {''.join(texts)!r}, not to {call.arguments!r}")
    return problems


def _kind(event: Plain) -> Any:
    return event["type"]


def snapshot(turn: Turn) -> list[str]:
    """The snapshot that comes with the last chunk has the calls of the message."""
    *_, last = (event for event in turn.events if event["type"] == "chunk")
    return [
        f"the snapshot has {_plain_calls(choice['message'])}, the message {_plain_calls(message)}"
        for choice, message in zip(last["snapshot"]["choices"], turn.messages, strict=True)
        if _plain_calls(choice["message"]) != _plain_calls(message)
    ]


def _plain_calls(message: Plain) -> list[Plain]:
    """The calls without what is parsed, which is known later."""
    return [
        {
            **call,
            "function": {
                key: value for key, value in call["function"].items() if key != "parsed_arguments"
            },
        }
        for call in message.get("tool_calls") or ()
    ]
