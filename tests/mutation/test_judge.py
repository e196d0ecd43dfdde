"""The judge with a real guard: pytest on one small Python file, without the network."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path, PurePath
from threading import Event, Timer

import pytest

from patchtool.files import File
from patchtool.guard import Target
from patchtool.mutation.analysis import Fate, Question, Trial, analyse
from patchtool.mutation.generator import Mutant
from patchtool.mutation.judge import GuardJudge, node_id
from patchtool.mutation.source import Source, mutants_of
from patchtool.project import Guard

PATCHED = b"""\
unit = "euro"
limit = int("7")

def total(values):
    left, sum = len(values), 0
    while left:
        left -= 1
        sum += values[left]
    return sum + 0
"""

GUARD = """\
import pytest


@pytest.fixture
def calc(stack):
    names = {}
    exec((stack / "calc/calc.py").read_text(), names)
    return names


@pytest.fixture
def total(calc):
    return calc["total"]


class TestTotal:
    @pytest.mark.parametrize("values", [[1, 2], [3]])
    def test_sum(self, total, values):
        assert total(values) == sum(values)


def test_nothing(total):
    assert total([]) == 0


@pytest.mark.boundary
def test_unit(calc):
    assert calc["unit"] == "euro"
"""

SOURCE = Source(
    patch="calc+1.0.0.patch",
    directory=PurePath("calc"),
    path="calc.py",
    pristine=b"",
    file=File(data=PATCHED),
)
MUTANTS = mutants_of([SOURCE])


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GuardJudge:
    """A judge on a stack of one package; all temporary files go below `tmp_path/temporary`."""
    package = tmp_path / "stack" / "calc"
    package.mkdir(parents=True)
    (package / "calc.py").write_bytes(PATCHED)
    guard = tmp_path / "root" / "guard" / "calc"
    guard.mkdir(parents=True)
    (guard / "test_calc.py").write_text(GUARD)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return GuardJudge(
        guard=Guard(path=guard, command=None, timeout=60),
        target=Target(
            directory=tmp_path / "stack", key="", environment={"PATH": os.environ["PATH"]}
        ),
        root=tmp_path / "root",
        sources={SOURCE.name: SOURCE},
    )


def the(original: bytes, mutated: bytes) -> Mutant:
    """The one mutant that makes this change."""
    (found,) = (m for m in MUTANTS if (m.original, m.mutated) == (original, mutated))
    return found


def trial(judge: GuardJudge, mutant: Mutant, *cases: str, first_failure: bool = True) -> Trial:
    """One run of the guard."""
    return judge(mutant, cases, first_failure=first_failure, stop=Event())


def test_killed_by_a_case(judge: GuardJudge) -> None:
    """The case that fails is named, and those that would have come later are not run."""
    found = trial(judge, the(b" sum + 0", b""))
    assert (found.fate, found.failed) == (
        Fate.KILLED,
        ("calc.test_calc.TestTotal::test_sum[values0]",),
    )
    assert found.passed == ()


def test_run_to_the_end(judge: GuardJudge) -> None:
    """Without a stop at the first failure, every required case has an outcome."""
    found = trial(judge, the(b"+=", b"="), first_failure=False)
    assert found.failed == ("calc.test_calc.TestTotal::test_sum[values0]",)
    assert found.passed == (
        "calc.test_calc.TestTotal::test_sum[values1]",
        "calc.test_calc::test_nothing",
    )


def test_survivor(judge: GuardJudge) -> None:
    """A mutant that no required case notices has survived."""
    assert trial(judge, the(b"+", b"-")).fate is Fate.SURVIVED


def test_boundary_cases_kill_nothing(judge: GuardJudge) -> None:
    """A boundary case that fails decides nothing, whether or not the run ends at a failure."""
    for first_failure in (True, False):
        found = trial(judge, the(b"euro", b""), first_failure=first_failure)
        assert (found.fate, len(found.passed)) == (Fate.SURVIVED, 3)


def test_only_these_cases(judge: GuardJudge) -> None:
    """Cases can be chosen, in classes and with parameters, and no other runs."""
    case = "calc.test_calc.TestTotal::test_sum[values1]"
    found = trial(judge, the(b"+=", b"="), case)
    assert (found.fate, found.passed) == (Fate.SURVIVED, (case,))


def test_endless_loop(judge: GuardJudge) -> None:
    """A mutant that does not end is stopped at the guard's limit, and has timed out."""
    hurried = replace(judge, guard=replace(judge.guard, timeout=3))
    found = trial(hurried, the(b"-=", b"="))
    assert found.fate is Fate.TIMED_OUT
    assert "3 seconds" in found.detail


def test_broken_guard(judge: GuardJudge) -> None:
    """A mutant on which cases end in errors, not in failures, broke the guard, and it says how."""
    found = trial(judge, the(b"7", b""))
    assert found.fate is Fate.BROKE
    assert "error" in found.detail


def test_nothing_is_left(judge: GuardJudge, tmp_path: Path) -> None:
    """The stack is as it was, and no copy of it is there any more."""
    trial(judge, the(b"+", b"-"))
    assert (tmp_path / "stack/calc/calc.py").read_bytes() == PATCHED
    assert list((tmp_path / "temporary").iterdir()) == []


def test_stop(judge: GuardJudge, tmp_path: Path) -> None:
    """A run that is stopped ends at once and leaves nothing."""
    stop = Event()
    Timer(1, stop.set).start()
    found = judge(the(b"-=", b"="), (), first_failure=True, stop=stop)
    assert found.fate is Fate.BROKE
    assert "stopped" in found.detail
    assert list((tmp_path / "temporary").iterdir()) == []


def test_no_such_case(judge: GuardJudge, tmp_path: Path) -> None:
    """A name that is no pytest case is handed on as it is, and breaks the run."""
    assert node_id("calc.none::test_a", tmp_path) == "calc.none::test_a"
    assert trial(judge, the(b"+", b"-"), "calc.none::test_a").fate is Fate.BROKE


def test_whole_analysis(judge: GuardJudge) -> None:
    """Mutants judged two at a time: the one that changes nothing lives, and one case is idle."""
    few = (the(b"+=", b"="), the(b" sum + 0", b""), the(b"+", b"-"))
    needed = ("calc.test_calc.TestTotal::test_sum[values0]", "calc.test_calc::test_nothing")
    question = Question(mutants=few, needed=needed, controls=(needed[1],))
    found = analyse(question, judge, workers=2, tell=lambda _text: None)
    assert [found.trials[m.id].fate for m in few] == [Fate.KILLED, Fate.KILLED, Fate.SURVIVED]
    assert found.idle == ("calc.test_calc::test_nothing",)
