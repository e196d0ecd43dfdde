"""How many streams a stack's openai gets right: `python -m openai_python.score STACK…`.

Owns the count only; what right means is `properties`. It runs on any tree, patched or not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from json_lines import Child
from openai_python.properties import complaints
from openai_python.turn import FEED, run
from patchtool.ecosystems.pypi.interpreter import command
from tool_call_shapes.stream import WIRE, Stream, load
from tool_call_shapes.sweep import fixed


def wrong(child: Child, streams: Sequence[Stream]) -> list[tuple[Stream, list[str]]]:
    """The streams that do not come out as meant, each with what is wrong."""
    turns = run(child, streams)
    found = [
        (stream, complaints(turn, stream)) for stream, turn in zip(streams, turns, strict=True)
    ]
    return [(stream, problems) for stream, problems in found if problems]


def main(arguments: Sequence[str]) -> int:
    """Print, for each stack, how many streams are right; 0 if all are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stacks", nargs="+", type=Path, metavar="STACK")
    parser.add_argument("--verbose", action="store_true", help="say what is wrong with each")
    options = parser.parse_args(arguments)
    wire = [stream for stream in load(WIRE) if stream.decidable]
    all_right = True
    for stack in options.stacks:
        with Child([*command(stack), str(FEED)], {}) as child:
            for what, streams in (("wire", wire), ("sweep", fixed())):
                bad = wrong(child, streams)
                print(f"{stack}: {what}: {len(streams) - len(bad)} of {len(streams)} right")
                all_right = all_right and not bad
                for stream, problems in bad if options.verbose else ():
                    print(f"  {stream.id} {stream.group}: {'; '.join(problems)}")
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
