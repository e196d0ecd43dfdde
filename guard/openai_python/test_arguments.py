"""Arguments with space around them, encoded, alike, or put in the place of others."""

from __future__ import annotations

import pytest

from json_lines import Child
from openai_python.properties import calls, lifecycle
from openai_python.short import delta, run, told, turn


@pytest.mark.parametrize("space", ["", " ", "\n"], ids=["none", "a space", "a line end"])
def test_space_before_arguments(child: Child, space: str) -> None:
    """Space before the arguments does not make them others."""
    result = run(
        child,
        turn(
            delta(space + '{"path":"a"}', name="read_file", index=0),
            delta(space + '{"path":"b"}', name="read_file", index=0),
        ),
    )
    assert [call.arguments.strip() for call in calls(result)] == ['{"path":"a"}', '{"path":"b"}']


@pytest.mark.parametrize("space", ["", " "], ids=["none", "a space"])
def test_space_before_arguments_beside_an_open_call(child: Child, space: str) -> None:
    """Nor does it make a second call of the same name a part of the first."""
    result = run(
        child,
        turn(
            delta(space + '{"path":', name="read_file", index=0),
            delta(space + '{"path":', name="read_file", index=1),
            delta('"a"}', index=0),
            delta('"b"}', index=1),
        ),
    )
    assert [call.arguments.strip() for call in calls(result)] == ['{"path":"a"}', '{"path":"b"}']


def test_space_behind_arguments(child: Child) -> None:
    """Space that is sent behind the arguments is passed on, as to a reader of the chunks."""
    head = delta('{"path":"a"}', name="read_file", index=0, id="call_a", type="function")
    result = run(child, turn(head, delta("\n", index=0)))
    assert told(result)[2:] == [
        *[("chunk",), (0, "\n")],
        *[("chunk",), (0, "done", '{"path":"a"}\n')],
    ]


@pytest.mark.parametrize("space", ["", " "], ids=["none", "a space"])
def test_encoded_arguments(child: Child, space: str) -> None:
    """Arguments in a string come out of it as soon as it ends, and once."""
    head = delta(space + '"{\\"path\\":', name="read_file", index=0, id="call_a")
    result = run(child, turn(head, delta('\\"a\\"}"', index=0), delta("", index=0)))
    assert told(result) == [
        ("chunk",),
        *[("chunk",), (0, '{"path":"a"}'), (0, "")],
        *[("chunk",), (0, "")],
        *[("chunk",), (0, "done", '{"path":"a"}')],
    ]


def test_what_is_for_an_earlier_call(child: Child) -> None:
    """A signature with the id of one call and the index of another goes with the id."""
    signature = {"index": 1, "id": "call_a", "extra_content": {"signature": "SIG"}}
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", index=0, id="call_a"),
            delta("{}", name="list_dir", index=1, id="call_b"),
            {"tool_calls": [signature]},
        ),
    )
    assert ["extra_content" in call for call in result.messages[0]["tool_calls"]] == [True, False]


@pytest.mark.parametrize("space", ["", " "], ids=["no space", "a space"])
def test_arguments_that_begin_alike(child: Child, space: str) -> None:
    """An object inside may begin as the arguments do; it is not the arguments sent again."""
    start = f'{{"path":{space}'
    head = delta(start, name="read_file", index=0, id="call_a", type="function")
    result = run(child, turn(head, delta(f"{start}1}}}}", index=0)))
    assert [call.arguments for call in calls(result)] == [f"{start}{start}1}}}}"]


def test_placeholder(child: Child) -> None:
    """A `{}` before the fragments is not among the arguments."""
    result = run(
        child,
        turn(
            delta("{}", name="read_file", index=0, id="call_a", type="function"),
            delta('{"path":', index=0),
            delta('"a"}', index=0),
        ),
    )
    assert [call.arguments for call in calls(result)] == ['{"path":"a"}']
    assert [each for each in told(result) if "done" in each] == [(0, "done", '{"path":"a"}')]


def test_placeholder_and_a_pause(child: Child) -> None:
    """A delta without text after the `{}` does not make it the arguments."""
    head = delta("{}", name="read_file", index=0, id="call_a", type="function")
    result = run(child, turn(head, delta("", index=0), delta('{"path":"a"}', index=0)))
    assert [call.arguments for call in calls(result)] == ['{"path":"a"}']


def test_placeholder_of_a_call_that_waits(child: Child) -> None:
    """While the call waits for its name, not even an event has the `{}`."""
    result = run(
        child,
        turn(
            delta("{}", index=0, id="call_a"),
            delta('{"path":', index=0),
            delta('"a"}', name="read_file", index=0),
        ),
    )
    assert lifecycle(result) == []
    assert [call.arguments for call in calls(result)] == ['{"path":"a"}']


def test_arguments_nested_too_deep_to_be_read(child: Child) -> None:
    """Arguments that Python cannot read for their depth are the same when they are sent again."""
    deep = '{"in":' * 3000 + "{}" + "}" * 3000
    result = run(
        child,
        turn(
            delta(deep, name="fold", index=0, id="call_a"),
            delta(deep, name="fold", index=0, id="call_a"),
        ),
    )
    assert [call.arguments for call in calls(result)] == [deep]


def test_other_object_where_the_end_is_missing(child: Child) -> None:
    """An object that is not all arguments so far is passed on as it was sent."""
    start, other = '{"path":"a"', '{"path": "b"}'
    head = delta(start, name="read_file", index=0, id="call_a")
    result = run(child, turn(head, delta(other, index=0)))
    [call] = result.messages[0]["tool_calls"]
    assert call["function"]["arguments"] == start + other
