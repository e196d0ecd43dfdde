"""The labelled sweep: known calls, labelled in every way, kept where their truth is recoverable.

Owns which streams those are and what they are called. Draws nothing but from a seed given.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random
from types import MappingProxyType

from tool_call_shapes.calls import Plan, cut, draw_calls, pick
from tool_call_shapes.labels import (
    Id,
    Index,
    Labelled,
    Labelling,
    Name,
    Order,
    all_labellings,
    can_show,
    label,
)
from tool_call_shapes.recoverable import obstacle
from tool_call_shapes.stream import ExpectedId, Stream

SEED = 5011
KEPT_PER_LABELLING = 9
_TRIES_PER_LABELLING = 50

# (number of calls, whether names repeat)
_KINDS = ((1, False), *itertools.product((2, 3, 4), (False, True)))
# (pieces of the arguments, whether an empty head comes before them)
_CUTS = ((1, False), (1, True), (2, False), (2, True), (3, False))

_INDEX_FAMILY = MappingProxyType({
    Index.UNIQUE: "index unique",
    Index.FROM_ONE: "index sparse",
    Index.GAPS: "index sparse",
    Index.REVERSED: "index unique",
    Index.ALL_ZERO: "index all 0",
    Index.FIRST_ONLY: "index missing",
    Index.LATER_ONLY: "index missing",
    Index.NULL: "index missing",
    Index.ABSENT: "index missing",
})  # fmt: skip
_ID_FAMILY = MappingProxyType({
    Id.ON_HEADS: "id unique",
    Id.ON_ALL: "id unique",
    Id.LATE: "id late",
    Id.SAME_ON_HEADS: "id the same",
    Id.SAME_ON_ALL: "id the same",
    Id.FRESH: "id fresh each time",
    Id.BLANK: "id missing",
    Id.NULL: "id missing",
    Id.ABSENT: "id missing",
})  # fmt: skip
_NAME_FAMILY = MappingProxyType({
    Name.ONCE: "name once",
    Name.BLANK_LATER: "name once",
    Name.ALWAYS: "name always",
    Name.LATE: "name late",
})  # fmt: skip


def fixed() -> list[Stream]:
    """The streams that CI runs: the same ones always, an even share for each labelling."""
    pool = plans(Random(SEED), turns=9)  # noqa: S311
    streams: dict[str, Stream] = {}
    for number, labelling in enumerate(all_labellings()):
        kept = 0
        # A step that shares no factor with the number of plans visits each of them once.
        for attempt in range(_TRIES_PER_LABELLING):
            plan = pool[(number * 31 + attempt * 37) % len(pool)]
            stream = make(plan, labelling, len(streams))
            if stream is not None and streams.setdefault(_wire(stream), stream) is stream:
                kept += 1
            if kept == KEPT_PER_LABELLING:
                break
    return list(streams.values())


def more(seed: int, count: int) -> list[Stream]:
    """`count` further streams that the seed alone decides."""
    random = Random(seed)  # noqa: S311
    labellings = tuple(all_labellings())
    streams: list[Stream] = []
    while len(streams) < count:
        calls, repeated = pick(random, _KINDS)
        plan = _plan(random, calls, repeated=repeated, cuts=_CUTS)
        stream = make(plan, pick(random, labellings), len(streams))
        if stream is not None:
            streams.append(stream)
    return streams


def make(plan: Plan, labelling: Labelling, number: int) -> Stream | None:
    """A plan labelled, as a stream; None where the labels do not show or hide the truth."""
    if not can_show(plan, labelling):
        return None
    turn = tuple(label(plan, labelling))
    if obstacle(turn) is not None:
        return None
    return Stream(
        id=f"{number:05}",
        gateway="constructed",
        source="the labelled sweep",
        date="",
        evidence="constructed",
        group=group(labelling),
        shape=f"{len(plan.calls)} calls, {labelling}",
        deltas=tuple((each.delta,) for each in turn),
        finish_reason="tool_calls",
        calls=plan.calls,
        expect_ids=expected_ids(turn, len(plan.calls)),
        decidable=True,
        why="each delta has one reading",
    )


def group(labelling: Labelling) -> str:
    """The labelling in short, alike for labels that say the same."""
    families = [
        _INDEX_FAMILY[labelling.index],
        _ID_FAMILY[labelling.id],
        _NAME_FAMILY[labelling.name],
    ]
    # Few turns with late names can be told apart when interleaved, too few for groups of their own.
    if labelling.name is not Name.LATE:
        interleaved = labelling.order is not Order.SEQUENCE
        families.append("interleaved" if interleaved else "in sequence")
    return ", ".join(families)


def expected_ids(turn: Sequence[Labelled], count: int) -> tuple[ExpectedId, ...]:
    """The wire id that must come out for each call: one it showed by the time it had its name.

    A call is given out under its id as soon as it has a name, so a later id comes too late. An id
    that an earlier call goes by is of no use. Where nothing is left, any usable id will do.
    """
    shown: list[list[str]] = [[] for _ in range(count)]
    expected: dict[int, ExpectedId] = {}
    taken: set[str] = set()
    for each in turn:
        id = each.delta.get("id")
        if id is not None and id.strip() and id not in shown[each.call]:
            shown[each.call].append(id)
        if each.call not in expected and each.delta["function"].get("name"):
            usable = tuple(id for id in shown[each.call] if id not in taken)
            expected[each.call] = usable if len(usable) > 1 else usable[0] if usable else None
            taken.update(usable)
    return tuple(expected[call] for call in range(count))


def plans(random: Random, turns: int) -> tuple[Plan, ...]:
    """For each number of calls, kind of names and way to cut, `turns` plans."""
    return tuple(
        _plan(random, count, repeated=repeated, cuts=cuts)
        for _ in range(turns)
        for count, repeated in _KINDS
        for cuts in (*((each,) for each in _CUTS), *[_CUTS] * len(_CUTS))
    )


def _plan(random: Random, count: int, *, repeated: bool, cuts: Sequence[tuple[int, bool]]) -> Plan:
    calls = draw_calls(random, count, repeated=repeated)
    pieces = []
    for call in calls:
        number, empty_head = pick(random, cuts)
        places = [random.random() for _ in range(number - 1)]
        pieces.append(cut(call.arguments, places, empty_head=empty_head))
    return Plan(calls=calls, pieces=tuple(pieces))


def _wire(stream: Stream) -> str:
    return repr(stream.deltas)
