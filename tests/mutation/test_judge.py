"""The judge with real guards: pytest on one small Python file, and a command; no network."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from threading import Event, Timer

import pytest

from patchtool import stack
from patchtool.errors import CannotTell
from patchtool.files import File
from patchtool.guard import Target
from patchtool.mutation.analysis import Fate, Judge, Question, Trial, analyse
from patchtool.mutation.bench import Bench
from patchtool.mutation.generator import Mutant
from patchtool.mutation.hints import Hints
from patchtool.mutation.judge import judging
from patchtool.mutation.source import Source, mutants_of
from patchtool.project import Guard

PATCHED = b"""\
unit = "euro"
limit = int("7")
leave = False
if leave:
    import os
    os._exit(3)

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

# A guard of another kind: it writes its report by itself.
SCRIPT = """\
import os, pathlib
names = {}
exec(pathlib.Path(os.environ["PATCHTOOL_STACK"], "calc/calc.py").read_text(), names)
failure = "" if names["total"]([1, 2]) == 3 else "<failure/>"
report = f'<testsuite><testcase name="sum">{failure}</testcase></testsuite>'
pathlib.Path(os.environ["PATCHTOOL_JUNIT"]).write_text(report)
raise SystemExit(bool(failure))
"""

# One case passes only after another.
ORDERED = """\
SEEN = []

def test_first(stack):
    SEEN.append(1)

def test_middle(stack):
    pass

def test_second(stack):
    assert SEEN
"""

# A case that ends in an error on the mutant that another case notices.
ERROR_FIRST = """\
import pytest

@pytest.fixture
def text(stack):
    return (stack / "calc/calc.py").read_text()

@pytest.fixture
def euro(text):
    assert "euro" in text

def test_error(euro):
    pass

def test_there(text):
    assert "def total" in text

def test_unit(text):
    assert "euro" in text
"""

# What the cases go by was read before they ran.
EARLY = """\
import os, pathlib

TEXT = pathlib.Path(os.environ["PATCHTOOL_STACK"], "calc/calc.py").read_text()

def test_unit():
    assert "euro" in TEXT
"""

ONE = "calc.test_calc.TestTotal::test_sum[values0]"
TWO = "calc.test_calc.TestTotal::test_sum[values1]"
NOTHING = "calc.test_calc::test_nothing"

SOURCE = Source(
    patch="calc+1.0.0.patch",
    directory=PurePath("calc"),
    path="calc.py",
    pristine=b"",
    file=File(data=PATCHED),
)
MUTANTS = mutants_of([SOURCE])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A stack of one package and its guard; all temporary files go to a place of their own."""
    place = tmp_path_factory.mktemp("judge")
    package = place / "stack" / "calc"
    package.mkdir(parents=True)
    (package / "calc.py").write_bytes(PATCHED)
    unpatched = place / "unpatched" / "calc"
    unpatched.mkdir(parents=True)
    (unpatched / "calc.py").write_text("def total(values): return None")
    guard = place / "root" / "guard" / "calc"
    guard.mkdir(parents=True)
    (guard / "test_calc.py").write_text(GUARD)
    (guard / "check.py").write_text(SCRIPT)
    (place / "temporary").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(place / "temporary"))
        yield Bench(
            guard=Guard(path=guard, command=None, timeout=60),
            target=Target(
                directory=place / "stack", key="", environment={"PATH": os.environ["PATH"]}
            ),
            root=place / "root",
            sources={SOURCE.name: SOURCE},
            cases=(ONE, TWO, NOTHING),
            unpatched=place / "unpatched",
            needed=(ONE, TWO),
        )


@pytest.fixture(scope="module")
def judge(bench: Bench) -> Iterator[Judge]:
    """The judge of the pytest guard, with two servers."""
    with judging(bench, 2) as judge:
        yield judge


def by_command(bench: Bench, script: str) -> Bench:
    """The same, with a guard that is a command."""
    command = (sys.executable, str(bench.guard.path / script))
    return replace(bench, guard=replace(bench.guard, command=command), cases=("sum",))


def with_guard(bench: Bench, root: Path, guard: str, *cases: str) -> Bench:
    """The same, with another pytest guard and these cases of it."""
    path = root / "guard" / "calc"
    path.mkdir(parents=True)
    (path / "test_calc.py").write_text(guard)
    names = tuple(f"calc.test_calc::{case}" for case in cases)
    guarded = replace(bench.guard, path=path)
    return replace(bench, guard=guarded, root=root, cases=names, needed=())


def the(original: bytes, mutated: bytes) -> Mutant:
    """The one mutant that makes this change."""
    (found,) = (m for m in MUTANTS if (m.original, m.mutated) == (original, mutated))
    return found


def killed(judge: Judge, mutant: Mutant, *likely: str) -> Trial:
    """One run to the first failure."""
    return judge.kill(mutant, likely, Event())


def copies(bench: Bench) -> list[bytes]:
    """The patched file as it stands in each copy of the stack that there is."""
    found = (bench.root.parent / "temporary").glob("patchtool-mutant-*/stack/calc/calc.py")
    return [path.read_bytes() for path in found]


def test_killed_by_a_case(judge: Judge) -> None:
    """The case that fails is named, and those that come after one that passes are not run."""
    found = killed(judge, the(b"+=", b"="))
    assert (found.fate, found.failed, found.passed) == (Fate.KILLED, (ONE,), (TWO,))


def test_likely_cases_first(judge: Judge) -> None:
    """The likely cases run before the others, and no case runs twice."""
    found = killed(judge, the(b"+=", b"="), NOTHING)
    assert (found.fate, found.failed, found.passed) == (Fate.KILLED, (ONE,), (NOTHING,))
    found = killed(judge, the(b"+", b"-"), TWO)
    assert (found.fate, found.passed) == (Fate.SURVIVED, (TWO, ONE, NOTHING))


def test_exercise(judge: Judge) -> None:
    """Only the cases asked for run, and all of them."""
    found = judge.exercise(the(b"+=", b"="), (ONE, TWO), Event())
    assert (found.fate, found.failed, found.passed) == (Fate.KILLED, (ONE,), (TWO,))


def test_boundary_cases_kill_nothing(judge: Judge) -> None:
    """A mutant that only a boundary case notices has survived."""
    found = killed(judge, the(b"euro", b""))
    assert (found.fate, found.passed) == (Fate.SURVIVED, (ONE, TWO, NOTHING))


def test_endless_loop(judge: Judge, bench: Bench) -> None:
    """A mutant that does not end is stopped after the case's time, and has timed out."""
    found = killed(judge, the(b"-=", b"="))
    assert found.fate is Fate.TIMED_OUT
    assert found.detail.startswith(f"{ONE} ran for more than")
    assert {*copies(bench)} == {PATCHED}
    assert killed(judge, the(b"+", b"-")).fate is Fate.SURVIVED


def test_error_is_no_failure(judge: Judge) -> None:
    """A mutant on which a case ends in an error, before it fails, broke the guard."""
    found = killed(judge, the(b"7", b""))
    assert (found.fate, found.detail) == (Fate.BROKE, f"{ONE}: error")


def test_error_ends_no_run(bench: Bench, tmp_path: Path) -> None:
    """After an error the other cases run, and the one that fails has killed."""
    other = with_guard(bench, tmp_path, ERROR_FIRST, "test_error", "test_there", "test_unit")
    with judging(other, 1) as judge:
        found = killed(judge, the(b"euro", b""))
    assert (found.fate, found.failed) == (Fate.KILLED, ("calc.test_calc::test_unit",))


def test_run_that_dies(judge: Judge) -> None:
    """A mutant that ends the guard's process broke the guard, and the next is judged as ever."""
    found = killed(judge, the(b"leave", b"True"))
    assert found.fate is Fate.BROKE
    assert "ended with 3" in found.detail
    assert killed(judge, the(b"+=", b"=")).fate is Fate.KILLED


def test_nothing_is_left(bench: Bench) -> None:
    """The stack is as it was, no copy has a mutant any more, and at the end there is none."""
    before = len(copies(bench))
    with judging(bench, 1) as judge:
        killed(judge, the(b"+", b"-"))
        assert copies(bench) == [PATCHED] * (before + 1)
    assert len(copies(bench)) == before
    assert (bench.target.directory / "calc/calc.py").read_bytes() == PATCHED


def test_bytecode_of_a_mutant_is_not_kept(bench: Bench, tmp_path: Path) -> None:
    """What a guard has compiled of one mutant is not what it runs of the next."""
    stack.copy(bench.target.directory, tmp_path / "copy")
    bytecode = tmp_path / "copy/calc/__pycache__/calc.cpython-311.pyc"
    with bench.mutated(tmp_path / "copy", the(b"+", b"-")):
        bytecode.parent.mkdir()
        bytecode.write_bytes(b"of the mutant")
    assert not bytecode.exists()


def test_stop(judge: Judge, bench: Bench) -> None:
    """A run that is stopped ends at once and leaves nothing."""
    stop = Event()
    Timer(0.5, stop.set).start()
    judge.kill(the(b"-=", b"="), (), stop)
    assert stop.is_set()
    assert {*copies(bench)} == {PATCHED}


def test_whole_analysis(judge: Judge) -> None:
    """Mutants judged two at a time: the one that changes nothing lives, and one case is idle."""
    few = (the(b"+=", b"="), the(b" sum + 0", b""), the(b"+", b"-"))
    question = Question(mutants=few, needed=(ONE, NOTHING), controls=(NOTHING,))
    found = analyse(question, judge, hints=Hints(), workers=2, tell=lambda _text: None)
    assert [found.trials[m.id].fate for m in few] == [Fate.KILLED, Fate.KILLED, Fate.SURVIVED]
    assert found.idle == (NOTHING,)


def test_guard_that_fails_on_the_patch(bench: Bench, tmp_path: Path) -> None:
    """A guard that does not pass on the patched stack judges nothing."""
    wrong = tmp_path / "calc"
    wrong.mkdir()
    (wrong / "calc.py").write_text("def total(values): return 0")
    failing = replace(bench, target=replace(bench.target, directory=tmp_path))
    with pytest.raises(CannotTell) as caught, judging(failing, 1):
        pass
    assert caught.value.problem.found == f"{ONE}: failed"


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_guard_that_depends_on_its_order(bench: Bench, tmp_path: Path, workers: int) -> None:
    """A guard with a case that passes only after another judges nothing, and the case is named."""
    cases = ("test_first", "test_middle", "test_second")
    other = with_guard(bench, tmp_path, ORDERED, *cases)
    with pytest.raises(CannotTell) as caught, judging(other, workers):
        pass
    problem = caught.value.problem
    assert problem.what == "the guard's cases depend on their order"
    assert (problem.path, problem.found) == (
        "calc.test_calc::test_second",
        "failed, when the cases run backwards",
    )
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    shown = subprocess.run(
        ["sh", "-c", problem.remedy or ""],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    assert "1 failed" in shown.stdout


def test_guard_that_reads_the_stack_too_early(bench: Bench, tmp_path: Path) -> None:
    """No mutant would be noticed: that is no survivor but a guard that cannot be asked."""
    other = with_guard(bench, tmp_path, EARLY, "test_unit")
    with pytest.raises(CannotTell) as caught, judging(replace(other, needed=other.cases), 1):
        pass
    problem = caught.value.problem
    assert problem.what.startswith("reads the stack when the guard is collected")
    assert (problem.path, problem.found) == ("calc.test_calc::test_unit", "passed")


def test_guard_that_cannot_be_collected(bench: Bench) -> None:
    """What pytest says of a guard it cannot collect is passed on."""
    broken = bench.guard.path / "test_broken.py"
    broken.write_text("import calc_that_is_not_there")
    try:
        with pytest.raises(CannotTell) as caught, judging(bench, 1):
            pass
        assert "calc_that_is_not_there" in (caught.value.problem.found or "")
    finally:
        broken.unlink()


def test_guard_with_a_command(bench: Bench) -> None:
    """A guard that is a command is run whole; killed, survived and broken are told apart."""
    with judging(by_command(bench, "check.py"), 2) as judge:
        found = killed(judge, the(b"+=", b"="))
        assert (found.fate, found.failed) == (Fate.KILLED, ("sum",))
        found = judge.exercise(the(b"+", b"-"), ("sum",), Event())
        assert (found.fate, found.passed) == (Fate.SURVIVED, ("sum",))
        assert killed(judge, the(b"7", b"")).fate is Fate.BROKE
        assert killed(judge, the(b"-=", b"=")).fate is Fate.TIMED_OUT


def test_command_that_fails_on_the_patch(bench: Bench) -> None:
    """A command that gives no report, or a failing case, on the patched stack judges nothing."""
    with pytest.raises(CannotTell) as caught, judging(by_command(bench, "none.py"), 1):
        pass
    assert "JUnit" in (caught.value.problem.found or "")
