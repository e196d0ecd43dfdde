"""The properties of a turn each have a turn that breaks them, and say what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from streamed_tool_calls.driver import Turn
from streamed_tool_calls.properties import complaints, lifecycle
from tool_call_shapes.stream import WIRE, Stream, load

# One call of read_file with {"path":"a"}, under the id call_123 where it has one.
[STREAM] = [stream for stream in load(WIRE) if stream.id == "027"]
START = {"type": "tool-input-start", "id": "call_a", "toolName": "read_file"}
DELTA = {"type": "tool-input-delta", "id": "call_a", "delta": '{"path":"a"}'}
END = {"type": "tool-input-end", "id": "call_a"}
CALL = {
    "type": "tool-call",
    "toolCallId": "call_a",
    "toolName": "read_file",
    "input": '{"path":"a"}',
}
BROKEN = {"name": "Broken", "message": "it broke", "data": None}
ERROR = {"type": "error", "error": BROKEN}


def turn(*parts: dict[str, Any], thrown: dict[str, Any] | None = None) -> Turn:
    """A turn of these parts, among others that are no concern of a call."""
    return Turn(parts=({"type": "stream-start"}, *parts, {"type": "finish"}), thrown=thrown)


def test_right() -> None:
    """A turn that is right in everything gives no complaint."""
    assert complaints(turn(START, DELTA, END, CALL), STREAM) == []


@pytest.mark.parametrize(
    "parts",
    [
        (DELTA, END, CALL),
        (START, START, DELTA, END, CALL),
        (START, END, DELTA, CALL),
        (START, DELTA, CALL),
        (START, DELTA, CALL, END),
        (START, DELTA, END),
        (START, DELTA, END, CALL, CALL),
        ({**START, "toolName": "list_dir"}, DELTA, END, CALL),
        (START, {**DELTA, "delta": "{"}, END, CALL),
        (START, {**DELTA, "id": "call_b"}, END, CALL),
        (START, DELTA, END, {**CALL, "toolCallId": "call_b"}),
    ],
    ids=[
        "no start", "two starts", "delta after end", "no end", "end after call", "no call",
        "two calls", "another name", "other deltas", "another id on a delta",
        "another id on the call",
    ],
)  # fmt: skip
def test_lifecycle(parts: tuple[dict[str, Any], ...]) -> None:
    """Each way to break the order, the name, the id or the text of a call's events is seen."""
    assert lifecycle(turn(*parts))


@pytest.mark.parametrize("failed", [turn(START, DELTA, ERROR), turn(START, thrown=BROKEN)])
def test_unfinished(failed: Turn) -> None:
    """A turn that failed may leave a call unfinished, and is complained of for having failed."""
    assert lifecycle(failed) == []
    assert "the turn failed: it broke" in complaints(failed, STREAM)


def test_input() -> None:
    """An input that is no JSON is seen, unless just that was meant."""
    cut = turn(START, {**DELTA, "delta": "{"}, END, {**CALL, "input": "{"})
    assert any("no JSON" in each for each in complaints(cut, STREAM))
    line = STREAM.to_json().replace('"{\\"path\\":\\"a\\"}"}], "expect', '"{"}], "expect')
    assert complaints(cut, Stream.from_json(line)) == []


def test_call() -> None:
    """Another call than the one meant is seen."""
    other = turn(START, DELTA, END, CALL, {**START, "id": "b"}, {**END, "id": "b"}, {
        **CALL, "toolCallId": "b", "input": "",
    })  # fmt: skip
    assert any("2 calls" in each for each in complaints(other, STREAM))
