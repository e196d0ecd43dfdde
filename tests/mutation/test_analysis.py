"""The analysis with a judge that only looks things up."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event, Timer

import pytest

from patchtool.mutation.analysis import Analysis, Fate, Question, Trial, analyse
from patchtool.mutation.generator import Mutant
from patchtool.mutation.hints import Hints

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
        change=f"change {name}",
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
        self.likely: list[tuple[str, ...]] = []
        self.exercised: list[tuple[str, tuple[str, ...]]] = []

    def kill(self, mutant: Mutant, likely: Sequence[str], _stop: Event) -> Trial:
        """Run the cases until one fails, as a guard does."""
        self.likely.append(tuple(likely))
        passed: list[str] = []
        for case in dict.fromkeys((*likely, *CASES)):
            if case in self.failing[mutant.id]:
                return Trial(fate=Fate.KILLED, failed=(case,), passed=tuple(passed))
            passed.append(case)
        return Trial(fate=Fate.SURVIVED, passed=tuple(passed))

    def exercise(self, mutant: Mutant, cases: Sequence[str], _stop: Event) -> Trial:
        """Run these cases to the end."""
        self.exercised.append((mutant.id, tuple(cases)))
        failed = tuple(case for case in cases if case in self.failing[mutant.id])
        passed = tuple(case for case in cases if case not in failed)
        return Trial(fate=Fate.KILLED if failed else Fate.SURVIVED, failed=failed, passed=passed)


class Waiting:
    """A judge whose runs end only when they are stopped."""

    def __init__(self, when_two_run: Callable[[], None]) -> None:
        self.when_two_run = when_two_run
        self.begun: list[str] = []
        self.stopped: list[str] = []

    def kill(self, mutant: Mutant, _likely: Sequence[str], stop: Event) -> Trial:
        """Wait to be stopped."""
        self.begun.append(mutant.id)
        if len(self.begun) == 2:
            self.when_two_run()
        assert stop.wait(20)
        self.stopped.append(mutant.id)
        return Trial(fate=Fate.SURVIVED)

    exercise = kill


def analysis(judge: Table, *, needed: Sequence[str] = ("one", "two", "three")) -> Analysis:
    """Judge the four mutants, one after the other."""
    question = Question(mutants=MUTANTS, needed=tuple(needed), controls=("control",))
    return analyse(question, judge, hints=Hints(), workers=1, tell=silent)


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


def test_each_line_is_exercised_before_any_is_again() -> None:
    """Cases that have killed nothing yet are mostly about lines that are still to come."""
    lines = zip(MUTANTS, (1, 1, 2, 2), strict=True)
    mutants = tuple(replace(mutant, line=line) for mutant, line in lines)
    judge = Table({name: ["control"] for name in "abcd"})
    question = Question(mutants=mutants, needed=("one",), controls=("control",))
    analyse(question, judge, hints=Hints(), workers=1, tell=silent)
    assert [name for name, _ in judge.exercised] == ["a", "c", "b", "d"]


def test_last_killers_first() -> None:
    """The cases that killed last are asked before the others, the very last one first."""
    judge = Table({"a": ["two"], "b": ["two"], "c": ["three"], "d": []})
    analysis(judge, needed=())
    assert judge.likely == [(), ("two",), ("two",), ("three", "two")]


def test_killers_of_another_time() -> None:
    """What killed the same change before is asked first, then what killed most, then the others."""
    judge = Table({"a": ["two"], "b": ["three"], "c": ["three"], "d": []})
    before = {"change b": "one", "change x": "two", "change y": "two", "change z": "gone"}
    question = replace(MUTANTS_ALONE, needed=CASES)
    found = analyse(question, judge, hints=Hints(killers=before), workers=1, tell=silent)
    assert judge.likely[:2] == [("two", "one"), ("one", "two", "one")]
    assert found.learned(MUTANTS).killers == {
        "change a": "two",
        "change b": "three",
        "change c": "three",
    }


def test_telling_changes_first() -> None:
    """Idle cases are run on what told cases apart before, then on what let another case pass."""
    failing = {"a": CASES, "b": ["two"], "c": ["one", "two"], "d": ["three"]}
    judge = Table(failing)
    found = analysis(judge)
    assert [name for name, _ in judge.exercised] == ["b", "d", "a", "c"]
    assert found.learned(MUTANTS).telling == ("change c",)
    judge = Table(failing)
    question = Question(mutants=MUTANTS, needed=CASES[:3], controls=("control",))
    analyse(question, judge, hints=Hints(telling=("change c",)), workers=1, tell=silent)
    assert [name for name, _ in judge.exercised] == ["c"]


def test_idle_cases() -> None:
    """A needed case is idle only if no mutant at all makes it fail, however late it is asked."""
    judge = Table({"a": ["one"], "b": ["one", "two"], "c": ["one"], "d": ["one"]})
    assert analysis(judge).idle == ("three",)
    judge = Table({"a": ["one"], "b": ["one", "two"], "c": ["one"], "d": ["one", "three"]})
    assert analysis(judge).idle == ()


def test_idle_cases_are_all_that_is_asked() -> None:
    """Only cases that have killed nothing yet are run again, with the controls, on the killed."""
    judge = Table({"a": ["one"], "b": [], "c": ["one", "two", "three"], "d": ["one"]})
    assert analysis(judge).idle == ()
    assert judge.exercised == [
        ("a", ("one", "two", "three", "control")),
        ("c", ("two", "three", "control")),
    ]


def test_failing_everything_tells_nothing() -> None:
    """A mutant that makes every case fail does not speak for any of them."""
    judge = Table({"a": CASES, "b": CASES, "c": CASES, "d": ["one"]})
    assert analysis(judge).idle == ("two", "three")


def test_interrupt_stops_the_workers() -> None:
    """Ctrl-C ends the runs that are going on, starts no other, and is passed on."""
    judge = Waiting(Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start)
    with pytest.raises(KeyboardInterrupt):
        analyse(MUTANTS_ALONE, judge, hints=Hints(), workers=2, tell=silent)
    for worker in set(threading.enumerate()) - {threading.current_thread()}:
        worker.join(20)
    assert sorted(judge.begun) == sorted(judge.stopped) == ["a", "b"]


def test_error_stops_the_workers() -> None:
    """An error in one worker ends the others and is raised."""

    def fail() -> None:
        raise OSError("disk full")

    judge = Waiting(fail)
    with pytest.raises(OSError, match="disk full"):
        analyse(MUTANTS_ALONE, judge, hints=Hints(), workers=2, tell=silent)
    assert (sorted(judge.begun), len(judge.stopped)) == (["a", "b"], 1)
