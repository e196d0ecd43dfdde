"""The command: give every hostile input to the real command line, and print what it took.

Exit 0 if each had its right exit code and one clear message, within its bounds, and nothing was
written outside or said of a secret; else 1, with what was expected and found.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# What pytest does for the modules beside this package, so that they are found under one name.
sys.path.insert(0, str(Path(__file__).parent.parent))

from . import answers, archives, environments, files, lists, patches, reports, trees
from .input import Input, Trial, attempt

# How much is shown of what is wrong with one input.
_SHOWN = 3
_KINDS = {
    module.KIND: module.inputs
    for module in (archives, answers, lists, patches, files, reports, trees, environments)
}


def main() -> int:
    """Try the inputs that are asked for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--small", action="store_true", help="what takes seconds, as CI does")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at once")
    parser.add_argument("kinds", nargs="*", default=[*_KINDS], metavar="KIND")
    chosen = parser.parse_args()
    for kind in chosen.kinds:
        if kind not in _KINDS:
            parser.error(f"no such kind: {kind!r}; there are {', '.join(_KINDS)}")
    print(f"{'kind':<20}{'inputs':>8}{'wrong':>8}   the worst", flush=True)
    wrong = 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for kind in chosen.kinds:
            count = len(_inputs(kind, chosen.small))
            trials = [*pool.map(functools.partial(_attempt, kind, chosen.small), range(count))]
            wrong += _report(kind, trials)
    return 1 if wrong else 0


@functools.cache
def _inputs(kind: str, small: bool) -> list[Input]:
    return [each for each in _KINDS[kind]() if not (small and each.is_long)]


def _attempt(kind: str, small: bool, number: int) -> Trial:
    """Try one input, by its number: a function in it cannot be handed to another process."""
    return attempt(_inputs(kind, small)[number])


def _report(kind: str, trials: list[Trial]) -> int:
    """Print a row of the table, and all that is wrong; how many inputs that is."""
    wrong = [trial for trial in trials if trial.wrong]
    slowest = max(trials, key=lambda trial: trial.ran.seconds)
    largest = max(trials, key=lambda trial: trial.ran.megabytes)
    print(
        f"{kind:<20}{len(trials):>8}{len(wrong):>8}   "
        f"{slowest.ran.seconds:.1f} seconds ({slowest.name}), "
        f"{largest.ran.megabytes:.0f} MB ({largest.name})",
        flush=True,
    )
    for trial in wrong:
        for what in trial.wrong[:_SHOWN]:
            print(f"WRONG {kind}, {trial.name}: {what:.1000}", flush=True)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
