"""The labelled sweep through the state class: some streams of each way to label a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from json_lines import Child
from openai_python.score import wrong
from tool_call_shapes.stream import Stream
from tool_call_shapes.sweep import fixed

PER_GROUP = 8


def groups() -> Mapping[str, Sequence[Stream]]:
    """By the labelling in short, streams from all over the group."""
    found: dict[str, list[Stream]] = {}
    for stream in fixed():
        found.setdefault(stream.group, []).append(stream)
    return {group: each[:: -(-len(each) // PER_GROUP)] for group, each in found.items()}


@pytest.mark.parametrize(
    "streams", [pytest.param(streams, id=group) for group, streams in groups().items()]
)
def test_labels(child: Child, streams: Sequence[Stream]) -> None:
    """However a turn is labelled, its calls come out as they were meant."""
    failed = wrong(child, streams)
    assert {f"{stream.id}, {stream.shape}": problems for stream, problems in failed} == {}
