"""How many streams the packages of a stack get right: `python -m streamed_tool_calls.score STACK…`.

It runs on any tree, patched or not. What right means is `properties`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from streamed_tool_calls.driver import PROVIDERS, WHOLE, Driver, Request
from streamed_tool_calls.properties import complaints
from tool_call_shapes import score
from tool_call_shapes.stream import Stream


def wrong(driver: Driver, provider: str, streams: Sequence[Stream]) -> score.Wrong:
    """The streams that do not come out as meant, each with what is wrong."""
    turns = driver.run([Request.of(stream, provider, cut_every=WHOLE) for stream in streams])
    return score.wrong_of(streams, turns, complaints)


@contextmanager
def judges(stack: Path) -> Iterator[Mapping[str, score.Judge]]:
    """What judges streams on a stack, by provider."""
    with Driver(stack) as driver:
        yield {provider: partial(wrong, driver, provider) for provider in PROVIDERS}


if __name__ == "__main__":
    sys.exit(score.main(__doc__, sys.argv[1:], judges))
