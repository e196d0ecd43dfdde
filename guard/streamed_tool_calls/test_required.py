"""The promise: each call the gateway meant comes out once, whole, under a usable id of its own."""

from __future__ import annotations

import pytest

from streamed_tool_calls import cases
from streamed_tool_calls.driver import PROVIDERS, Driver, Request
from streamed_tool_calls.properties import complaints, events, lifecycle
from tool_call_shapes.stream import WIRE, Stream, load

CONSTRUCTED = [
    pytest.param(case, provider, id=f"{provider}: {case.stream.shape}")
    for case in cases.read(cases.REQUIRED)
    for provider in case.providers
]
COLLECTED = [
    pytest.param(stream, provider, id=f"{provider}: wire {stream.id} {stream.source}: {words}")
    for stream in load(WIRE)
    if stream.decidable
    for words in [stream.group.replace("/", ", ").replace("-", " ")]
    for provider in PROVIDERS
]


@pytest.mark.parametrize(("case", "provider"), CONSTRUCTED)
def test_constructed(driver: Driver, case: cases.Constructed, provider: str) -> None:
    """A constructed turn gives its calls, or fails with the error that it must fail with."""
    [turn] = driver.run([Request.of(case.stream, provider)])
    if case.error is not None:
        assert turn.error is not None
        assert case.error in turn.error["message"]
        assert turn.thrown is None or turn.thrown["data"], "it does not say which delta it is about"
        assert not lifecycle(turn)
        return
    assert not complaints(turn, case.stream)
    assert case.events is None or case.events == events(turn)
    if case.metadata is not None:
        given = [each for each in turn.parts if each["type"] == "tool-call"]
        assert [each.get("providerMetadata", {}) for each in given] == list(case.metadata)


@pytest.mark.parametrize(("stream", "provider"), COLLECTED)
def test_collected(driver: Driver, stream: Stream, provider: str) -> None:
    """A turn as a gateway sent it gives the calls that were meant."""
    [turn] = driver.run([Request.of(stream, provider)])
    assert not complaints(turn, stream), f"{stream.gateway}, {stream.source}: {stream.shape}"
