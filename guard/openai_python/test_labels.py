"""Ids and indexes that are late, wrong, alike or not there, each by a turn made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from json_lines import Child
from openai_python.properties import calls
from openai_python.short import delta, run, told, turn


def test_own_ids(child: Child) -> None:
    """An id that is given twice stays with the first call, and the second gets another."""
    result = run(
        child,
        turn(
            delta('{"path":"a"}', name="read_file", index=0, id="call_a"),
            delta('{"path":"b"}', name="list_dir", index=0, id="call_a"),
        ),
    )
    first, second = calls(result)
    assert first.id == "call_a"
    assert second.id
    assert second.id != "call_a"


def test_indexes_out_of_order(child: Child) -> None:
    """Calls come in the order of their indexes, each in the message as soon as it can be."""
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", index=1, id="call_b"),
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('"a"}', index=0),
        ),
    )
    assert told(result) == [
        ("chunk",),
        *[("chunk",), (0, '{"path":'), (1, "{}")],
        *[("chunk",), (0, '"a"}'), (1, "done", "{}")],
        *[("chunk",), (0, "done", '{"path":"a"}')],
    ]
    assert [call.id for call in calls(result)] == ["call_a", "call_b"]


@pytest.mark.parametrize(
    ("deltas", "arguments"),
    [
        (
            (
                delta('{"path":"a"}', name="read_file", index="0", id="call_a"),
                delta('{"path":"b"}', name="list_dir", index=0, id="call_b"),
            ),
            ['{"path":"a"}', '{"path":"b"}'],
        ),
        (
            (
                delta('{"path":', name="read_file", index="first", id="call_a"),
                delta('"a"}', index="second", id="call_b"),
            ),
            ['{"path":"a"}'],
        ),
    ],
    ids=["for a call", "against a call"],
)
def test_index_in_words(
    child: Child, deltas: Sequence[Mapping[str, Any]], arguments: Sequence[str]
) -> None:
    """An index that is no number says nothing for a call, nor against one."""
    assert [call.arguments for call in calls(run(child, turn(*deltas)))] == arguments


def test_one_index_for_all(child: Child) -> None:
    """Calls of one index need not wait for a lower one."""
    result = run(
        child,
        turn(
            delta("{}", name="read_file", index=1, id="call_a"),
            delta("{}", name="list_dir", index=1, id="call_b"),
        ),
    )
    assert told(result)[:4] == [("chunk",), ("chunk",), (0, "{}"), (1, "{}")]


def test_late_id(child: Child) -> None:
    """A call that has no id yet takes the one that comes before its arguments."""
    result = run(
        child,
        turn(
            delta("", name="read_file", index=0),
            {"tool_calls": [{"index": 0, "id": "call_a"}]},
            delta('{"path":', index=0, id="call_a"),
            delta('"a"}', index=0, id="call_a"),
        ),
    )
    assert told(result) == [
        *[("chunk",), (0, "")] * 2,
        *[("chunk",), (0, '{"path":')],
        *[("chunk",), (0, '"a"}')],
        *[("chunk",), (0, "done", '{"path":"a"}')],
    ]
    deltas = [event["chunk"]["choices"][0]["delta"] for event in result.events if "chunk" in event]
    ids = [each["tool_calls"][0].get("id") for each in deltas if each.get("tool_calls")]
    assert ids == [None, "call_a", None, None]


def test_no_id(child: Child) -> None:
    """A call without an id has one from when its arguments begin, and at last when all is over."""
    result = run(
        child,
        turn(
            delta('{"path":', name="read_file"),
            delta('"a"}'),
            delta("", name="list_dir"),
        ),
    )
    first, second = (call.id for call in calls(result))
    assert first
    assert second
    assert [
        [call.get("id") for call in event["snapshot"]["choices"][0]["message"]["tool_calls"]]
        for event in result.events
        if event["type"] == "chunk"
    ] == [[first], [first], [first, None], [first, second]]


def test_no_ids_at_all(child: Child) -> None:
    """Calls whose arguments never begin have their ids when all is over, in their order."""
    result = run(child, turn(delta("", name="read_file"), delta("", name="list_dir")))
    assert told(result) == [
        *[("chunk",), (0, "")],
        *[("chunk",), (1, "")],
        *[("chunk",), (0, ""), (1, "")],
        *[(0, "done", ""), (1, "done", "")],
    ]
    *_, last = (
        event["chunk"]["choices"][0]["delta"] for event in result.events if "chunk" in event
    )
    assert [(each["index"], bool(each["id"])) for each in last["tool_calls"]] == [
        (0, True),
        (1, True),
    ]


def test_no_id_and_held(child: Child) -> None:
    """A call that comes out when all is over comes out once, and with no chunk before."""
    result = run(child, turn(delta("", name="list_dir", index=1)))
    assert told(result) == [("chunk",), ("chunk",), (0, ""), (0, "done", "")]
    held, last = (event["chunk"]["choices"][0] for event in result.events if "chunk" in event)
    assert held["delta"]["tool_calls"] is None
    assert len(last["delta"]["tool_calls"]) == 1


def test_labels_of_two_calls(child: Child) -> None:
    """Where the id leads to one open call and the index to another, the id counts."""
    result = run(
        child,
        turn(
            delta('{"path":', name="read_file", id="call_a"),
            delta('{"path":', name="list_dir", index=0),
            delta('"a"}', index=0, id="call_a"),
            delta('"b"}', index=0),
        ),
    )
    assert [(call.name, call.arguments) for call in calls(result)] == [
        ("read_file", '{"path":"a"}'),
        ("list_dir", '{"path":"b"}'),
    ]


@pytest.mark.parametrize(
    "other",
    [{}, {"index": 2}, {"type": "function", "extra_content": None}],
    ids=["id", "id and index", "type and null"],
)
def test_nothing_with_the_id_of_two_open_calls(child: Child, other: Mapping[str, Any]) -> None:
    """A fragment that says nothing begins no call under an id that calls have."""
    result = run(
        child,
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=1, id="call_a"),
            delta("", id="call_a", **other),
            delta('"a"}', index=0),
            delta('"b"}', index=1),
        ),
    )
    assert [call.arguments for call in calls(result)] == ['{"path":"a"}', '{"path":"b"}']


def test_nothing_at_another_index(child: Child) -> None:
    """A fragment that says nothing does not hold up the calls that come after it."""
    result = run(
        child,
        turn(
            delta("{}", name="read_file", index=0, id="call_a"),
            delta("", index=1),
            delta("{}", name="list_dir", index=0, id="call_b"),
        ),
    )
    assert told(result)[3:5] == [("chunk",), (1, "{}")]


def test_index_of_complete_calls_of_one_id(child: Child) -> None:
    """Where complete calls have one id, the index tells which of them a fragment is for."""
    result = run(
        child,
        turn(
            delta("{}", name="read_file", index=0, id="call_b"),
            *(delta("{}", name="list_dir", index=n, id="call_a") for n in (0, 1)),
            *(delta(f'{{"n":{n}}}', index=n, id="call_a") for n in (0, 1)),
        ),
    )
    assert [call.arguments for call in calls(result)] == ["{}", '{"n":0}', '{"n":1}']


@pytest.mark.parametrize(
    ("first", "wrong", "second"),
    [
        ({"index": 0}, {"id": "call_z"}, {"index": 1}),
        ({"id": "call_a"}, {"index": 9}, {"id": "call_b"}),
    ],
    ids=["index", "id"],
)
def test_label_against_the_newest_open_call(
    child: Child, first: Mapping[str, Any], wrong: Mapping[str, Any], second: Mapping[str, Any]
) -> None:
    """Of a wrong and a right label the right one tells the call, not that it is the newest."""
    known: dict[str, Any] = {"index": 0, "id": "call_a"}
    result = run(
        child,
        turn(
            delta("", name="read_file", **first),
            delta("", name="list_dir", **second),
            delta('{"in":', **known),
            delta('{"path":"a"}', **first, **wrong),
            delta("}", **known),
            delta("{}", **second),
        ),
    )
    assert [call.arguments for call in calls(result)] == ['{"in":{"path":"a"}}', "{}"]
