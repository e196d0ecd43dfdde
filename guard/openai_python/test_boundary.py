"""What no rule can recover, or this one does not: what is kept of such turns. Decides nothing."""

from __future__ import annotations

import pytest

from json_lines import Child
from openai_python.properties import DELTA, calls
from openai_python.short import delta, run, turn
from openai_python.turn import run as run_streams
from streamed_tool_calls import cases
from tool_call_shapes.stream import matches

pytestmark = pytest.mark.boundary


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.stream.shape) for case in cases.read(cases.BOUNDARY)]
)
def test_boundary(child: Child, case: cases.Constructed) -> None:
    """Of a turn that cannot be recovered, just what its row says is kept."""
    [turn] = run_streams(child, [case.stream])
    if case.error is not None:
        assert (turn.error or "").startswith("OpenAIError: ")
    else:
        assert turn.error is None
        assert not matches(calls(turn), case.stream)


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
