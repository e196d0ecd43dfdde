"""A streamed turn and the calls that were meant, as values; reads and writes the wire.jsonl form.

Owns what "right" means for the calls a client gives out. Must not know how they were obtained.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WIRE = Path(__file__).with_name("wire.jsonl")

Delta = Mapping[str, Any]
# Which id must come out for a call: this one, one of these (None among them: any usable one), any.
ExpectedId = str | tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call: its name, its arguments as JSON text, and, where a client gave it, its id."""

    name: str
    arguments: str
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One streamed turn: the tool-call deltas by chunk, and `calls`, in the order to run them.

    `finish_chunks` are the chunks that carry the finish reason; none named: one after the last.
    `decidable` is false where no rule can recover the calls from the bytes. `group` names the
    shape in short, for reports; it is `shape_key` in the file.
    """

    id: str
    gateway: str
    source: str
    date: str
    evidence: str
    group: str
    shape: str
    deltas: tuple[tuple[Delta, ...], ...]
    finish_reason: str
    finish_chunks: tuple[int, ...] = ()
    calls: tuple[Call, ...]
    expect_ids: tuple[ExpectedId, ...]
    decidable: bool
    why: str

    @classmethod
    def from_json(cls, line: str) -> Stream:
        """Read one line of the wire.jsonl form; KeyError and TypeError on any other."""
        fields = json.loads(line)
        fields["group"] = fields.pop("shape_key")
        fields["deltas"] = tuple(tuple(chunk) for chunk in fields["deltas"])
        fields["finish_chunks"] = tuple(fields.get("finish_chunks", ()))
        fields["calls"] = tuple(Call(**call) for call in fields["calls"])
        fields["expect_ids"] = tuple(
            tuple(each) if isinstance(each, list) else each for each in fields["expect_ids"]
        )
        return cls(**fields)

    def to_json(self) -> str:
        """The stream as one line of the wire.jsonl form, without the line end."""
        fields = {
            "id": self.id,
            "gateway": self.gateway,
            "source": self.source,
            "date": self.date,
            "evidence": self.evidence,
            "shape_key": self.group,
            "shape": self.shape,
            "deltas": self.deltas,
            "finish_reason": self.finish_reason,
            **({"finish_chunks": self.finish_chunks} if self.finish_chunks else {}),
            "calls": [{"name": call.name, "arguments": call.arguments} for call in self.calls],
            "expect_ids": self.expect_ids,
            "decidable": self.decidable,
            "why": self.why,
        }
        return json.dumps(fields, ensure_ascii=False)


def load(path: Path) -> tuple[Stream, ...]:
    """Read a file of streams, one a line."""
    return tuple(map(Stream.from_json, path.read_text(encoding="utf-8").splitlines()))


def matches(given: Sequence[Call], stream: Stream) -> list[str]:
    """What is wrong with the calls a client gave out for `stream`, in its order; [] if nothing.

    Arguments are compared as JSON values, and no arguments at all are the same as `{}`.
    """
    complaints = []
    if len(given) != len(stream.calls):
        complaints.append(f"{len(given)} calls came out, {len(stream.calls)} were sent")
    for number, (call, meant, expected) in enumerate(
        zip(given, stream.calls, stream.expect_ids, strict=False), start=1
    ):
        if call.name != meant.name:
            complaints.append(f"call {number} is {call.name!r}, not {meant.name!r}")
        if _value(call.arguments) != _value(meant.arguments):
            complaints.append(
                f"call {number} has arguments {call.arguments!r}, not {meant.arguments!r}"
            )
        if not _allows(expected, call.id):
            complaints.append(f"call {number} has id {call.id!r}, not {expected!r}")
    return complaints + _unusable(given)


def _unusable(given: Sequence[Call]) -> list[str]:
    ids = [call.id for call in given]
    return [
        f"call {number} has no usable id: {each!r}"
        for number, each in enumerate(ids, start=1)
        if not (isinstance(each, str) and each.strip())
    ] + [
        f"call {number} has the id of an earlier one: {each!r}"
        for number, each in enumerate(ids, start=1)
        if each in ids[: number - 1]
    ]


def _allows(expected: ExpectedId, given: str | None) -> bool:
    if isinstance(expected, tuple):
        return None in expected or given in expected
    return expected is None or given == expected


@cache
def _value(arguments: str) -> tuple[str, Any]:
    """The arguments in a form where equal means the same call; text that is no JSON stays text."""
    if not arguments.strip():
        return ("json", "{}")
    try:
        # Written out again, since Python takes 1, 1.0 and True for equal.
        return ("json", json.dumps(json.loads(arguments), sort_keys=True))
    except ValueError:
        return ("text", arguments)
