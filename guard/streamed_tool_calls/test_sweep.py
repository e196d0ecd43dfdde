"""Known calls, labelled in every way: whatever can be told from the bytes comes out right."""

from __future__ import annotations

from itertools import groupby

import pytest

from streamed_tool_calls.driver import PROVIDERS, Driver
from streamed_tool_calls.score import wrong
from tool_call_shapes.stream import Stream
from tool_call_shapes.sweep import fixed

GROUPS = {
    name: list(streams)
    for name, streams in groupby(
        sorted(fixed(), key=lambda stream: (stream.group, stream.id)), lambda stream: stream.group
    )
}


@pytest.mark.parametrize(
    ("streams", "provider"),
    [
        pytest.param(streams, provider, id=f"{provider}: {name}")
        for name, streams in GROUPS.items()
        for provider in PROVIDERS
    ],
)
def test_labelled(driver: Driver, streams: list[Stream], provider: str) -> None:
    """Every stream of a way to label gives its calls; the shortest that does not is shown."""
    failed = wrong(driver, provider, streams)
    if failed:
        stream, problems = min(failed, key=lambda each: len(each[0].deltas))
        deltas = "\n".join(str(list(chunk)) for chunk in stream.deltas)
        pytest.fail(
            f"{len(failed)} of {len(streams)}, such as {stream.shape}:\n{deltas}\n{problems}"
        )
