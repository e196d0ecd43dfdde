"""What the bytes do not tell: what becomes of such turns today. Nothing here decides anything."""

from __future__ import annotations

import pytest
from json_lines import Child
from tool_call_shapes.stream import WIRE, Stream, load

from openai_python.properties import DELTA, calls
from openai_python.test_events import delta, run, turn
from openai_python.turn import run as run_streams

pytestmark = pytest.mark.boundary

UNDECIDABLE = {stream.id: stream for stream in load(WIRE) if not stream.decidable}


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(UNDECIDABLE["084"], id="objects as arguments, each more than the last"),
        pytest.param(UNDECIDABLE["096"], id="a call without a name"),
    ],
)
def test_lost_aloud(child: Child, stream: Stream) -> None:
    """The turn fails."""
    [result] = run_streams(child, [stream])
    assert result.error is not None


def test_arguments_that_start_over(child: Child) -> None:
    """An object that is cut off and starts over in one fragment stays as it was sent."""
    stream = UNDECIDABLE["092"]
    [result] = run_streams(child, [stream])
    assert [call.arguments for call in calls(result)] == [
        stream.deltas[1][0]["function"]["arguments"]
    ]


def test_placeholder_that_was_told(child: Child) -> None:
    """The event of a `{}` that turns out to be a placeholder is not taken back."""
    head = delta("{}", name="read_file", index=0, id="call_a", type="function")
    result = run(child, turn(head, delta('{"path":"a"}', index=0)))
    deltas = [event["arguments_delta"] for event in result.events if event["type"] == DELTA]
    assert deltas == ["{}", '{"path":"a"}']


def test_name_in_pieces(child: Child) -> None:
    """The event of a call's head has what was known of its name."""
    head = delta("", name="read_", index=0, id="call_a", type="function")
    result = run(child, turn(head, delta(name="file", index=0), delta("{}", index=0)))
    assert [event["name"] for event in result.events if event["type"] == DELTA] == [
        "read_",
        "read_file",
        "read_file",
    ]
