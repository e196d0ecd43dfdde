"""The analysis with a judge that only looks things up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from threading import Event, Timer

import pytest

from patchtool.mutation.analysis import Analysis, Fate, Question, Trial, analyse
from patchtool.mutation.generator import Mutant

MUTANTS = tuple(
    Mutant(
        id=name,
        file="f",
        operator="o",
        line=1,
        column=1,
        start=0,
        original=b"",
        mutated=name.encode(),
    )
    for name in "abcd"
)
MUTANTS_ALONE = Question(mutants=MUTANTS, needed=(), controls=())
CASES = ("one", "two", "three", "control")


def silent(_text: str) -> None:
    """Tell nobody how far it is."""


class Table:
    """A judge that knows which cases fail on each mutant, and remembers what it was asked."""

    def __init__(self, failing: Mapping[str, Sequence[str]]) -> None:
        self.failing = failing
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def __call__(
        self, mutant: Mutant, cases: Sequence[str], *, first_failure: bool, **_: object
    ) -> Trial:
        """Run the cases in order, as a guard does."""
        self.asked.append((mutant.id, tuple(cases)))
        failed: list[str] = []
        passed: list[str] = []
        for case in cases or CASES:
            (failed if case in self.failing[mutant.id] else passed).append(case)
            if failed and first_failure:
                break
        fate = Fate.KILLED if failed else Fate.SURVIVED
        return Trial(fate=fate, failed=tuple(failed), passed=tuple(passed))


def analysis(judge: Table, *, needed: Sequence[str] = ("one", "two", "three")) -> Analysis:
    """Judge the four mutants, one after the other."""
    question = Question(mutants=MUTANTS, needed=tuple(needed), controls=("control",))
    return analyse(question, judge, workers=1, tell=silent)


def test_each_is_judged() -> None:
    """A mutant on which a case fails is killed by it; one on which none does has survived."""
    judge = Table({"a": ["two"], "b": [], "c": ["three", "two"], "d": ["one"]})
    trials = analysis(judge).trials
    assert {name: (trial.fate, trial.failed) for name, trial in trials.items()} == {
        "a": (Fate.KILLED, ("two",)),
        "b": (Fate.SURVIVED, ()),
        "c": (Fate.KILLED, ("two",)),
        "d": (Fate.KILLED, ("one",)),
    }


def test_last_killers_first() -> None:
    """The cases that killed last are asked before all, and all only when those let it live."""
    judge = Table({"a": ["two"], "b": ["two"], "c": ["three"], "d": []})
    analysis(judge, needed=())
    assert judge.asked == [
        ("a", ()),
        ("b", ("two",)),
        ("c", ("two",)),
        ("c", ()),
        ("d", ("three", "two")),
        ("d", ()),
    ]


def test_idle_cases() -> None:
    """A needed case is idle only if no mutant at all makes it fail, however late it is asked."""
    judge = Table({"a": ["one"], "b": ["one", "two"], "c": ["one"], "d": ["one"]})
    assert analysis(judge).idle == ("three",)
    judge = Table({"a": ["one"], "b": ["one", "two"], "c": ["one"], "d": ["one", "three"]})
    assert analysis(judge).idle == ()


def test_failing_everything_tells_nothing() -> None:
    """A mutant that makes every case fail does not speak for any of them."""
    judge = Table({"a": CASES, "b": CASES, "c": CASES, "d": ["one"]})
    assert analysis(judge).idle == ("two", "three")


def test_interrupt_stops_the_workers() -> None:
    """Ctrl-C ends the runs that are going on, starts no other, and is passed on."""
    begun: list[str] = []
    stopped: list[str] = []

    def judge(mutant: Mutant, _cases: Sequence[str], *, stop: Event, **_: object) -> Trial:
        begun.append(mutant.id)
        if len(begun) == 2:
            Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert stop.wait(20)
        stopped.append(mutant.id)
        return Trial(fate=Fate.SURVIVED)

    with pytest.raises(KeyboardInterrupt):
        analyse(MUTANTS_ALONE, judge, workers=2, tell=silent)
    for worker in set(threading.enumerate()) - {threading.current_thread()}:
        worker.join(20)
    assert sorted(begun) == sorted(stopped) == ["a", "b"]


def test_error_stops_the_workers() -> None:
    """An error in one worker ends the others and is raised."""

    def judge(mutant: Mutant, _cases: Sequence[str], *, stop: Event, **_: object) -> Trial:
        if mutant.id == "b":
            raise OSError("disk full")
        assert stop.wait(20)
        return Trial(fate=Fate.KILLED, failed=("one",))

    with pytest.raises(OSError, match="disk full"):
        analyse(MUTANTS_ALONE, judge, workers=2, tell=silent)
