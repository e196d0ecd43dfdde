"""The definition of a recoverable turn, by examples both ways and by brute force."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from tool_call_shapes import sweep
from tool_call_shapes.labels import Labelled, all_labellings, can_show, label
from tool_call_shapes.recoverable import Obstacle, obstacle
from tool_call_shapes.stream import Delta

WHOLE = '{"path":"a"}'
OTHER = '{"path":"b"}'
NOTHING = object()
Truth = tuple[int, ...]  # which call each delta belongs to
_: None = None  # what a delta does not carry


def turn(*deltas: tuple[int, int | None, str | None, str | None, str]) -> list[Labelled]:
    """Deltas as (true call, index, id, name, text)."""
    return [
        Labelled(
            call=call,
            delta={
                "index": index,
                "id": id,
                "function": {"name": name, "arguments": text},
            },
        )
        for call, index, id, name, text in deltas
    ]


RECOVERABLE = {
    "what OpenAI sends": turn(
        (0, 0, "a", "f", ""), (0, 0, _, _, WHOLE), (1, 1, "b", "f", ""), (1, 1, _, _, OTHER)
    ),
    "index alone, interleaved": turn(
        (0, 0, _, "f", ""), (1, 1, _, "f", ""), (0, 0, _, _, WHOLE), (1, 1, _, _, OTHER)
    ),
    "id alone, interleaved": turn(
        (0, 0, "a", "f", ""), (1, 0, "b", "f", ""), (0, 0, "a", _, WHOLE), (1, 0, "b", _, OTHER)
    ),
    "one index, a finished call before": turn((0, 0, _, "f", WHOLE), (1, 0, _, "f", OTHER)),
    "one index, a call without arguments before": turn(
        (0, 0, "a", "f", ""), (1, 0, "b", "g", ""), (1, 0, _, _, WHOLE)
    ),
    "no labels, bare fragments follow the open call": turn(
        (0, _, "", "f", '{"path":'), (0, _, "", "", '"a"}'), (1, _, "", "g", OTHER)
    ),
    "the same name again on an open call": turn((0, 0, _, "f", '{"path":'), (0, 0, _, "f", '"a"}')),
    "the same id at a new index, with a name": turn(
        (0, 0, "x", "f", ""), (0, 0, _, _, WHOLE), (1, 1, "x", "f", ""), (1, 1, _, _, OTHER)
    ),
    "the same labels, a finished call, and a name": turn(
        (0, 0, "x", "f", WHOLE), (1, 0, "x", "f", '{"pa'), (1, 0, "x", _, 'th":"b"}')
    ),
    "the same index, another name": turn((0, 0, _, "f", ""), (1, 0, _, "g", "")),
    "a fresh id on each fragment": turn(
        (0, 0, "a", "f", ""), (0, 0, "b", _, '{"path":'), (0, 0, "c", _, '"a"}')
    ),
    "an index one too high on the last fragment": turn(
        (0, 0, "a", "f", '{"path":'), (0, 1, _, _, '"a"}')
    ),
    "the open call at a reused index, not the finished one": turn(
        (0, 0, _, "f", '{"path":'), (1, 0, _, "g", OTHER), (0, 0, _, _, '"a"}')
    ),
    "text that could not replace a `{}`, for the only open call": turn(
        (0, _, _, "f", '{"path":'), (1, _, _, "g", "{}"), (0, _, _, _, '"a"}')
    ),
    "the only open call, after one with `{}`": turn(
        (0, _, _, "f", "{}"), (1, _, _, "g", ""), (1, _, _, _, WHOLE)
    ),
    "a name alone, with text that opens nothing": turn(
        (0, _, "a", "f", '{"path":'), (1, _, "b", "g", '{"path":'), (0, _, _, "f", '"a"}')
    ),
    "a late index": turn(
        (0, _, "a", "f", ""), (0, 0, _, _, WHOLE), (1, _, "b", "f", ""), (1, 1, _, _, OTHER)
    ),
    "a late name": turn(
        (0, 0, "a", _, WHOLE), (0, 0, _, "f", ""), (1, 1, "b", _, ""), (1, 1, _, "g", OTHER)
    ),
    "an empty delta at known labels": turn((0, 0, "a", "f", WHOLE), (0, 0, _, _, "")),
    "the same whole call again": turn((0, 0, "a", "f", WHOLE), (0, 0, "a", "f", WHOLE)),
}

UNRECOVERABLE = {
    "heads at one index, then fragments that name only it": (
        Obstacle.ANOTHER,
        turn((0, 0, "a", "f", ""), (1, 0, "b", "g", ""), (0, 0, _, _, WHOLE)),
    ),
    "bare fragments of two open calls": (
        Obstacle.SEVERAL,
        turn((0, _, "a", "f", ""), (1, _, "b", "g", ""), (1, _, _, _, WHOLE)),
    ),
    "index and id that point to two open calls": (
        Obstacle.SEVERAL,
        turn((0, 0, "a", "f", ""), (1, 1, "b", "g", ""), (1, 1, "a", _, WHOLE)),
    ),
    "the newest call, but not the one that used the index last": (
        Obstacle.SEVERAL,
        turn(
            (0, 0, "a", "f", ""),
            (1, 0, "b", "g", ""),
            (0, 0, "a", _, '{"path":'),
            (0, 0, _, _, '"a"}'),
        ),
    ),
    "an open call, or a later one whose `{}` may be a placeholder": (
        Obstacle.SEVERAL,
        turn((0, _, _, "f", ""), (1, _, _, "g", "{}"), (0, _, _, _, WHOLE)),
    ),
    "an equal call under the same labels": (
        Obstacle.ANOTHER,
        turn((0, 0, "x", "f", WHOLE), (1, 0, "x", "f", WHOLE)),
    ),
    "an equal call at the same index without an id": (
        Obstacle.SEVERAL,
        turn((0, 0, _, "f", WHOLE), (1, 0, _, "f", WHOLE)),
    ),
    "a second call of a tool while the first may get arguments": (
        Obstacle.ANOTHER,
        turn((0, 0, _, "f", ""), (1, 0, _, "f", "")),
    ),
    "a new head, or an echo of a finished call": (
        Obstacle.SEVERAL,
        turn((0, 0, _, "f", WHOLE), (1, 0, _, "f", ""), (1, 0, _, _, OTHER)),
    ),
    "arguments after a `{}` that may be a placeholder": (
        Obstacle.SEVERAL,
        turn((0, 0, _, "f", "{}"), (1, 0, _, "f", OTHER)),
    ),
    "without labels, a name again or a second call": (
        Obstacle.SEVERAL,
        turn((0, _, _, "f", ""), (1, _, _, "f", OTHER)),
    ),
    "a name alone, with text that could open a call": (
        Obstacle.SEVERAL,
        turn((0, _, "a", "f", ""), (1, 0, _, "g", OTHER), (0, 1, _, "f", WHOLE)),
    ),
    "a name alone, and two open calls of that name": (
        Obstacle.SEVERAL,
        turn(
            (0, _, "a", "f", '{"path":'),
            (1, _, "b", "f", '{"path":'),
            (0, _, _, "f", '"a"}'),
        ),
    ),
    "a whole call without a name, then a named one at its index": (
        Obstacle.SEVERAL,
        turn((0, 0, "a", _, WHOLE), (1, 0, _, "f", OTHER)),
    ),
    "an empty delta at new labels while a call is open": (
        Obstacle.NONE,
        turn((0, 0, "a", "f", ""), (0, 1, "b", _, "")),
    ),
    "an open call of the name, behind a newer one of another": (
        Obstacle.SEVERAL,
        turn((0, 0, _, "f", ""), (1, 0, _, "g", WHOLE), (0, 0, _, "f", OTHER)),
    ),
    "a nameless delta that contradicts the only open call twice": (
        Obstacle.NONE,
        turn((0, 0, "a", "f", ""), (1, 1, "b", _, OTHER), (1, 1, "b", "g", "")),
    ),
    "a second call whose head never came": (
        Obstacle.NONE,
        turn((0, 0, "a", "f", WHOLE), (1, 0, _, _, OTHER)),
    ),
    "a name cut in two": (
        Obstacle.ANOTHER,
        turn((0, 0, "a", "read_", ""), (0, 0, _, "file", WHOLE)),
    ),
}


@pytest.mark.parametrize("example", RECOVERABLE)
def test_what_the_bytes_tell_is_recoverable(example: str) -> None:
    """Each delta of these turns has one reading, the true one."""
    assert obstacle(RECOVERABLE[example]) is None


@pytest.mark.parametrize("example", UNRECOVERABLE)
def test_what_the_bytes_do_not_tell_is_not(example: str) -> None:
    """A turn goes as soon as a delta has several readings, another one, or none."""
    expected, labelled = UNRECOVERABLE[example]
    assert obstacle(labelled) is expected


@pytest.mark.parametrize("blank", [None, "", " \t", NOTHING])
def test_blank_is_absent(blank: object) -> None:
    """A blank id or name is no label: it neither matches nor contradicts."""
    absent = {} if blank is NOTHING else {"id": blank}
    name = {} if blank is NOTHING else {"name": blank}
    deltas = (
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"path":'}},
        {"index": 0, **absent, "function": {**name, "arguments": '"a"}'}},
    )
    assert obstacle([Labelled(call=0, delta=delta) for delta in deltas]) is None


def test_the_number_a_call_has_does_not_matter() -> None:
    """The truth is who belongs together, not what the calls are called."""
    for example in RECOVERABLE.values():
        renamed = [Labelled(call=7 - each.call, delta=each.delta) for each in example]
        assert obstacle(renamed) is None


def small_turns() -> Iterator[tuple[Labelled, ...]]:
    """A share of the enumeration, of turns small enough to try all truths on."""
    plans = sweep.plans(Random(sweep.SEED), turns=1)  # noqa: S311
    small = [plan for plan in plans if sum(map(len, plan.pieces)) <= 5]
    for number, labelling in enumerate(all_labellings()):
        for plan in small[number % 5 :: 5]:
            if can_show(plan, labelling):
                yield tuple(label(plan, labelling))


def truths(count: int) -> Iterator[Truth]:
    """Every way to give `count` deltas to calls numbered as they appear."""
    for owners in itertools.product(*(range(place + 1) for place in range(count))):
        if all(owner <= max(owners[:place], default=-1) + 1 for place, owner in enumerate(owners)):
            yield owners


def test_no_two_truths_for_the_same_bytes() -> None:
    """Of all the truths there could be behind a turn's bytes, at most one is recoverable."""
    for labelled in small_turns():
        deltas = [each.delta for each in labelled]
        told = [
            owners
            for owners in truths(len(deltas))
            if obstacle(map(as_labelled, owners, deltas)) is None
        ]
        assert len(told) <= 1
        assert (numbered(labelled) in told) == (obstacle(labelled) is None)


def test_no_other_truth_explains_the_bytes_better() -> None:
    """What is recoverable is a turn that a gateway can mean, with the fewest odd labels.

    The count knows nothing of readings: it adds up how often labels change hands, over all the
    truths in which each call has one name and finished arguments.
    """
    for labelled in small_turns():
        if obstacle(labelled) is None:
            deltas = [each.delta for each in labelled]
            possible = [each for each in truths(len(deltas)) if is_possible(each, deltas)]
            assert numbered(labelled) in possible
            assert odd_labels(numbered(labelled), deltas) == min(
                odd_labels(owners, deltas) for owners in possible
            )


def as_labelled(call: int, delta: Delta) -> Labelled:
    """One delta with a truth."""
    return Labelled(call=call, delta=delta)


def numbered(labelled: Sequence[Labelled]) -> Truth:
    """The truth of a turn, with its calls numbered as they appear."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(each.call, len(seen)) for each in labelled)


def is_possible(owners: Truth, deltas: Sequence[Delta]) -> bool:
    """Whether each call has exactly one name, and text that becomes complete with its end."""
    for call in set(owners):
        functions = [
            delta["function"] for owner, delta in zip(owners, deltas, strict=True) if owner == call
        ]
        texts = [function["arguments"] for function in functions if function["arguments"]]
        if len({function.get("name") or None for function in functions} - {None}) != 1:
            return False
        complete = [is_object("".join(texts[: end + 1])) for end in range(len(texts))]
        if texts and complete != [False] * (len(texts) - 1) + [True]:
            return False
    return True


def is_object(text: str) -> bool:
    """Whether a text is one complete JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def odd_labels(owners: Truth, deltas: Sequence[Delta]) -> int:
    """How often a call changed a label, and how often a label passed from one call to another."""
    histories: dict[tuple[object, ...], list[object]] = defaultdict(list)
    for owner, delta in zip(owners, deltas, strict=True):
        for kind in ("index", "id"):
            value = delta.get(kind)
            if value is not None and str(value).strip():
                histories["of the call", owner, kind].append(value)
                histories["of the label", kind, value].append(owner)
    return sum(
        before != after
        for history in histories.values()
        for before, after in itertools.pairwise(history)
    )
