"""The command: let everything go wrong at every step of `apply`, and count what it survived.

Exit 0 if after every fault each file was pristine or patched and the next run finished the job, and
every error was told as it is; else 1, with what was wrong.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# What pytest does for the modules beside this package, so that they are found under one name.
sys.path.insert(0, str(Path(__file__).parent.parent))

from .campaign import KINDS, Tally, run
from .scenarios import SCENARIOS

_SHOWN = 20


def main() -> int:
    """Run every scenario; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--small", action="store_true", help="one step in some, as CI does")
    small = parser.parse_args().small
    started = time.monotonic()
    print(_row("scenario", "steps", *KINDS, "wrong"), flush=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        tallies = []
        for tally in pool.map(functools.partial(run, small=small), range(len(SCENARIOS))):
            tallies.append(tally)
            counts = (tally.trials[kind] for kind in KINDS)
            print(_row(tally.scenario, tally.steps, *counts, len(tally.wrong)), flush=True)
    return _sum(tallies, time.monotonic() - started)


def _row(name: str, *cells: object) -> str:
    return f"{name:<24}" + "".join(f"{cell:>15}" for cell in cells)


def _sum(tallies: list[Tally], seconds: float) -> int:
    trials = sum((tally.trials for tally in tallies), Counter())
    wrong = [what for tally in tallies for what in tally.wrong]
    killed_at = sum((tally.killed_at for tally in tallies), Counter())
    places = ", ".join(f"{name} {count}" for name, count in killed_at.most_common())
    print(
        f"{trials['kills']} kills ({places}), {trials['second kills']} second kills, "
        f"{trials['errors'] + trials['lasting errors']} write errors, "
        f"{trials['read errors']} read errors: {len(wrong)} wrong, {seconds:.0f} seconds"
    )
    for what in wrong[:_SHOWN]:
        print(f"WRONG {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
