"""All trials of one scenario, and the count of what they survived."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .bench import Bench
from .scenarios import SCENARIOS
from .trial import CODES, KILL, Fault, attempt

# Trials by kind, in the order in which they are shown.
KINDS = ("kills", "second kills", "errors", "lasting errors", "read errors")
# Every step is tried; in the small form, one in so many. Of pairs, so many of each.
_SMALL, _PAIRED = 17, 12


@dataclass(slots=True)
class Tally:
    """What was tried in one scenario: trials by kind, kills by the name of the step, and faults."""

    scenario: str
    steps: int
    trials: Counter[str] = field(default_factory=Counter)
    killed_at: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def run(number: int, *, small: bool) -> Tally:
    """Try everything in the scenario of this number."""
    shared = Path("/dev/shm")  # noqa: S108 - a disk in memory, as most of the time is spent on it
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as directory:
        return _Campaign(Bench(SCENARIOS[number], Path(directory))).run(_SMALL if small else 1)


class _Campaign:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._tally = Tally(bench.name, len(bench.writing) + len(bench.reading))

    def run(self, stride: int) -> Tally:
        codes = tuple(CODES)
        for at in range(1, len(self._bench.writing) + 1, stride):
            self._kill(at)
            some = codes if stride == 1 else (codes[at % len(codes)],)
            for code in some:
                self._try("errors", Fault(kind=code, at=at))
            self._try("lasting errors", Fault(kind=codes[at % len(codes)], at=at, lasting=True))
        for at in range(1, len(self._bench.reading) + 1, stride):
            for code in ("EIO", "EACCES")[: 2 if stride == 1 else 1]:
                self._try("read errors", Fault(kind=code, at=at, reading=True))
        paired = max(stride, len(self._bench.writing) // _PAIRED)
        for at in range(2, len(self._bench.writing) + 1, paired):
            self._kill_twice(at, paired)
        return self._tally

    def _kill(self, at: int) -> None:
        self._try("kills", Fault(kind=KILL, at=at))
        self._tally.killed_at[self._bench.writing[at - 1]] += 1

    def _kill_twice(self, first: int, stride: int) -> None:
        """Kill the run that finishes what the first killed run has left, at each of its steps."""
        fault, second = Fault(kind=KILL, at=first), 1
        while self._try("second kills", fault, Fault(kind=KILL, at=second))[-1] != 0:
            second += stride

    def _try(self, kind: str, *faults: Fault) -> tuple[int, ...]:
        trial = attempt(self._bench, *faults)
        if 0 not in trial.ends or kind != "second kills":  # 0: it ended before that step
            self._tally.trials[kind] += 1
        self._tally.wrong += trial.wrong
        return trial.ends
