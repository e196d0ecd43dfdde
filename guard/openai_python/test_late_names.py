"""Names that come after the arguments, each by a turn made for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from json_lines import Child
from openai_python.properties import calls
from openai_python.short import delta, run, told, turn


@pytest.mark.parametrize("labels", [{"index": 0, "id": "call_b"}, {"index": 1}, {"id": "call_b"}])
@pytest.mark.parametrize("text", ['{"path":"a"}', '{"path":'], ids=["complete", "open"])
def test_late_name_with_a_wrong_label(child: Child, text: str, labels: Mapping[str, Any]) -> None:
    """The name of a call that has none may come late and with one label that is wrong."""
    whole = '{"path":"a"}'
    head = delta(text, index=0, id="call_a")
    result = run(child, turn(head, delta(whole[len(text) :], name="read_file", **labels)))
    assert [(call.name, call.arguments) for call in calls(result)] == [("read_file", whole)]


@pytest.mark.parametrize(("text", "index"), [("{}", 0), ("", 1)], ids=["arguments", "labels"])
def test_late_name_and_another_call(child: Child, text: str, index: int) -> None:
    """With arguments or with no label of the call a name is not late: it begins another call."""
    result = run(
        child,
        turn(
            delta("{}", index=0, id="call_a"),
            delta(text, name="list_dir", index=index, id="call_b"),
            delta(name="read_file", id="call_a"),
        ),
    )
    assert [call.name for call in calls(result)] == ["read_file", "list_dir"]


def test_late_name_behind_a_placeholder(child: Child) -> None:
    """Arguments with an id of their own are not those of a call before, and wait for their name."""
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", id="call_a"),
            delta('{"n":1}', id="call_b"),
            delta(name="read_file", id="call_b"),
        ),
    )
    assert [(call.name, call.arguments) for call in calls(result)] == [
        ("list_dir", "{}"),
        ("read_file", '{"n":1}'),
    ]


def test_name_after_the_finish_reason(child: Child) -> None:
    """A name that comes after the finish reason is still that of its call."""
    chunks = turn(delta("{}", index=0, id="call_a"))
    chunks += turn(delta(name="list_dir", index=0), finish=None)
    assert told(run(child, chunks)) == [
        *[("chunk",), ("chunk",)],
        *[("chunk",), (0, "{}"), (0, ""), (0, "done", "{}")],
    ]
