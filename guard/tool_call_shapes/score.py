"""Counts how many streams come out as meant; for the guards, which know how to run them.

Owns the count and how it is printed, but not what right means.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from tool_call_shapes.stream import WIRE, Stream, load
from tool_call_shapes.sweep import fixed

T = TypeVar("T")

# Streams, each with what is wrong with it.
Wrong = list[tuple[Stream, list[str]]]
Judge = Callable[[Sequence[Stream]], Wrong]


def wrong_of(
    streams: Sequence[Stream],
    turns: Sequence[T],
    complaints: Callable[[T, Stream], list[str]],
) -> Wrong:
    """The streams whose turns have something wrong with them."""
    judged = [
        (stream, complaints(turn, stream)) for stream, turn in zip(streams, turns, strict=True)
    ]
    return [(stream, problems) for stream, problems in judged if problems]


def main(
    description: str | None,
    arguments: Sequence[str],
    judges: Callable[[Path], AbstractContextManager[Mapping[str, Judge]]],
) -> int:
    """Print, for each stack and each of its judges, how many streams are right; 0 if all are."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("stacks", nargs="+", type=Path, metavar="STACK")
    parser.add_argument("--verbose", action="store_true", help="say what is wrong with each")
    options = parser.parse_args(arguments)
    sets = {"wire": [stream for stream in load(WIRE) if stream.decidable], "sweep": fixed()}
    all_right = True
    for stack in options.stacks:
        with judges(stack) as named:
            for what, streams in sets.items():
                for name, judge in named.items():
                    bad = judge(streams)
                    right = len(streams) - len(bad)
                    print(f"{stack}: {what}, {name}: {right} of {len(streams)} right")
                    all_right = all_right and not bad
                    for stream, problems in bad if options.verbose else ():
                        print(f"  {stream.id} {stream.group}: {'; '.join(problems)}")
    return 0 if all_right else 1
