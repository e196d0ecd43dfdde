"""What gateways really send, through the state class: the calls, the events and the ids."""

from __future__ import annotations

import pytest
from json_lines import Child
from tool_call_shapes.stream import WIRE, Stream, load

from openai_python.properties import complaints
from openai_python.turn import run


def words(stream: Stream) -> str:
    """What a stream is, for a test's name; the number tells apart those that read alike."""
    return f"{stream.id} {stream.gateway}, {stream.shape}"


@pytest.mark.parametrize("stream", [each for each in load(WIRE) if each.decidable], ids=words)
def test_gateway(child: Child, stream: Stream) -> None:
    """Each call that the gateway sent comes out once, with its own name, arguments and id."""
    (turn,) = run(child, [stream])
    assert complaints(turn, stream) == []
