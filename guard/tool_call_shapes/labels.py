"""The ways a gateway labels the deltas of known calls; turns a plan into labelled deltas.

Owns what each label means on the wire. Must not judge whether the calls can still be told apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from tool_call_shapes.calls import Plan
from tool_call_shapes.stream import Delta

GAPS = (0, 3, 4, 11)


class Index(Enum):
    """What a delta's `index` says."""

    UNIQUE = "unique"
    FROM_ONE = "from 1"
    GAPS = "with gaps"
    REVERSED = "reversed"
    ALL_ZERO = "all 0"
    FIRST_ONLY = "on first only"
    LATER_ONLY = "on later only"
    NULL = "null"
    ABSENT = "absent"


class Id(Enum):
    """What a delta's `id` says. `ON_HEADS` is what OpenAI sends."""

    ON_HEADS = "on heads"
    ON_ALL = "on all"
    LATE = "late"
    SAME_ON_HEADS = "the same on heads"
    SAME_ON_ALL = "the same on all"
    FRESH = "fresh each time"
    BLANK = "blank"
    NULL = "null"
    ABSENT = "absent"


class Name(Enum):
    """Which deltas of a call carry its name."""

    ONCE = "once"
    ALWAYS = "always"
    BLANK_LATER = "blank later"
    LATE = "late"


class Order(Enum):
    """In which order the deltas of several calls come."""

    SEQUENCE = "in sequence"
    ROUND_ROBIN = "round robin"
    HEADS_FIRST = "heads first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """One way to label and order the deltas of a turn."""

    index: Index
    id: Id
    name: Name
    order: Order

    def __str__(self) -> str:
        return (
            f"index {self.index.value}, id {self.id.value}, "
            f"name {self.name.value}, {self.order.value}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A delta and the truth about it: which call it belongs to, by its place in the turn."""

    call: int
    delta: Delta


# What cannot be seen on turns where each call is one delta, and what not on turns of one call.
_SEEN_ON_FRAGMENTS = frozenset({
    Index.FIRST_ONLY, Index.LATER_ONLY, Id.LATE, Id.ON_ALL, Id.SAME_ON_ALL, Id.FRESH,
    Name.ALWAYS, Name.BLANK_LATER, Name.LATE,
})  # fmt: skip
_SEEN_ON_SEVERAL = frozenset({
    Index.REVERSED, Index.ALL_ZERO, Id.SAME_ON_HEADS, Id.SAME_ON_ALL
})  # fmt: skip


def can_show(plan: Plan, labelling: Labelling) -> bool:
    """Whether each label can be seen on a plan: not one that another label would look like."""
    labels = {labelling.index, labelling.id, labelling.name}
    counts = tuple(map(len, plan.pieces))
    several = len(plan.calls) > 1
    return (
        (max(counts) > 1 or not labels & _SEEN_ON_FRAGMENTS)
        and (several or not labels & _SEEN_ON_SEVERAL)
        and all(
            _ordered(counts, labelling.index, order)
            != _ordered(counts, labelling.index, labelling.order)
            for order in itertools.takewhile(lambda order: order is not labelling.order, Order)
        )
    )


def all_labellings() -> Iterator[Labelling]:
    """Every labelling, always in the same order."""
    for index, id, name, order in itertools.product(Index, Id, Name, Order):
        yield Labelling(index=index, id=id, name=name, order=order)


def label(plan: Plan, labelling: Labelling) -> Iterator[Labelled]:
    """The deltas of a plan, in the order and with the labels that a labelling gives them."""
    for call, piece in _ordered(tuple(map(len, plan.pieces)), labelling.index, labelling.order):
        yield Labelled(
            call=call,
            delta={
                **_index(labelling.index, call, piece),
                **_id(labelling.id, call, piece),
                "type": "function",
                "function": {
                    **_name(labelling.name, plan, call, piece),
                    "arguments": plan.pieces[call][piece],
                },
            },
        )


@cache
def _ordered(counts: tuple[int, ...], index: Index, order: Order) -> list[tuple[int, int]]:
    """(call, piece) as they come, from each call's number of pieces.

    A reversed index lets the last call to run come first.
    """
    arrival = range(len(counts))
    if index is Index.REVERSED:
        arrival = arrival[::-1]
    pieces = [(call, piece) for call in arrival for piece in range(counts[call])]
    if order is Order.ROUND_ROBIN:
        return sorted(pieces, key=lambda each: each[1])
    if order is Order.HEADS_FIRST:
        return sorted(pieces, key=lambda each: each[1] > 0)
    return pieces


def _index(how: Index, call: int, piece: int) -> dict[str, Any]:
    match how:
        case Index.ABSENT:
            return {}
        case Index.NULL:
            return {"index": None}
        case Index.FIRST_ONLY if piece > 0:
            return {}
        case Index.LATER_ONLY if piece == 0:
            return {}
        case Index.ALL_ZERO:
            return {"index": 0}
        case Index.FROM_ONE:
            return {"index": call + 1}
        case Index.GAPS:
            return {"index": GAPS[call]}
        case _:
            return {"index": call}


def _id(how: Id, call: int, piece: int) -> dict[str, Any]:
    own = f"call_{'abcd'[call]}"
    match how:
        case Id.ABSENT:
            return {}
        case Id.NULL:
            return {"id": None}
        case Id.BLANK:
            return {"id": " " if piece == 1 else ""}
        case Id.ON_HEADS | Id.SAME_ON_HEADS if piece > 0:
            return {}
        case Id.LATE if piece == 0:
            return {}
        case Id.SAME_ON_HEADS | Id.SAME_ON_ALL:
            return {"id": "call_x"}
        case Id.FRESH:
            return {"id": f"{own}{piece}"}
        case _:
            return {"id": own}


def _name(how: Name, plan: Plan, call: int, piece: int) -> dict[str, Any]:
    name = plan.calls[call].name
    match how:
        case Name.LATE if piece != min(1, len(plan.pieces[call]) - 1):
            return {}
        case Name.BLANK_LATER if piece > 0:
            return {"name": ""}
        case Name.ONCE if piece > 0:
            return {}
        case _:
            return {"name": name}
