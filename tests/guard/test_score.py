"""The count of streams that come out as meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tool_call_shapes import score
from tool_call_shapes.stream import WIRE, Stream, load
from tool_call_shapes.sweep import fixed

DECIDABLE = sum(stream.decidable for stream in load(WIRE))
SWEEP = len(fixed())


@contextmanager
def judges(stack: Path) -> Iterator[Mapping[str, score.Judge]]:
    """One that finds nothing wrong, and one that has something against the first on a bad stack."""
    first = score.wrong_of
    yield {
        "kind": lambda streams: first(streams, streams, lambda _turn, _stream: []),
        "strict": lambda streams: first(
            streams,
            range(len(streams)),
            lambda turn, _stream: ["wrong"] if stack.name == "bad" and turn == 0 else [],
        ),
    }


def test_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """For each stack, set and judge, so many are right; 0 only if all are."""
    assert score.main("", ["good"], judges) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"good: wire, kind: {DECIDABLE} of {DECIDABLE} right",
        f"good: wire, strict: {DECIDABLE} of {DECIDABLE} right",
        f"good: sweep, kind: {SWEEP} of {SWEEP} right",
        f"good: sweep, strict: {SWEEP} of {SWEEP} right",
    ]
    assert score.main("", ["bad", "good"], judges) == 1
    said = capsys.readouterr().out.splitlines()
    assert f"bad: sweep, strict: {SWEEP - 1} of {SWEEP} right" in said


def test_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is said of each stream, if that is asked for."""
    score.main("", ["--verbose", "bad"], judges)
    assert [line for line in capsys.readouterr().out.splitlines() if line.endswith(": wrong")] == [
        f"  {stream.id} {stream.group}: wrong" for stream in first_of_each()
    ]


def first_of_each() -> Sequence[Stream]:
    """The first stream of each set."""
    return [next(stream for stream in load(WIRE) if stream.decidable), fixed()[0]]
