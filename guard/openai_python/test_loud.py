"""A call that cannot be given out is an error, never lost in silence."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from json_lines import Child
from openai_python.chunks import Chunk, served
from openai_python.short import delta, run, turn
from openai_python.turn import run_served

# Each with the chunk at which it must be known.
LOUD = {
    "a fragment that two open calls could take": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=0, id="call_b"),
            delta('"a"}', index=0),
        ),
        2,
    ),
    "a fragment without labels that two open calls could take": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=1, id="call_b"),
            delta('"a"}'),
        ),
        2,
    ),
    "a signature with the labels of two open calls": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=1, id="call_b"),
            {"tool_calls": [{"index": 1, "id": "call_a", "extra_content": {"signature": "SIG"}}]},
        ),
        4,
    ),
    "a call that never gets a name": (turn(delta('{"path":"a"}', index=0, id="call_a")), 2),
    "a call that is announced and never comes": (
        turn(
            delta("{}", name="list_dir", index=0, id="call_a"),
            {"tool_calls": [{"index": 1, "id": "call_b"}]},
        ),
        3,
    ),
    "a call that never gets a name, and no finish reason": (
        turn(delta('{"path":"a"}', index=0, id="call_a"), finish=None),
        1,
    ),
    "calls that wait for a lower index, and no finish reason": (
        turn(delta("{}", name="list_dir", index=1, id="call_a"), finish=None),
        1,
    ),
}


@pytest.mark.parametrize(("chunks", "place"), LOUD.values(), ids=LOUD)
def test_loud(child: Child, chunks: Sequence[Chunk], place: int) -> None:
    """A call that would be lost fails the turn, with an error of the package's own."""
    result = run(child, chunks)
    assert re.match("OpenAIError: .", result.error or "")
    assert len([event for event in result.events if event["type"] == "chunk"]) == place


def test_first_that_is_lost(child: Child) -> None:
    """Of several calls that never get a name, the error is about the first."""
    heads = (
        delta('{"path":"a"}', index=number, id=id) for number, id in enumerate(("call_a", "call_b"))
    )
    error = run(child, turn(*heads)).error or ""
    assert "call_a" in error
    assert "call_b" not in error


@pytest.mark.parametrize("way", ["client", "async client"])
def test_loud_at_the_end(child: Child, way: str) -> None:
    """So it does for one who only reads the events, when the stream ends."""
    chunks, _ = LOUD["calls that wait for a lower index, and no finish reason"]
    with served(chunks) as url:
        error = run_served(child, way, url).error
    assert re.match("OpenAIError: .", error or "")
