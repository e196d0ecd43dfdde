"""Runs a guard on a stack and turns its JUnit report into evidence.

A guard is any command that writes JUnit XML; it never learns whether the patch is on. Every run
is a process of its own. A run that gave no evidence is a value (`Run.broken`), not an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from patchtool import __version__, plain_file, process, stack
from patchtool.contents import contents
from patchtool.errors import CannotTell
from patchtool.junit import LARGEST_REPORT, Case, Outcome, read
from patchtool.project import Guard
from patchtool.store import Store
from patchtool.verdict import Run
from patchtool.workers import side_by_side

# How much of a broken run's output is shown: the end says most.
SHOWN_OUTPUT = 4000

# How much of what a report says of one failed case: the start, with the message, says most.
SHOWN_DETAIL = 1000

# The words in a report's `broken` for each outcome that is no evidence.
NO_EVIDENCE = {
    Outcome.ERROR: "ended in an error",
    Outcome.RETRIED: "were run again in one run, and gave two outcomes",
    Outcome.SKIPPED: "were skipped",
    Outcome.XFAIL: "are marked xfail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a guard runs on: a stack's directory, the key of its content, and how to run there.

    `environment` is what the ecosystem's programs need to be found and to reach nothing else.
    """

    directory: Path
    key: str
    environment: Mapping[str, str]


def measure(guard: Guard, target: Target, *, store: Store, times: int, fresh: bool = False) -> Run:
    """What the guard says of a stack when run `times` times, all of which must agree.

    Runs are kept by content (the guard's files, the stack, this interpreter and patchtool), so
    that a second call costs no run; `fresh` ignores what is kept. Broken runs are never kept, nor
    are runs after which the stack is not what it was.
    """
    key = identity(guard, target, store.root)
    kept = [] if fresh else _kept(store, key)
    made: list[Run] = []
    with closing(_runs(guard, target, store.root, times - len(kept))) as more:
        for run in more:
            if run.broken is not None:
                return run
            made.append(run)
    runs = kept + made
    if made:
        if changed := stack.changed(target.directory):
            return Run(broken=f"the guard has changed the stack: {_few(changed)}")
        store.keep("runs", key, json.dumps([_plain(run) for run in runs]).encode())
    return agree(runs)


def _runs(guard: Guard, target: Target, root: Path, count: int) -> Generator[Run, None, None]:
    """So many runs: one after the other, or all at once if the guard allows that."""
    if not guard.parallel:
        for _ in range(count):
            yield run_once(guard, target, root=root)
        return
    stop = Event()

    def run(_number: int) -> Run:
        return run_once(guard, target, root=root, stop=stop)

    yield from side_by_side(run, range(count), workers=max(count, 1), stop=stop)


def run_once(guard: Guard, target: Target, *, root: Path, stop: Event | None = None) -> Run:
    """Run the guard on a stack once; `stop` ends the run when another thread sets it."""
    # What the guard has left running may still write there, which is no fault of the run.
    with tempfile.TemporaryDirectory(prefix="patchtool-", ignore_cleanup_errors=True) as scratch:
        report = Path(scratch, "junit.xml")
        command = guard.command or pytest_command(guard, root, scratch, f"--junitxml={report}")
        environment = {**run_environment(target, scratch), "PATCHTOOL_JUNIT": str(report)}
        try:
            done = process.run(
                command, directory=root, environment=environment, timeout=guard.timeout, stop=stop
            )
        except process.TimedOut as error:
            return Run(broken=_with_tail(error.problem.what, _text(error.stdout + error.stderr)))
        except CannotTell as error:
            return Run(broken=error.problem.what)
        output = _text(done.stdout + done.stderr)
        if not report.is_file():
            return Run(broken=_with_tail(f"exited {done.code} and wrote no JUnit report", output))
        try:
            found = read(plain_file.read(report, LARGEST_REPORT))
        except OSError as error:
            return Run(broken=_with_tail(f"wrote a report that cannot be read: {error}", output))
        except CannotTell as error:
            return Run(broken=_with_tail(f"{error.problem.what}: {error.problem.found}", output))
    return evidence(found, exit_code=done.code, output=output)


def evidence(cases: Sequence[Case], *, exit_code: int, output: str = "") -> Run:
    """Turn the cases of one report into a run; broken if any required case gave no evidence."""
    required = [case for case in cases if not case.boundary]
    for outcome, words in NO_EVIDENCE.items():
        names = [case.name for case in required if case.outcome is outcome]
        if names:
            return Run(broken=_with_tail(f"required cases {words}: {_few(names)}", output))
    if not required:
        return Run(broken=_with_tail(f"exited {exit_code} and collected no required case", output))
    failed = any(case.outcome is not Outcome.PASSED for case in cases)
    if exit_code not in (0, 1) or (exit_code == 0) == failed:
        said = "failing cases" if failed else "no failing case"
        return Run(broken=_with_tail(f"exited {exit_code}, but reports {said}", output))
    return Run(
        passed={case.name: case.outcome is Outcome.PASSED for case in required},
        boundary={case.name: case.outcome is Outcome.PASSED for case in cases if case.boundary},
        details={case.name: case.detail[:SHOWN_DETAIL] for case in required if case.detail},
    )


def agree(runs: Sequence[Run]) -> Run:
    """The one run that all of these are, or a broken run that names the cases that differ."""
    first = runs[0]
    names = [
        name
        for name in sorted({name for run in runs for name in run.passed})
        if len({run.passed.get(name) for run in runs}) > 1
    ]
    if names:
        return Run(broken=f"{_few(names)} gave two outcomes in {len(runs)} runs")
    return first


def run_environment(target: Target, scratch: str) -> dict[str, str]:
    """The environment of a guard that runs on a stack, with its temporary files in `scratch`.

    What happens to be installed beside pytest must not change what a guard says, and no Python may
    leave bytecode in the stack. Temporary files go when the run ends, even if it is killed.
    """
    return {
        **target.environment,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATCHTOOL_STACK": str(target.directory),
        "TMPDIR": scratch,
    }


def pytest_command(guard: Guard, root: Path, scratch: str, *options: str) -> list[str]:
    """The command of a guard that names none; the project's own pytest settings stay out of it.

    A guard's settings are in `pytest.ini` of its top folder. The cases' temporary files go to
    `scratch`; pytest by itself would leave them behind.
    """
    top = top_folder(guard, root)
    settings = top / "pytest.ini"
    if not settings.is_file():
        settings = Path(scratch, "pytest.ini")
        settings.touch()
    return [
        *(sys.executable, "-m", "pytest", "-p", "patchtool.pytest_plugin"),
        *("-p", "no:cacheprovider", "-o", "addopts=", "-o", "junit_family=xunit2"),
        *("-c", str(settings), f"--rootdir={top}", f"--confcutdir={top}", "--tb=short", "-q"),
        f"--basetemp={scratch}/cases",
        *(*options, str(guard.path)),
    ]


def top_folder(guard: Guard, root: Path) -> Path:
    """The guard's first folder below the root: what stands beside a guard can change its say."""
    return root / guard.path.relative_to(root).parts[0]


def identity(guard: Guard, target: Target, root: Path) -> str:
    """What a run depends on, as far as it can be known, in one hash.

    That is the guard's top folder, what its command names, the stack, the programs that run it,
    and the language and time zone. PATH, HOME, the place for temporary files and proxies are not
    in it: they say where things are and not what they do, and differ from shell to shell.
    """
    spoken = re.compile("TZ|LANG|LANGUAGE|LC_.*")
    facts = {
        "patchtool": __version__,
        "python": [sys.version, platform.platform()],
        "guard": [str(guard.path.relative_to(root)), list(guard.command or ()), guard.timeout],
        "files": contents([top_folder(guard, root), *_named(guard, root)], root),
        "language": {k: v for k, v in target.environment.items() if spoken.fullmatch(k)},
        "stack": target.key,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _named(guard: Guard, root: Path) -> list[Path]:
    """What the words of the guard's command name below the root, also as `--option=path`."""
    words = [part for word in guard.command or () for part in (word, word.partition("=")[2])]
    places = [Path(os.path.normpath(root / word)) for word in words]
    return [place for place in places if root in place.parents and os.access(place, os.F_OK)]


def _kept(store: Store, key: str) -> list[Run]:
    data = store.kept("runs", key)
    if data is None:
        return []
    return [
        Run(passed=run["passed"], boundary=run["boundary"], details=run.get("details", {}))
        for run in json.loads(data)
    ]


def _plain(run: Run) -> dict[str, Mapping[str, object]]:
    return {"passed": run.passed, "boundary": run.boundary, "details": run.details}


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _with_tail(what: str, output: str) -> str:
    tail = output.strip()[-SHOWN_OUTPUT:]
    return f"{what}\n{tail}" if tail else what


def _few(names: Sequence[str]) -> str:
    most = 5
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
