"""The command: many runs at once, and how long the longest waited.

Exit 0 if all ended as if one had come after the other; else 1, with what was wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# What pytest does for the modules beside this package, so that they are found under one name.
sys.path.insert(0, str(Path(__file__).parent.parent))

from faults.bench import Bench
from faults.scenarios import SCENARIOS

from .rounds import Round, play
from .waits import PROJECT, outlive, wait_in_vain

# Those that put patches on; the runs of a round take them off as well.
_PLAYED = tuple(each for each in SCENARIOS if each.prepare is None)
_SHOWN = 20


def main() -> int:
    """Play the rounds; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.concurrency", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="for each project (default: 30)")
    parser.add_argument("--seed", type=int, default=0, help="for what is by chance (default: 0)")
    parser.add_argument(
        "--small", action="store_true", help="three rounds, and no wait until the limit, as CI does"
    )
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)  # noqa: S311 - an order, no secret
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="patchtool-concurrency-") as directory,
        ProcessPoolExecutor(1) as beside,
    ):
        in_vain = None
        if not chosen.small:
            in_vain = beside.submit(wait_in_vain, Path(directory, "in vain"))
        for scenario in _PLAYED:
            bench = Bench(scenario, Path(directory, scenario.name))
            wrong += _rounds(bench, 3 if chosen.small else chosen.rounds, rng)
            if scenario is PROJECT:
                wrong += _survivors(bench, 1 if chosen.small else 6)
        if in_vain is not None:
            ended, found = in_vain.result()
            wrong += found
            print(f"1 run gave up after {ended.seconds:.0f} seconds, as the lock was never free")
    for what in wrong[:_SHOWN]:
        print(f"WRONG {what:.1000}")
    return 1 if wrong else 0


def _rounds(bench: Bench, count: int, rng: random.Random) -> list[str]:
    """Play rounds of three kinds in turn: as they come, held back before the lock, with kills."""
    played: list[Round] = []
    for number in range(count):
        played.append(play(bench, rng, gather=number % 3 == 1, kill=number % 3 == 2))
    wrong = [what for each in played for what in each.wrong]
    print(
        f"{bench.name}: {count} rounds, {sum(len(each.ended) for each in played)} runs at once, "
        f"{sum(each.moved for each in played)} changed the tree, "
        f"{sum(each.waited for each in played)} said that they wait, "
        f"{sum(each.killed for each in played)} killed, "
        f"longest {max(each.longest for each in played):.1f} seconds, {len(wrong)} wrong",
        flush=True,
    )
    return wrong


def _survivors(bench: Bench, count: int) -> list[str]:
    """Let runs wait for live ones at several steps of a swap, which are then killed."""
    steps = [1 + number * (len(bench.writing) - 1) // max(1, count - 1) for number in range(count)]
    ends = [outlive(bench, at) for at in steps]
    wrong = [what for _, found in ends for what in found]
    longest = max(ended.seconds for ended, _ in ends)
    print(
        f"{count} runs waited for a live one until it was killed, then finished: "
        f"longest {longest:.1f} seconds, {len(wrong)} wrong",
        flush=True,
    )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
