"""What a reader of the events counts on, each by a turn made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from json_lines import Child
from openai_python.chunks import Chunk, chunk, served
from openai_python.properties import DELTA, DONE, calls, kinds, lifecycle
from openai_python.turn import Turn, run_chunks, run_served

STRICT = {
    "type": "function",
    "function": {"name": "read_file", "strict": True, "parameters": {"type": "object"}},
}


def delta(
    text: str | None = None, *, name: str | None = None, **labels: object
) -> Mapping[str, Any]:
    """A delta with one fragment of one call."""
    told = {"name": name, "arguments": text}
    function = {key: value for key, value in told.items() if value is not None}
    return {"tool_calls": [labels | {"function": function}]}


def turn(*deltas: Mapping[str, Any], finish: str | None = "tool_calls") -> list[Chunk]:
    """The chunks of one choice, with the finish reason by itself at the end."""
    choices: list[Mapping[str, Any]] = [
        {"index": 0, "delta": each, "finish_reason": None} for each in deltas
    ]
    if finish is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    return [chunk(choice) for choice in choices]


def run(child: Child, turn: Sequence[Chunk], tools: Sequence[Mapping[str, Any]] = ()) -> Turn:
    """What comes of one turn."""
    [result] = run_chunks(child, [turn], tools)
    return result


def told(result: Turn) -> list[tuple[Any, ...]]:
    """The events in short: the text a delta brings, the arguments of a call that is done."""
    assert result.error is None
    return [
        ("chunk",) if event["type"] == "chunk"
        else (event["index"], event["arguments_delta"]) if event["type"] == DELTA
        else (event["index"], "done", event["arguments"]) if event["type"] == DONE
        else (event["type"],)
        for event in result.events
    ]  # fmt: skip


CONFORMING = turn(
    {"role": "assistant", "content": "I look."},
    delta("", name="read_file", index=0, id="call_a", type="function"),
    delta('{"path":', index=0),
    delta('"a"}', index=0),
    delta("", name="read_file", index=1, id="call_b", type="function"),
    delta("{}", index=1),
)


def test_conforming(child: Child) -> None:
    """What OpenAI sends comes out with the chunk that brings it, and done with the next call."""
    assert told(run(child, CONFORMING)) == [
        *[("chunk",), ("content.delta",)],
        *[("chunk",), (0, ""), ("content.done",)],
        *[("chunk",), (0, '{"path":')],
        *[("chunk",), (0, '"a"}')],
        *[("chunk",), (1, ""), (0, "done", '{"path":"a"}')],
        *[("chunk",), (1, "{}")],
        *[("chunk",), (1, "done", "{}")],
    ]


def test_conforming_chunks(child: Child) -> None:
    """The chunks of a conforming turn come out as they were sent."""
    chunks = [event["chunk"] for event in run(child, CONFORMING).events if event["type"] == "chunk"]
    assert chunks == [{**each, "choices": [*each["choices"]]} for each in CONFORMING]


def test_calls_that_alternate(child: Child) -> None:
    """A call is done when its arguments are complete, not when another one has its turn."""
    result = run(
        child,
        turn(
            delta("", name="read_file", index=0, id="call_a", type="function"),
            delta("", name="list_dir", index=1, id="call_b", type="function"),
            delta('{"path":', index=0),
            delta('{"path":"b"}', index=1),
            delta('"a"}', index=0),
        ),
    )
    assert [each for each in told(result) if "done" in each] == [
        (1, "done", '{"path":"b"}'),
        (0, "done", '{"path":"a"}'),
    ]


def test_whole_call_with_the_finish_reason(child: Child) -> None:
    """A call that comes with the finish reason is done, too."""
    first = delta("{}", name="list_dir", index=0, id="call_a", type="function")
    last = delta('{"path":"b"}', name="read_file", index=1, id="call_b", type="function")
    finish = {"index": 0, "delta": last, "finish_reason": "tool_calls"}
    result = run(child, [*turn(first, finish=None), chunk(finish)])
    assert [each for each in told(result) if "done" in each] == [
        (0, "done", "{}"),
        (1, "done", '{"path":"b"}'),
    ]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_cut_off(child: Child, reason: str) -> None:
    """A call that was cut off is done when the finish reason says so."""
    head = delta('{"path":', name="read_file", index=0, id="call_a", type="function")
    result = run(child, turn(head, finish=reason))
    assert [event["arguments"] for event in result.events if event["type"] == DONE] == ['{"path":']


@pytest.mark.parametrize("way", ["client", "async client"])
def test_never_complete(child: Child, way: str) -> None:
    """A call whose arguments never end is done when the stream is."""
    head = delta('{"path":', name="read_file", index=0, id="call_a", type="function")
    with served(turn(head, {"content": "more"})) as url:
        result = run_served(child, way, url)
    assert [each for each in told(result) if "done" in each] == [(0, "done", '{"path":')]


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


def test_custom_tools(child: Child) -> None:
    """Calls of custom tools, whose text is no JSON, come through as they were sent."""

    def custom(text: str, **labels: Any) -> Mapping[str, Any]:
        name = {"name": "sql"} if labels.get("id") else {}
        return {"tool_calls": [{**labels, "custom": {**name, "input": text}}]}

    result = run(
        child,
        turn(
            custom("", index=0, id="call_a", type="custom"),
            custom("{} sel", index=0),
            custom("ect", index=0),
            custom("select", index=1, id="call_b", type="custom"),
        ),
    )
    *_, last = (event for event in result.events if event["type"] == "chunk")
    assert [
        (call["index"], call["id"], call["type"], call["custom"])
        for call in last["snapshot"]["choices"][0]["message"]["tool_calls"]
    ] == [
        (0, "call_a", "custom", {"name": "sql", "input": "{} select"}),
        (1, "call_b", "custom", {"name": "sql", "input": "select"}),
    ]
    assert {event["type"] for event in result.events} == {"chunk"}


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


def test_arguments_that_begin_alike(child: Child) -> None:
    """An object inside may begin as the arguments do; it is not the arguments sent again."""
    result = run(
        child,
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a", type="function"),
            delta('{"path":1}}', index=0),
        ),
    )
    assert [call.arguments for call in calls(result)] == ['{"path":{"path":1}}']


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


LOUD = {
    "a fragment that two open calls could take": turn(
        delta('{"path":', name="read_file", index=0, id="call_a"),
        delta('{"path":', name="list_dir", index=0, id="call_b"),
        delta('"a"}', index=0),
    ),
    "a call that never gets a name": turn(delta('{"path":"a"}', index=0, id="call_a")),
    "a call that never gets a name, and no finish reason": turn(
        delta('{"path":"a"}', index=0, id="call_a"), finish=None
    ),
    "calls that wait for a lower index, and no finish reason": turn(
        delta("{}", name="list_dir", index=1, id="call_a"), finish=None
    ),
}


@pytest.mark.parametrize("chunks", LOUD.values(), ids=LOUD)
def test_loud(child: Child, chunks: Sequence[Chunk]) -> None:
    """A call that would be lost fails the turn, with an error that is the package's own."""
    error = run(child, chunks).error
    assert error is not None
    assert error.startswith("OpenAIError: ")


@pytest.mark.parametrize("way", ["client", "async client"])
def test_loud_at_the_end(child: Child, way: str) -> None:
    """So it does for one who only reads the events, when the stream ends."""
    with served(LOUD["calls that wait for a lower index, and no finish reason"]) as url:
        error = run_served(child, way, url).error
    assert error is not None
    assert error.startswith("OpenAIError: ")
