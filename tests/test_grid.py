"""One column of the grid: stacks with and without changes, and what the guard says of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from patch_making import file
from patchtool import ecosystems, stack
from patchtool.ecosystems import Runtime
from patchtool.errors import CannotTell, Problem
from patchtool.files import Files
from patchtool.grid import Trials
from patchtool.package import Package
from patchtool.project import Guard
from patchtool.store import Store
from patchtool.verdict import Run

LEAD = Package(ecosystem="npm", name="lead", version="1.0.0")
OTHER = Package(ecosystem="npm", name="lead", version="2.0.0")

PROGRAM = """\
import os, pathlib
text = pathlib.Path(os.environ["PATCHTOOL_STACK"], "lead/index.js").read_text()
child = "" if "right" in text else "<failure/>"
pathlib.Path(os.environ["PATCHTOOL_JUNIT"]).write_text(
    f'<testsuite><testcase name="is right">{child}</testcase></testsuite>'
)
with open("runs", "a") as runs:
    runs.write("x")
raise SystemExit(1 if child else 0)
"""


class Laid:
    """An ecosystem whose stacks are made of one file."""

    def __init__(self) -> None:
        self.identity = "runtime 1"

    def lay_out(self, packages: Sequence[Package], store: Store) -> Path:
        """Publish a stack with the lead's version in it."""
        lock = str(packages).encode()
        found = stack.find(lock, store)
        if found:
            return found
        with store.cache.scratch() as directory:
            (directory / "lead").mkdir()
            (directory / "lead/index.js").write_text(f"broken {packages[0].version}\n")
            return stack.publish(directory, lock, store)

    def package_directory(self, base: Path, name: str) -> Path:
        """Beside each other."""
        return base / name

    def runtime(self, _store: Store) -> Runtime:
        """The Python that runs the tests."""
        return Runtime(identity=self.identity, environment={"PATH": os.environ["PATH"]})


@pytest.fixture
def laid(monkeypatch: pytest.MonkeyPatch) -> Laid:
    """The ecosystem of every package."""
    made = Laid()
    monkeypatch.setattr(ecosystems, "of", lambda _: made)
    return made


@pytest.fixture
def trials(tmp_path: Path, make_store: Callable[..., Store], laid: Laid) -> Trials:
    """A guard with one case."""
    del laid
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard/run.py").write_text(PROGRAM)
    command = (sys.executable, "-I", "-S", "guard/run.py")
    guard = Guard(path=tmp_path / "guard", command=command, timeout=30)
    return Trials(guard=guard, store=make_store())


def runs(trials: Trials) -> int:
    """How many runs there were."""
    path = trials.store.root / "runs"
    return len(path.read_text()) if path.exists() else 0


RIGHT: Mapping[str, Files] = {"lead": {"index.js": file("right\n")}}
FAILS, PASSES = Run(passed={"is right": False}), Run(passed={"is right": True})


def test_stack_is_run_without_and_with_the_changes(trials: Trials) -> None:
    """The same release in two stacks: each run twice, the laid-out one stays as it was."""
    assert trials.run([LEAD]) == FAILS
    assert trials.run([LEAD], RIGHT) == PASSES
    assert trials.run([LEAD]) == FAILS
    assert runs(trials) == 4


def test_changes_of_no_file_are_the_same_stack(trials: Trials) -> None:
    """A package whose patches change nothing costs no second stack."""
    trials.run([LEAD])
    assert trials.run([LEAD], {"lead": {}}) == FAILS
    assert trials.run([LEAD], {}) == FAILS
    assert runs(trials) == 2


def test_each_release_and_runtime_has_runs_of_its_own(trials: Trials, laid: Laid) -> None:
    """What is kept is never taken for another release, or another Node.js."""
    trials.run([LEAD])
    trials.run([OTHER])
    assert runs(trials) == 4
    laid.identity = "runtime 2"
    trials.run([LEAD])
    assert runs(trials) == 6


def test_stack_that_cannot_be_laid_out_is_not_known(
    trials: Trials, laid: Laid, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of the ecosystem passes through: there is no run."""

    def fail(*_: object) -> Path:
        raise CannotTell(Problem(kind="npm", what="no"))

    monkeypatch.setattr(laid, "lay_out", fail)
    with pytest.raises(CannotTell):
        trials.run([LEAD])
    assert runs(trials) == 0
