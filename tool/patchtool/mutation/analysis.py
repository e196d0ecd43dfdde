"""Mutation analysis: has every mutant judged, and finds the cases that kill none.

It runs nothing itself: the judge is handed in. What it does is choose what to ask first, use
several workers, and stop them all together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from threading import Event, Lock
from typing import Protocol

from patchtool.mutation.generator import Mutant
from patchtool.mutation.hints import Hints
from patchtool.workers import side_by_side

# How many controls run beside the needed cases, to see whether a mutant leaves anything standing.
CONTROLS = 3


class Fate(Enum):
    """What became of a mutant.

    A guard that breaks on it has noticed it; so has one that hangs. All are run, but those that the
    project accepts.
    """

    KILLED = "killed"
    BROKE = "broke the guard"
    TIMED_OUT = "timed out"
    ACCEPTED = "accepted"
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of cases on a mutant: which required cases failed, which passed, and what it means.

    `detail` says why there is no outcome of any case.
    """

    fate: Fate
    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    detail: str = ""


class Judge(Protocol):
    """What runs the guard on a mutant, from any thread.

    Both ways end soon, with any answer, once `stop` is set.
    """

    def kill(self, mutant: Mutant, likely: Sequence[str], stop: Event) -> Trial:
        """Run all required cases, those in `likely` first, until one fails."""

    def exercise(self, mutant: Mutant, cases: Sequence[str], stop: Event) -> Trial:
        """Run these cases to the end, and more if the guard cannot be told which to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The mutants to judge; the cases that must kill one, and those that need not."""

    mutants: tuple[Mutant, ...]
    needed: tuple[str, ...]
    controls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Each mutant's trial, by its id, and the needed cases that killed none.

    `told_apart` says how many cases were seen to kill by running all of them on a mutant.
    """

    trials: Mapping[str, Trial]
    idle: tuple[str, ...]
    told_apart: Mapping[str, int]

    def learned(self, mutants: Iterable[Mutant]) -> Hints:
        """What another analysis of the same guard can make use of."""
        changes = {mutant.id: mutant.change for mutant in mutants}
        killers = {
            changes[name]: trial.failed[0] for name, trial in self.trials.items() if trial.failed
        }
        told = sorted(self.told_apart, key=self.told_apart.__getitem__, reverse=True)
        return Hints(killers=killers, telling=tuple(changes[name] for name in told))


def analyse(
    question: Question,
    judge: Judge,
    *,
    hints: Hints,
    workers: int,
    tell: Callable[[str], None],
) -> Analysis:
    """Judge each mutant, then look for a mutant that each needed case kills.

    `hints` say what to ask first. `tell` is told how far it is, from any thread. On an
    exception, and so on Ctrl-C, all workers are stopped before it is raised again.
    """
    trials: dict[str, Trial] = {}
    killers = _Killers(hints.cases((*question.needed, *question.controls)))
    idle = set(question.needed)
    told_apart: dict[str, int] = {}
    stop = Event()

    def attempt(mutant: Mutant) -> None:
        trial = judge.kill(mutant, (*hints.killer(mutant), *killers.all()), stop)
        killers.add(trial.failed)
        idle.difference_update(_told_apart(trial))
        trials[mutant.id] = trial
        tell(f"{len(trials)} of {len(question.mutants)} mutants judged")

    def exercise(mutant: Mutant) -> None:
        asked = tuple(case for case in question.needed if case in idle)
        if asked:
            tell(f"{len(asked)} needed cases have killed no mutant yet")
            trial = judge.exercise(mutant, (*asked, *question.controls[:CONTROLS]), stop)
            if found := _told_apart(trial) & idle:
                told_apart[mutant.id] = len(found)
                idle.difference_update(found)

    list(side_by_side(attempt, question.mutants, workers=workers, stop=stop))
    killed = _to_exercise(question.mutants, trials, hints)
    list(side_by_side(exercise, killed, workers=workers, stop=stop))
    unused = tuple(case for case in question.needed if case in idle)
    return Analysis(trials=trials, idle=unused, told_apart=told_apart)


def _to_exercise(
    mutants: Sequence[Mutant], trials: Mapping[str, Trial], hints: Hints
) -> list[Mutant]:
    """The killed mutants, those first that tell cases apart rather than make everything fail.

    Known ones lead; then those on which another case is known to pass.
    """
    rank = {change: place for place, change in enumerate(hints.telling)}
    killed = [each for each in mutants if trials[each.id].fate is Fate.KILLED]
    return sorted(
        _spread(killed),
        key=lambda each: (rank.get(each.change, len(rank)), not trials[each.id].passed),
    )


def _spread(mutants: Sequence[Mutant]) -> list[Mutant]:
    """The mutants reordered: first one of each line, then a second one of each, and so on.

    Cases that have killed nothing yet are mostly about lines that are still to come.
    """
    nth: Counter[tuple[str, int]] = Counter()
    turns: list[tuple[int, int, Mutant]] = []
    for mutant in mutants:
        nth[mutant.file, mutant.line] += 1
        turns.append((nth[mutant.file, mutant.line], len(turns), mutant))
    return [mutant for _, _, mutant in sorted(turns, key=lambda turn: turn[:2])]


def _told_apart(trial: Trial) -> set[str]:
    """The cases whose failure says something: none, if the mutant made everything fail."""
    return set(trial.failed) if trial.passed else set()


class _Killers:
    """The cases that have killed, the last one first, for all workers.

    Mutants of neighbouring lines mostly die of the same cases.
    """

    def __init__(self, cases: Sequence[str]) -> None:
        self._lock = Lock()
        self._cases = [*cases]

    def add(self, cases: Sequence[str]) -> None:
        with self._lock:
            self._cases = [*cases, *(case for case in self._cases if case not in cases)]

    def all(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._cases)
