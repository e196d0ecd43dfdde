"""The command in its small form, and that its trials would notice what is wrong."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from patchtool import cli
from patchtool.tree import writing
from patchtool.tree.writing import Directory

from .bench import Bench
from .injector import WRITING, Injector, run
from .scenarios import SCENARIOS, Scenario
from .trial import KILL, Fault, attempt

ROOT = Path(__file__).parents[2]

# In their package, functions have the same names.
swap, update = (importlib.import_module(f"patchtool.tree.{name}") for name in ("swap", "update"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The scenario with every kind of change."""
    return Bench(SCENARIOS[0], tmp_path)


def test_the_command_survives_every_fault_of_its_small_form() -> None:
    """Each scenario is killed, killed twice and failed, and nothing is wrong."""
    words = [sys.executable, "-m", "tests.faults", "--small"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    rows = [line for line in done.stdout.splitlines() if re.search(r"(\s+\d+){7}$", line)]
    assert len(rows) == len(SCENARIOS)
    assert all(int(count) > 0 for row in rows for count in row.split()[-7:-1])


# Python's audit events for what changes files; opening one is another matter.
CHANGING = frozenset(
    f"os.{name}"
    for name in ("rename", "link", "symlink", "remove", "rmdir", "mkdir", "chmod", "chown",
                 "truncate", "utime", "setxattr", "removexattr")
)  # fmt: skip


class Watching(Injector):
    """An injector that knows which threads are within a step."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        step = super().__getattr__(name)

        def watched(*arguments: Any, **options: Any) -> Any:
            self.inside.add(threading.get_ident())
            try:
                return step(*arguments, **options)
            finally:
                self.inside.discard(threading.get_ident())

        return watched if name in WRITING else step


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_nothing_changes_the_tree_but_steps(scenario: Scenario, tmp_path: Path) -> None:
    """Of all that Python itself notes of changes to files, nothing is outside of a step."""
    bench = Bench(scenario, tmp_path)
    bench.reset()
    watching = Watching()

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        is_change = event in CHANGING or (event == "open" and arguments[2] & os.O_ACCMODE)
        if is_change and os.fsdecode(arguments[0]).startswith(str(bench.place)):
            noted.append(event)
            assert threading.get_ident() in watching.inside, (event, arguments)

    def work() -> int:
        sys.addaudithook(note)
        code = cli.main(list(scenario.words(bench.place)))
        return code if len(noted) > 20 else 1

    noted: list[str] = []
    done = run(work, watching)
    assert (done.code, done.err) == (0, "")


def swapping(bench: Bench, kind: str) -> str:
    """What is wrong with a fault while paths are changed, at the first step where something is."""
    for at in range(bench.writing.index("replace") + 2, len(bench.writing) + 1):
        if wrong := attempt(bench, Fault(kind=kind, at=at)).wrong:
            return wrong[0]
    return ""


def test_a_write_in_place_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a file written over instead of replaced, a kill would be seen to tear it."""
    move = Directory.move

    def write_over(self: Directory, source: str, path: str) -> None:
        fresh, old = (Path(os.fsdecode(self._full(each))) for each in (source, path))
        if fresh.is_symlink() or old.name != "edited.js":
            move(self, source, path)
            return
        injector = vars(writing)["os"]  # in a trial it has the place of `os` there
        handle = injector.open(old, os.O_WRONLY | os.O_TRUNC)
        data = fresh.read_bytes()
        while data:
            data = data[injector.write(handle, data) :]
        os.close(handle)
        fresh.unlink()

    monkeypatch.setattr(Directory, "move", write_over)
    assert ": torn: tree/edited.js" in swapping(bench, KILL)


def test_a_run_that_does_not_recover_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Did the next run not finish what a killed one has begun, that would be seen."""
    monkeypatch.setattr(update, "recover", lambda _: None)
    assert ": the next run" in swapping(bench, KILL)


def test_an_error_that_is_not_put_back_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were nothing put back, what the message says would be seen to be untrue."""
    monkeypatch.setattr(swap, "_undo", lambda *_: None)
    assert "everything is put back" in swapping(bench, "EIO")


def test_an_error_that_nobody_explains_is_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A traceback is not one message."""
    monkeypatch.setattr(swap, "_told", lambda error, *_: error)
    assert "exit 4 and not one message" in swapping(bench, "EROFS")
