"""What a reader of the events counts on, each by a turn made for it."""

from __future__ import annotations

import pytest

from json_lines import Child
from openai_python.chunks import chunk, served
from openai_python.properties import DONE
from openai_python.short import delta, run, told, turn
from openai_python.turn import run_served

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
