"""The bytes of a turn may be cut anywhere: within a character, a field name, a line end."""

from __future__ import annotations

import pytest

from streamed_tool_calls.driver import PROVIDERS, Driver, Request
from streamed_tool_calls.properties import complaints
from tool_call_shapes.stream import Call, Stream

ARGUMENTS = '{"text":"na\u00efve \u65e5\u672c \U0001f600"}'
STREAM = Stream(
    id="cut",
    gateway="constructed",
    source="",
    date="",
    evidence="constructed",
    group="cut bytes",
    shape="two calls at index 0, with characters of two, three and four bytes",
    deltas=tuple(
        (delta,)
        for letter in "ab"
        for delta in (
            {"index": 0, "id": f"call_{letter}", "function": {"name": "say", "arguments": ""}},
            {"index": 0, "function": {"arguments": ARGUMENTS[:18]}},
            {"index": 0, "function": {"arguments": ARGUMENTS[18:]}},
        )
    ),
    finish_reason="tool_calls",
    calls=(Call(name="say", arguments=ARGUMENTS),) * 2,
    expect_ids=("call_a", "call_b"),
    decidable=True,
    why="",
)


# How many bytes at a time, how lines end, and whether through a server on the loopback interface.
WAYS = {
    "1 byte at a time": (1, "\n", False),
    "1 byte at a time, CR LF": (1, "\r\n", False),
    "2 bytes at a time": (2, "\n", False),
    "3 bytes at a time, CR LF": (3, "\r\n", False),
    "17 bytes at a time, over loopback": (17, "\n", True),
    "19 bytes at a time, CR LF, over loopback": (19, "\r\n", True),
}


@pytest.mark.parametrize(
    ("way", "provider"),
    [
        pytest.param(way, provider, id=f"{provider}: {name}")
        for name, way in WAYS.items()
        for provider in PROVIDERS
    ],
)
def test_cut_bytes(driver: Driver, way: tuple[int, str, bool], provider: str) -> None:
    """A turn gives the same calls wherever its bytes are cut."""
    cut_every, line_end, loopback = way
    request = Request(
        provider=provider,
        chunks=STREAM.deltas,
        line_end=line_end,
        cut_every=cut_every,
        loopback=loopback,
    )
    [turn] = driver.run([request])
    assert not complaints(turn, STREAM)
