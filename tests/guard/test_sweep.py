"""The sweep is the same everywhere, covers every label, and holds nothing but what it says."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tool_call_shapes import sweep
from tool_call_shapes.calls import BARE_TOOL, Plan, cut
from tool_call_shapes.labels import Id, Index, Labelling, Name, Order, all_labellings, label
from tool_call_shapes.strategies import streams
from tool_call_shapes.stream import Call, ExpectedId, Stream, matches

FIXED = sweep.fixed()
PLAN = Plan(
    calls=(Call(name="f", arguments='{"a":1}'), Call(name="g", arguments="{}")),
    pieces=(("", '{"a"', ":1}"), ("{}",)),
)


def wire(labelling: Labelling) -> str:
    """The plan's deltas as `call: index id name`; "-" is not there, null and blanks are quoted."""
    return ", ".join(
        f"{each.call}: {shown(each.delta, 'index')} {shown(each.delta, 'id')} "
        f"{shown(each.delta['function'], 'name')}"
        for each in label(PLAN, labelling)
    )


def shown(fields: Mapping[str, Any], key: str) -> str:
    """One label as text."""
    value = fields.get(key, "-")
    return "null" if value is None else str(value) if str(value).strip() else f"'{value}'"


CONFORMING = Labelling(index=Index.UNIQUE, id=Id.ON_HEADS, name=Name.ONCE, order=Order.SEQUENCE)


def test_the_fixed_set_never_changes_by_itself() -> None:
    """The same streams, to the byte, on every machine and every Python."""
    digest = hashlib.sha256()
    for each in FIXED:
        digest.update(each.to_json().encode() + b"\n")
    assert digest.hexdigest() == "d95133d91be0d55b5c57e70106f4136a8f6a09b0767a1ac351a82ab1babcf8c0"


def test_the_fixed_set_is_large_and_without_doubles() -> None:
    """At least 4,000 streams, no two of the same bytes or id, in 40 to 90 groups."""
    assert len(FIXED) >= 4000
    assert len({repr(each.deltas) for each in FIXED}) == len(FIXED)
    assert len({each.id for each in FIXED}) == len(FIXED)
    assert 40 <= len({each.group for each in FIXED}) <= 90


@pytest.mark.parametrize("kind", [Index, Id, Name, Order])
def test_every_label_is_in_the_fixed_set(kind: type[Enum]) -> None:
    """Each value of each label is on at least 100 streams."""
    prefix = {Index: "index ", Id: "id ", Name: "name ", Order: ""}[kind]
    for each in kind:
        shown = sum(f", {prefix}{each.value}," in f"{stream.shape}," for stream in FIXED)
        assert shown >= 100, each


def test_every_kind_of_call_is_in_the_fixed_set() -> None:
    """One to four calls, equal and different names, empty, nested and escaped arguments."""
    calls = [call for stream in FIXED for call in stream.calls]
    assert {len(stream.calls) for stream in FIXED} == {1, 2, 3, 4}
    repeats = {len({call.name for call in each.calls}) < len(each.calls) for each in FIXED}
    assert repeats == {True, False}
    for part in ("{}", '{"where":{"any":[{', '\\"', "\\\\", "}", "\\ud83d\\ude00", "日本語"):
        assert any(part in call.arguments for call in calls)
    assert {call.name for call in calls if call.arguments == ""} == {BARE_TOOL}


def test_cuts_fall_inside_strings_and_escapes() -> None:
    """Some pieces end in the middle of a string, after a backslash, and inside an escape."""
    texts = [delta["function"]["arguments"] for each in FIXED for (delta,) in each.deltas]
    for end in (r'"path":"[a-z]', r"\\", r"\\u[0-9a-f]{1,3}"):
        assert any(re.search(end + "$", text) for text in texts)


def test_a_seed_makes_more() -> None:
    """The seed alone decides, and another one gives other streams."""
    once, again, other = sweep.more(1, 50), sweep.more(1, 50), sweep.more(2, 50)
    assert once == again
    assert len(once) == 50
    assert once != other


def test_streams_survive_the_wire_form() -> None:
    """A sweep stream is written and read like a wire sample."""
    for each in FIXED[::97]:
        assert Stream.from_json(each.to_json()) == each


def test_the_pieces_join_up_to_the_arguments() -> None:
    """Under every labelling the truth's texts, joined by call, are the calls' arguments."""
    for labelling in all_labellings():
        texts: dict[int, str] = defaultdict(str)
        for each in label(PLAN, labelling):
            texts[each.call] += each.delta["function"]["arguments"]
        assert dict(texts) == {0: '{"a":1}', 1: "{}"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "0: 0 call_a f, 0: 0 - -, 0: 0 - -, 1: 1 call_b g"),
        ({"index": Index.REVERSED}, "1: 1 call_b g, 0: 0 call_a f, 0: 0 - -, 0: 0 - -"),
        (
            {"index": Index.ALL_ZERO, "id": Id.SAME_ON_HEADS},
            "0: 0 call_x f, 0: 0 - -, 0: 0 - -, 1: 0 call_x g",
        ),
        (
            {"index": Index.FROM_ONE, "id": Id.LATE},
            "0: 1 - f, 0: 1 call_a -, 0: 1 call_a -, 1: 2 - g",
        ),
        (
            {"index": Index.GAPS, "id": Id.FRESH},
            "0: 0 call_a0 f, 0: 0 call_a1 -, 0: 0 call_a2 -, 1: 3 call_b0 g",
        ),
        (
            {"index": Index.FIRST_ONLY, "id": Id.BLANK},
            "0: 0 '' f, 0: - ' ' -, 0: - '' -, 1: 1 '' g",
        ),
        (
            {"index": Index.LATER_ONLY, "id": Id.NULL},
            "0: - null f, 0: 0 null -, 0: 0 null -, 1: - null g",
        ),
        (
            {"index": Index.NULL, "id": Id.ON_ALL},
            "0: null call_a f, 0: null call_a -, 0: null call_a -, 1: null call_b g",
        ),
        ({"index": Index.ABSENT, "id": Id.ABSENT}, "0: - - f, 0: - - -, 0: - - -, 1: - - g"),
        (
            {"id": Id.SAME_ON_ALL, "name": Name.ALWAYS},
            "0: 0 call_x f, 0: 0 call_x f, 0: 0 call_x f, 1: 1 call_x g",
        ),
        (
            {"name": Name.BLANK_LATER, "order": Order.ROUND_ROBIN},
            "0: 0 call_a f, 1: 1 call_b g, 0: 0 - '', 0: 0 - ''",
        ),
        (
            {"name": Name.LATE, "order": Order.HEADS_FIRST},
            "0: 0 call_a -, 1: 1 call_b g, 0: 0 - f, 0: 0 - -",
        ),
    ],
)
def test_what_each_label_puts_on_the_wire(changes: dict[str, Enum], expected: str) -> None:
    """A labelling says exactly what each delta carries and when it comes."""
    labels = {name: getattr(CONFORMING, name) for name in ("index", "id", "name", "order")}
    assert wire(Labelling(**{**labels, **changes})) == expected


@pytest.mark.parametrize(
    ("id", "name", "expected"),
    [
        (Id.ON_HEADS, Name.ONCE, ("call_a", "call_b")),
        (Id.SAME_ON_ALL, Name.ONCE, ("call_x", None)),
        (Id.LATE, Name.ONCE, (None, None)),
        (Id.BLANK, Name.ONCE, (None, None)),
        (Id.FRESH, Name.ONCE, ("call_a0", "call_b0")),
        (Id.FRESH, Name.LATE, (("call_a0", "call_a1"), "call_b0")),
        (Id.LATE, Name.LATE, ("call_a", None)),
    ],
)
def test_which_ids_must_come_out(id: Id, name: Name, expected: tuple[ExpectedId, ...]) -> None:
    """The id a call showed by the time it had its name, unless an earlier call goes by it."""
    labelling = Labelling(index=Index.UNIQUE, id=id, name=name, order=Order.SEQUENCE)
    assert sweep.expected_ids(tuple(label(PLAN, labelling)), 2) == expected


@pytest.mark.parametrize(
    ("text", "places", "empty_head", "pieces"),
    [
        ("abcdef", (0.5,), False, ("abc", "def")),
        ("abcdef", (0.9, 0.2), True, ("", "a", "bcde", "f")),
        ("ab", (0.01, 0.99), False, ("ab",)),
        ("", (0.5,), True, ("",)),
        ("", (), False, ("",)),
    ],
)
def test_cut(text: str, places: Sequence[float], empty_head: bool, pieces: tuple[str, ...]) -> None:
    """Cuts fall at fractions of the text and make no empty piece behind the head."""
    assert cut(text, places, empty_head=empty_head) == pieces


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(streams())
def test_the_strategy_gives_streams_of_the_same_kind(stream: Stream) -> None:
    """What Hypothesis draws is decidable, and its own calls are right for it."""
    assert stream.decidable
    ids = [each or f"made-up-{number}" for number, each in enumerate(stream.expect_ids)]
    given_out = [
        Call(name=call.name, arguments=call.arguments, id=id[0] if isinstance(id, tuple) else id)
        for call, id in zip(stream.calls, ids, strict=True)
    ]
    assert matches(given_out, stream) == []
