"""The promise: each call that a server meant comes out once, whole, under an id of its own."""

from __future__ import annotations

import pytest

from json_lines import Child
from openai_python.properties import calls, complaints
from openai_python.turn import run
from streamed_tool_calls import cases
from streamed_tool_calls.driver import PROVIDERS
from tool_call_shapes.stream import WIRE, Stream, load, matches

# A case that is not for both providers is about what they check before any rule.
CONSTRUCTED = [
    pytest.param(case, id=case.stream.shape)
    for case in cases.read(cases.REQUIRED)
    if set(case.providers) == set(PROVIDERS)
]
COLLECTED = [
    pytest.param(stream, id=f"wire {stream.id} {stream.source}: {words}")
    for stream in load(WIRE)
    if stream.decidable
    for words in [stream.group.replace("/", ", ").replace("-", " ")]
]
# Its event is out before it can be known for what it is.
PLACEHOLDER = "an empty object before the real arguments"


@pytest.mark.parametrize("case", CONSTRUCTED)
def test_constructed(child: Child, case: cases.Constructed) -> None:
    """A constructed turn gives its calls, or fails with the package's own error."""
    [turn] = run(child, [case.stream])
    if case.error is not None:
        assert (turn.error or "").startswith("OpenAIError: ")
    elif case.stream.shape.startswith(PLACEHOLDER):
        assert turn.error is None
        assert not matches(calls(turn), case.stream)
    else:
        assert not complaints(turn, case.stream)


@pytest.mark.parametrize("stream", COLLECTED)
def test_collected(child: Child, stream: Stream) -> None:
    """A turn as a gateway sent it gives the calls that were meant."""
    [turn] = run(child, [stream])
    assert not complaints(turn, stream), f"{stream.gateway}, {stream.source}: {stream.shape}"
