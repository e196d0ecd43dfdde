"""How many streams a stack's openai gets right: `python -m openai_python.score STACK…`.

It runs on any tree, patched or not. What right means is `properties`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from json_lines import Child
from openai_python.properties import complaints
from openai_python.turn import FEED, run
from patchtool.ecosystems.pypi.interpreter import command
from tool_call_shapes import score
from tool_call_shapes.stream import Stream


def wrong(child: Child, streams: Sequence[Stream]) -> score.Wrong:
    """The streams that do not come out as meant, each with what is wrong."""
    return score.wrong_of(streams, run(child, streams), complaints)


@contextmanager
def judges(stack: Path) -> Iterator[Mapping[str, score.Judge]]:
    """What judges streams on a stack."""
    with Child([*command(stack), str(FEED)], {}) as child:
        yield {"openai": partial(wrong, child)}


if __name__ == "__main__":
    sys.exit(score.main(__doc__, sys.argv[1:], judges))
