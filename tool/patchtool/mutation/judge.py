"""Runs a guard on a mutant, after it has passed on the patched stack in two orders.

A pytest guard is run by fork servers, one for each worker; any other by its command, which can
only be run whole. What to run is `analysis`'s part.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from threading import Event

from patchtool.errors import CannotTell, Problem
from patchtool.guard import run_once
from patchtool.mutation.analysis import Fate, Judge, Trial
from patchtool.mutation.bench import Bench
from patchtool.mutation.fork_client import ForkClient, Outcomes, serving
from patchtool.mutation.generator import Mutant

# A mutant may take this many times as long as the patch itself, and some seconds more: the other
# workers' runs make each slower. What takes longer counts as hanging.
SLOWER = 6
SECONDS_MORE = 2.0

# How many needed cases, at most, are run on the unpatched stack before any mutant: mostly all of a
# guard's cases read the stack in the same way, or none does.
SAMPLE = 20

# Cases that take this many times as long as most are asked last.
SLOW = 10


@contextmanager
def judging(bench: Bench, workers: int) -> Iterator[Judge]:
    """The judge for a guard, with what it keeps running until the block is left.

    Raises `CannotTell` if the guard does not pass on the patched stack.
    """
    if bench.guard.command is not None:
        yield CommandJudge(bench, _seconds(bench))
        return
    with ExitStack() as running:
        seats = [
            (
                running.enter_context(serving(bench.guard, bench.target, bench.root)),
                running.enter_context(bench.copied()),
            )
            for _ in range(workers)
        ]
        yield ForkJudge(bench, seats)


class ForkJudge:
    """Runs a pytest guard's cases in forks of servers, each with a copy of the stack for mutants.

    A thread that judges leases one of them.
    """

    def __init__(self, bench: Bench, seats: Sequence[tuple[ForkClient, Path]]) -> None:
        self._bench = bench
        self._seats: SimpleQueue[tuple[ForkClient, Path]] = SimpleQueue()
        for seat in seats:
            self._seats.put(seat)
        start, seconds = _measured(bench, [client for client, _ in seats])
        _see_that_the_stack_counts(bench, seats[0][0])
        self._limits = {
            # Any case can be the first of a run, in which the guard starts what all cases share.
            case: SLOWER * (start + seconds[case]) + SECONDS_MORE
            for case in bench.cases
        }
        self._slow = {
            case for case in bench.cases if seconds[case] > SLOW * median(seconds.values())
        }

    def kill(self, mutant: Mutant, likely: Sequence[str], stop: Event) -> Trial:
        """Run all required cases until one fails: those in `likely` first, the slow ones last."""
        cases = sorted((*likely, *self._limits), key=self._slow.__contains__)
        return self._run(mutant, cases, stop, first_failure=True)

    def exercise(self, mutant: Mutant, cases: Sequence[str], stop: Event) -> Trial:
        """Run these cases to the end."""
        return self._run(mutant, cases, stop, first_failure=False)

    def _run(
        self, mutant: Mutant, cases: Sequence[str], stop: Event, *, first_failure: bool
    ) -> Trial:
        limits = {case: self._limits[case] for case in cases}
        client, copy = self._seats.get()
        try:
            with self._bench.mutated(copy, mutant):
                return _trial(client.run(copy, limits, first_failure=first_failure, stop=stop))
        finally:
            self._seats.put((client, copy))


class CommandJudge:
    """Runs a guard's own command, which runs whole, on each mutant."""

    def __init__(self, bench: Bench, seconds: float) -> None:
        self._bench = bench
        self._guard = replace(bench.guard, timeout=SLOWER * seconds + SECONDS_MORE)

    def kill(self, mutant: Mutant, _likely: Sequence[str], stop: Event) -> Trial:
        """Run the guard."""
        return self._run(mutant, stop)

    def exercise(self, mutant: Mutant, _cases: Sequence[str], stop: Event) -> Trial:
        """Run the guard."""
        return self._run(mutant, stop)

    def _run(self, mutant: Mutant, stop: Event) -> Trial:
        bench = self._bench
        started = time.monotonic()
        with bench.copied() as copy, bench.mutated(copy, mutant):
            target = replace(bench.target, directory=copy)
            run = run_once(self._guard, target, root=bench.root, stop=stop)
        if run.broken is not None:
            late = time.monotonic() - started >= self._guard.timeout
            return Trial(fate=Fate.TIMED_OUT if late else Fate.BROKE, detail=run.broken)
        failed = tuple(name for name, passed in run.passed.items() if not passed)
        passed = tuple(name for name, passed in run.passed.items() if passed)
        return Trial(fate=Fate.KILLED if failed else Fate.SURVIVED, failed=failed, passed=passed)


def _measured(bench: Bench, clients: Sequence[ForkClient]) -> tuple[float, dict[str, float]]:
    """How long the guard takes to start, and each case, on the patched stack; seconds.

    All cases run once forwards and once backwards, so that of any two each has come first: on a
    mutant they run in another order and not all, where a case that needs an earlier one would seem
    to kill. Raises `CannotTell` if a case does not pass in both.
    """
    stop = Event()

    def run(client: ForkClient, cases: Sequence[str]) -> Outcomes:
        limits = dict.fromkeys(cases, bench.guard.timeout)
        return client.run(bench.target.directory, limits, first_failure=True, stop=stop)

    orders = (bench.cases, bench.cases[::-1])
    with ThreadPoolExecutor(min(len(clients), 2)) as pool:
        try:
            forwards, backwards = pool.map(run, (clients[0], clients[-1]), orders)
        except BaseException:
            stop.set()
            raise
    _see_that_all_pass(bench, forwards, backwards)
    usual = median([*forwards.seconds.values(), *backwards.seconds.values()])
    first = [forwards.seconds[bench.cases[0]], backwards.seconds[bench.cases[-1]]]
    forwards.seconds[bench.cases[0]] = min(usual, first[0])
    backwards.seconds[bench.cases[-1]] = min(usual, first[1])
    slower = {case: max(forwards.seconds[case], backwards.seconds[case]) for case in bench.cases}
    return max(first), slower


def _see_that_all_pass(bench: Bench, forwards: Outcomes, backwards: Outcomes) -> None:
    first, second = _trial(forwards), _trial(backwards)
    if first.fate is Fate.SURVIVED is not second.fate:
        for case, word in backwards.words.items():
            if word != "passed":
                raise _depending_on_order(bench, case, word)
    for trial in (first, second):
        if trial.fate is not Fate.SURVIVED:
            raise _not_passing(bench, trial.detail or f"{trial.failed[0]}: failed")


def _see_that_the_stack_counts(bench: Bench, client: ForkClient) -> None:
    """Raise `CannotTell` if a needed case passes on the unpatched stack, where it should fail.

    The server has read the guard's files once, on the patched stack. A case that goes by what was
    read of the stack then would notice no mutant.
    """
    asked = bench.needed[:: 1 + len(bench.needed) // SAMPLE]
    limits = dict.fromkeys(asked, bench.guard.timeout)
    passed = client.run(bench.unpatched, limits, first_failure=False, stop=Event()).cases("passed")
    if passed:
        raise CannotTell(
            Problem(
                kind="guard",
                what="reads the stack when the guard is collected, so it cannot be asked about "
                "mutants: read it in the case, or in a fixture",
                subject=str(bench.guard.path),
                path=passed[0],
                expected="failed, on the unpatched stack",
                found="passed",
            )
        )


def _trial(outcomes: Outcomes) -> Trial:
    """What the outcomes of a run mean: an error in a case, or none of it, is no evidence of it."""
    failed, passed = outcomes.cases("failed"), outcomes.cases("passed")
    unclear = [
        f"{name}: {word}" for name, word in outcomes.words.items() if name not in failed + passed
    ]
    if failed:
        return Trial(fate=Fate.KILLED, failed=failed, passed=passed)
    if outcomes.late is not None:
        return Trial(fate=Fate.TIMED_OUT, passed=passed, detail=outcomes.late)
    if outcomes.broken is not None or unclear:
        return Trial(fate=Fate.BROKE, passed=passed, detail=outcomes.broken or unclear[0])
    return Trial(fate=Fate.SURVIVED, passed=passed)


def _seconds(bench: Bench) -> float:
    """How long the guard's command runs on the patched stack, where all must pass."""
    started = time.monotonic()
    run = run_once(bench.guard, bench.target, root=bench.root)
    if run.broken is not None or not all(run.passed.values()):
        raise _not_passing(bench, run.broken or "a required case fails")
    return time.monotonic() - started


def _not_passing(bench: Bench, found: str) -> CannotTell:
    return CannotTell(
        Problem(
            kind="guard",
            what="the guard does not pass on the patched stack each time",
            subject=str(bench.guard.path),
            found=found,
            remedy="patchtool guard --fresh",
        )
    )


def _depending_on_order(bench: Bench, case: str, word: str) -> CannotTell:
    name = case.partition("[")[0].rpartition("::")[2]
    alone = f"python -m pytest -p patchtool.pytest_plugin {shlex.quote(str(bench.guard.path))}"
    return CannotTell(
        Problem(
            kind="guard",
            what="the guard's cases depend on their order",
            subject=str(bench.guard.path),
            path=case,
            expected="passed, as in the guard's order",
            found=f"{word}, when the cases run backwards",
            remedy=f"PATCHTOOL_STACK={shlex.quote(str(bench.target.directory))} {alone} -k {name}",
        )
    )
