"""A few turns over a real connection, with the client and its asynchronous twin."""

from __future__ import annotations

import pytest

from json_lines import Child
from openai_python.chunks import chunks, served
from openai_python.properties import complaints
from openai_python.turn import run_served
from tool_call_shapes.stream import WIRE, Stream, load

FEW = {
    "001": "two calls at index 0",
    "020": "two calls without labels in one chunk",
    "031": "an index that starts at 1",
    "045": "a fresh id on each fragment",
    "081": "a name after the arguments",
    "099": "a fragment after the finish reason",
    "104": "two calls that alternate",
}


@pytest.mark.parametrize("cut_every", [None, 7], ids=["an event at a time", "cut every 7 bytes"])
@pytest.mark.parametrize("way", ["client", "async client"])
@pytest.mark.parametrize(
    "stream",
    [pytest.param(each, id=FEW[each.id]) for each in load(WIRE) if each.id in FEW],
)
def test_turn(child: Child, stream: Stream, way: str, cut_every: int | None) -> None:
    """What comes over a connection is what the state class gives."""
    with served(chunks(stream), cut_every) as url:
        turn = run_served(child, way, url)
    assert complaints(turn, stream) == []
