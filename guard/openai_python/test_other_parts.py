"""What else a turn carries: strict tools, further choices, custom tools, other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from json_lines import Child
from openai_python.chunks import chunk
from openai_python.properties import DONE, kinds, lifecycle
from openai_python.short import delta, run, turn
from openai_python.turn import Turn

STRICT = {
    "type": "function",
    "function": {"name": "read_file", "strict": True, "parameters": {"type": "object"}},
}


def test_strict_tool(child: Child) -> None:
    """The arguments of a tool that the state knows of are parsed, call by call."""
    result = run(
        child,
        turn(
            delta('{"path":"a"}', id="call_a", name="read_file", index=0),
            delta('{"path":"b"}', id="call_b", name="read_file", index=0),
        ),
        [STRICT],
    )
    parsed = [call["function"]["parsed_arguments"] for call in result.messages[0]["tool_calls"]]
    assert parsed == [{"path": "a"}, {"path": "b"}]
    assert [event["parsed_arguments"] for event in result.events if event["type"] == DONE] == parsed


def test_two_choices(child: Child) -> None:
    """The calls of each choice are told by themselves."""
    whole = delta('{"path":"a"}', name="read_file", index=0, id="call_a")
    other = delta('{"path":"b"}', name="list_dir", index=0, id="call_b")
    result = run(
        child,
        [
            chunk(
                *({"index": n, "delta": each, "finish_reason": None} for n, each in enumerate(pair))
            )
            for pair in ((whole, other), (other, whole))
        ]
        + [chunk(*({"index": n, "delta": {}, "finish_reason": "tool_calls"} for n in (0, 1)))],
    )
    assert result.error is None
    assert [[call["id"] for call in each["tool_calls"]] for each in result.messages] == [
        ["call_a", "call_b"],
        ["call_b", "call_a"],
    ]


def custom(text: str, **labels: Any) -> Mapping[str, Any]:
    """A delta with a fragment of a call of a custom tool; with its name where there is an id."""
    name = {"name": "sql"} if labels.get("id") else {}
    return {"tool_calls": [{**labels, "custom": {**name, "input": text}}]}


def custom_calls(result: Turn) -> list[dict[str, Any]]:
    """The calls in the last snapshot: the package's own final message has none of custom tools."""
    *_, last = (event for event in result.events if event["type"] == "chunk")
    calls: list[dict[str, Any]] = last["snapshot"]["choices"][0]["message"]["tool_calls"]
    return calls


def test_custom_tools(child: Child) -> None:
    """Calls of custom tools, whose text is no JSON, come through as they were sent."""
    result = run(
        child,
        turn(
            custom("", index=0, id="call_a", type="custom"),
            custom("{} sel", index=0),
            custom("{ect}", index=0),
            custom("select", index=1, id="call_b", type="custom"),
        ),
    )
    assert [
        (call["index"], call["id"], call["type"], call["custom"]) for call in custom_calls(result)
    ] == [
        (0, "call_a", "custom", {"name": "sql", "input": "{} sel{ect}"}),
        (1, "call_b", "custom", {"name": "sql", "input": "select"}),
    ]
    assert {event["type"] for event in result.events} == {"chunk"}


def test_custom_tool_that_repeats_itself(child: Child) -> None:
    """The text of a custom tool may say the same line twice: only JSON is known by its end."""
    line = '{"path":"a"}\n'
    head = custom(line, index=0, id="call_a", type="custom")
    result = run(child, turn(head, custom(line, index=0)))
    assert [call["custom"]["input"] for call in custom_calls(result)] == [line + line]


def test_custom_tools_without_index(child: Child) -> None:
    """A name begins a call of a custom tool whatever its text: the call before has no end."""
    result = run(child, turn(custom("select 1", id="call_a"), custom("select 2", id="call_b")))
    assert [(call["id"], call["custom"]["input"]) for call in custom_calls(result)] == [
        ("call_a", "select 1"),
        ("call_b", "select 2"),
    ]


def test_custom_tool_without_input(child: Child) -> None:
    """The call of a custom tool that no text has come for does not take that of the next one."""
    heads = [
        {"index": n, "id": id, "type": "custom", "custom": {"name": "sql", "input": ""}}
        for n, id in enumerate(("call_a", "call_b"))
    ]
    text = {"custom": {"input": "select"}}
    result = run(child, turn(*({"tool_calls": [each]} for each in (*heads, text))))
    *_, last = (event for event in result.events if event["type"] == "chunk")
    given = last["snapshot"]["choices"][0]["message"]["tool_calls"]
    assert [call["custom"]["input"] for call in given] == ["", "select"]


def test_what_else_a_delta_carries(child: Child) -> None:
    """A signature that comes by itself, without labels, goes with its call."""
    signature = {"extra_content": {"signature": "SIG"}}
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", id="call_a", type="function"), {"tool_calls": [signature]}
        ),
    )
    assert kinds(result) == lifecycle(result) == []
    assert result.messages[0]["tool_calls"][0]["extra_content"] == {"signature": "SIG"}


SIGNATURE = {"extra_content": {"signature": "SIG"}}


@pytest.mark.parametrize("label", [{"index": 1}, {}], ids=["index", "none"])
@pytest.mark.parametrize("finish", ["tool_calls", None])
def test_signature_before_its_call(
    child: Child, label: Mapping[str, Any], finish: str | None
) -> None:
    """A signature that comes before its call goes with that, where its index says so."""
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", index=0, id="call_a", type="function"),
            {"tool_calls": [{**label, **SIGNATURE}]},
            delta("{}", name="read_file", index=1, id="call_b", type="function"),
            finish=finish,
        ),
    )
    assert result.error is None
    signed = [call["id"] for call in result.messages[0]["tool_calls"] if "extra_content" in call]
    assert signed == ["call_b" if label else "call_a"]


@pytest.mark.parametrize("finish", ["tool_calls", None])
def test_signature_of_no_call(child: Child, finish: str | None) -> None:
    """A signature without an id, at an index that no call has, is no call."""
    result = run(
        child,
        turn(
            delta("{}", name="list_dir", index=0, id="call_a", type="function"),
            {"tool_calls": [{"index": 1, **SIGNATURE}]},
            finish=finish,
        ),
    )
    assert result.error is None
    [call] = result.messages[0]["tool_calls"]
    assert "extra_content" not in call
