"""Turns in short, for tests of one thing each: how they are written, run, and told.

Must not judge what comes of a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from json_lines import Child
from openai_python.chunks import Chunk, chunk
from openai_python.properties import DELTA, DONE
from openai_python.turn import Turn, run_chunks


def delta(
    text: str | None = None, *, name: str | None = None, **labels: object
) -> Mapping[str, Any]:
    """A delta with one fragment of one call."""
    told = {"name": name, "arguments": text}
    function = {key: value for key, value in told.items() if value is not None}
    return {"tool_calls": [labels | {"function": function}]}


def turn(*deltas: Mapping[str, Any], finish: str | None = "tool_calls") -> list[Chunk]:
    """The chunks of one choice, with the finish reason by itself at the end."""
    choices: list[Mapping[str, Any]] = [
        {"index": 0, "delta": each, "finish_reason": None} for each in deltas
    ]
    if finish is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    return [chunk(choice) for choice in choices]


def run(child: Child, turn: Sequence[Chunk], tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
    """What comes of one turn."""
    [result] = run_chunks(child, [turn], tools)
    return result


def told(result: Turn) -> list[tuple[Any, ...]]:
    """The events in short: the text a delta brings, the arguments of a call that is done."""
    assert result.error is None
    return [
        ("chunk",) if event["type"] == "chunk"
        else (event["index"], event["arguments_delta"]) if event["type"] == DELTA
        else (event["index"], "done", event["arguments"]) if event["type"] == DONE
        else (event["type"],)
        for event in result.events
    ]  # fmt: skip
