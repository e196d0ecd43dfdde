"""What no rule can recover: each shape with what is kept and what is lost. Decides nothing."""

from __future__ import annotations

import pytest

from streamed_tool_calls import cases
from streamed_tool_calls.driver import PROVIDERS, Driver, Request
from streamed_tool_calls.properties import calls, lifecycle
from tool_call_shapes.stream import matches

CASES = cases.read(cases.BOUNDARY)


@pytest.mark.boundary
@pytest.mark.parametrize(
    ("case", "provider"),
    [
        pytest.param(case, provider, id=f"{provider}: {case.stream.shape}")
        for case in CASES
        for provider in PROVIDERS
    ],
)
def test_boundary(driver: Driver, case: cases.Constructed, provider: str) -> None:
    """Of a turn that cannot be recovered, just what its row says is kept."""
    [turn] = driver.run([Request.of(case.stream, provider)])
    assert not lifecycle(turn)
    if case.error is not None:
        assert turn.error is not None
        assert case.error in turn.error["message"]
    else:
        assert turn.error is None
        assert not matches(calls(turn), case.stream)
