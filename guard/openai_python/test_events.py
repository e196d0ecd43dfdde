"""What a reader of the events counts on, each by a turn made for it."""

from __future__ import annotations

import re
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
    """The chunks of a conforming turn come out as they were sent, with all their choices."""
    both = chunk(*({**CONFORMING[1]["choices"][0], "index": number} for number in (0, 1)))
    sent = [both, *CONFORMING[2:]]
    chunks = [event["chunk"] for event in run(child, sent).events if event["type"] == "chunk"]
    assert chunks == [{**each, "choices": [*each["choices"]]} for each in sent]


def test_no_calls(child: Child) -> None:
    """A turn without calls has none."""
    result = run(child, turn({"role": "assistant", "content": "No."}, finish="stop"))
    assert [each[0] for each in told(result)] == ["chunk", "content.delta", "chunk", "content.done"]


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
    """Calls whose arguments never end are done when the stream is."""
    heads = [
        delta(text, name="read_file", index=0, id="call_a", type="function") for text in ("{", "[")
    ]
    reasons = (None, "tool_calls")
    chunks = [
        chunk(
            *(
                {"index": number, "delta": {} if reason else head, "finish_reason": reason}
                for number, head in enumerate(heads)
            )
        )
        for reason in reasons
    ]
    with served(chunks) as url:
        result = run_served(child, way, url)
    assert [each for each in told(result) if "done" in each] == [(0, "done", "{"), (0, "done", "[")]


@pytest.mark.parametrize("way", ["client", "async client"])
def test_never_finished(child: Child, way: str) -> None:
    """A call is not done when the stream breaks off without a finish reason."""
    head = delta('{"path":', name="read_file", index=0, id="call_a", type="function")
    with served(turn(head, finish=None)) as url:
        result = run_served(child, way, url)
    assert told(result) == [("chunk",), (0, '{"path":')]


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


def test_index_in_words(child: Child) -> None:
    """An index that is no number says nothing."""
    result = run(
        child,
        turn(
            delta('{"path":"a"}', name="read_file", index="0", id="call_a"),
            delta('{"path":"b"}', name="list_dir", index=0, id="call_b"),
        ),
    )
    assert [call.id for call in calls(result)] == ["call_a", "call_b"]


def test_index_in_words_and_another_id(child: Child) -> None:
    """An index that is no number does not speak against a call either."""
    result = run(
        child,
        turn(
            delta('{"path":', name="read_file", index="first", id="call_a"),
            delta('"a"}', index="second", id="call_b"),
        ),
    )
    assert [call.arguments for call in calls(result)] == ['{"path":"a"}']


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


# Each with the chunk at which it must be known.
LOUD = {
    "a fragment that two open calls could take": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=0, id="call_b"),
            delta('"a"}', index=0),
        ),
        2,
    ),
    "a fragment without labels that two open calls could take": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=1, id="call_b"),
            delta('"a"}'),
        ),
        2,
    ),
    "a fragment with nothing but the labels of two open calls": (
        turn(
            delta('{"path":', name="read_file", index=0, id="call_a"),
            delta('{"path":', name="list_dir", index=1, id="call_b"),
            {"tool_calls": [{"index": 1, "id": "call_a"}]},
        ),
        3,
    ),
    "a call that never gets a name": (turn(delta('{"path":"a"}', index=0, id="call_a")), 1),
    "a call that never gets a name, and no finish reason": (
        turn(delta('{"path":"a"}', index=0, id="call_a"), finish=None),
        1,
    ),
    "calls that wait for a lower index, and no finish reason": (
        turn(delta("{}", name="list_dir", index=1, id="call_a"), finish=None),
        1,
    ),
}


@pytest.mark.parametrize(("chunks", "place"), LOUD.values(), ids=LOUD)
def test_loud(child: Child, chunks: Sequence[Chunk], place: int) -> None:
    """A call that would be lost fails the turn at once, with an error of the package's own."""
    result = run(child, chunks)
    assert re.match("OpenAIError: .", result.error or "")
    assert len([event for event in result.events if event["type"] == "chunk"]) == place


def test_first_that_is_lost(child: Child) -> None:
    """Of several calls that never get a name, the error is about the first."""
    heads = (
        delta('{"path":"a"}', index=number, id=id) for number, id in enumerate(("call_a", "call_b"))
    )
    error = run(child, turn(*heads)).error or ""
    assert "call_a" in error
    assert "call_b" not in error


@pytest.mark.parametrize("way", ["client", "async client"])
def test_loud_at_the_end(child: Child, way: str) -> None:
    """So it does for one who only reads the events, when the stream ends."""
    chunks, _ = LOUD["calls that wait for a lower index, and no finish reason"]
    with served(chunks) as url:
        error = run_served(child, way, url).error
    assert re.match("OpenAIError: .", error or "")
