"""What the guard of openai-python finds wrong with a turn: each of its complaints can be had."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from openai_python.properties import DELTA, DONE, kinds, lifecycle, snapshot
from openai_python.turn import Turn


def call(name: str = "read_file", arguments: str = "{}", **labels: Any) -> Mapping[str, Any]:
    """A call of a message."""
    function = {"name": name, "arguments": arguments}
    return {"id": "call_a", "type": "function", "function": function, **labels}


def delta(text: str, arguments: str, name: str = "read_file", index: int = 0) -> Mapping[str, Any]:
    """The event of a fragment."""
    told = {"name": name, "arguments": arguments, "arguments_delta": text}
    return {"type": DELTA, "index": index, **told}


def done(arguments: str, name: str = "read_file") -> Mapping[str, Any]:
    """The event of a call that is done."""
    return {"type": DONE, "index": 0, "name": name, "arguments": arguments}


def chunk(*calls: Mapping[str, Any]) -> Mapping[str, Any]:
    """The event of a chunk, with a snapshot that has these calls."""
    return {"type": "chunk", "snapshot": {"choices": [{"message": {"tool_calls": calls}}]}}


RIGHT = Turn(
    events=[chunk(), delta("{", "{"), chunk(call()), delta("}", "{}"), done("{}")],
    messages=[{"tool_calls": (call(),)}],
    error=None,
)


def test_right() -> None:
    """There is nothing to complain of in a turn that is right."""
    assert kinds(RIGHT) == lifecycle(RIGHT) == snapshot(RIGHT) == []


@pytest.mark.parametrize(
    ("events", "complaint"),
    [
        ([delta("{}", "{}")], "its events are"),
        ([done("{}"), delta("{}", "{}")], "its events are"),
        ([delta("{}", "{}"), done("{}"), done("{}")], "its events are"),
        ([done("{}")], "join up to ''"),
        ([delta("{}", ""), done("{}")], "after the deltas"),
        ([delta("{}", "{}", name="list_dir"), done("{}")], "a delta of 'list_dir'"),
        ([delta("{}", "{}"), done("{}", name="list_dir")], "is done as 'list_dir'"),
        ([delta("{}", "{}"), done("{")], "is done as 'read_file' with '{'"),
        ([delta("{}", "{}"), done("{}"), delta("{}", "{}", index=7)], "but no call"),
    ],
)
def test_lifecycle(events: list[Mapping[str, Any]], complaint: str) -> None:
    """Deltas that join up to the arguments, then done, once, with the call's name and place."""
    assert complaint in " ".join(lifecycle(replace(RIGHT, events=events)))


def test_head_of_a_name_in_pieces() -> None:
    """Only an event that brings text must have the whole name."""
    events = [delta("", "", name="read_"), delta("{}", "{}"), done("{}")]
    assert lifecycle(replace(RIGHT, events=events)) == []


def test_kinds() -> None:
    """A call must be one of a function."""
    assert kinds(replace(RIGHT, messages=[{"tool_calls": [call(type=None)]}]))


def test_snapshot() -> None:
    """The last snapshot must have the message's calls, but for what is parsed."""
    parsed = {"name": "read_file", "arguments": "{}", "parsed_arguments": {}}
    assert snapshot(replace(RIGHT, messages=[{"tool_calls": [call(function=parsed)]}])) == []
    assert snapshot(replace(RIGHT, messages=[{"tool_calls": [call(id="call_b")]}]))
