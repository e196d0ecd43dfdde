"""Streams are read and written without loss, and `matches` knows right from wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tool_call_shapes.stream import WIRE, Call, Stream, load, matches

WIRE_STREAMS = load(WIRE)


def stream(**changes: Any) -> Stream:
    """Two calls of known ids, as a turn that conforms."""
    head = {"function": {"name": "read_file", "arguments": '{"path":"a"}'}}
    given: dict[str, Any] = {
        "id": "1",
        "gateway": "",
        "source": "",
        "date": "",
        "evidence": "",
        "group": "",
        "shape": "",
        "deltas": ({"index": 0, "id": "call_a", **head}, {"index": 1, "id": "call_b", **head}),
        "finish_reason": "tool_calls",
        "calls": (
            Call(name="read_file", arguments='{"path":"a","deep":true}'),
            Call(name="take_screenshot", arguments="{}"),
        ),
        "expect_ids": ("call_a", "call_b"),
        "decidable": True,
        "why": "",
        **changes,
    }
    return Stream(**{**given, "deltas": tuple((delta,) for delta in given["deltas"])})


RIGHT = (
    Call(name="read_file", arguments='{ "deep": true, "path": "a" }', id="call_a"),
    Call(name="take_screenshot", arguments="", id="call_b"),
)


def test_the_wire_file_survives_reading_and_writing() -> None:
    """Each line of wire.jsonl comes out byte for byte as it went in."""
    written = "".join(each.to_json() + "\n" for each in WIRE_STREAMS)
    assert written == WIRE.read_text(encoding="utf-8")


def test_the_wire_file_is_whole() -> None:
    """Every sample has an id of its own, a source, and an expected id for each call."""
    assert len({each.id for each in WIRE_STREAMS}) == len(WIRE_STREAMS) > 0
    for each in WIRE_STREAMS:
        assert each.source
        assert len(each.expect_ids) == len(each.calls) > 0


def test_every_wire_sample_accepts_its_own_calls() -> None:
    """The calls a gateway meant, under the expected or any usable ids, are right."""
    for each in WIRE_STREAMS:
        ids = [
            expected[0] if isinstance(expected, tuple) else expected or f"made-up-{number}"
            for number, expected in enumerate(each.expect_ids)
        ]
        given = [replace(call, id=id) for call, id in zip(each.calls, ids, strict=True)]
        assert matches(given, each) == []


def test_arguments_are_compared_as_values() -> None:
    """Other spacing, another order of keys, and nothing for `{}` are all right."""
    assert matches(RIGHT, stream()) == []


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (RIGHT[:1], "1 calls came out, 2 were sent"),
        ((*RIGHT, replace(RIGHT[0], id="more")), "3 calls came out, 2 were sent"),
        (RIGHT[::-1], "call 1 is 'take_screenshot', not 'read_file'"),
        ((replace(RIGHT[0], name=""), RIGHT[1]), "call 1 is '', not 'read_file'"),
        ((replace(RIGHT[0], arguments=""), RIGHT[1]), "call 1 has arguments ''"),
        ((replace(RIGHT[0], arguments='{"path":"a'), RIGHT[1]), "call 1 has arguments"),
        (
            (replace(RIGHT[0], arguments='{"path":"a","deep":1}'), RIGHT[1]),
            "call 1 has arguments",
        ),
        ((RIGHT[0], replace(RIGHT[1], arguments="null")), "call 2 has arguments 'null'"),
        ((RIGHT[0], replace(RIGHT[1], id="call_c")), "call 2 has id 'call_c', not 'call_b'"),
        ((RIGHT[0], replace(RIGHT[1], id="call_a")), "call 2 has the id of an earlier one"),
        ((RIGHT[0], replace(RIGHT[1], id=" ")), "call 2 has no usable id: ' '"),
        ((RIGHT[0], replace(RIGHT[1], id=None)), "call 2 has no usable id: None"),
    ],
)
def test_what_is_wrong_is_named(given: Sequence[Call], complaint: str) -> None:
    """Each way in which calls can be wrong gives a complaint that says where."""
    assert any(each.startswith(complaint) for each in matches(given, stream()))


def test_expected_ids_can_be_loose() -> None:
    """One of several ids, or any usable one, is right where the stream says so."""
    one_of = stream(expect_ids=(("call_x", "call_a"), None))
    assert matches(RIGHT, one_of) == []
    assert matches([replace(RIGHT[0], id="call_y"), RIGHT[1]], one_of)
    any_or_one = stream(expect_ids=(("call_x", None), "call_b"))
    assert matches(RIGHT, any_or_one) == []


def test_a_line_with_other_fields_is_refused() -> None:
    """An unknown or missing field is an error, never ignored."""
    fields = json.loads(WIRE_STREAMS[0].to_json())
    with pytest.raises(TypeError):
        Stream.from_json(json.dumps({**fields, "more": 1}))
    with pytest.raises(KeyError):
        Stream.from_json("{}")
