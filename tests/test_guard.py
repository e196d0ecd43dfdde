"""Guard runs: what counts as evidence, that runs are separate, and what is kept between them."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from patchtool import guard as guards
from patchtool import stack
from patchtool.guard import SHOWN_DETAIL, Target, agree, evidence, identity, measure, run_once
from patchtool.junit import Case, Outcome
from patchtool.project import Guard
from patchtool.store import Store
from patchtool.verdict import Run

# A guard that is a program: it runs the rest of the file with `report` for its cases.
PRELUDE = """\
import os, pathlib, sys
def report(**cases):
    children = {True: "", False: "<failure/>", None: "<skipped/>"}
    text = "".join(f'<testcase name="{name}">{children[case]}</testcase>' for name, case in cases.items())
    pathlib.Path(os.environ["PATCHTOOL_JUNIT"]).write_text(f"<testsuite>{text}</testsuite>")
    sys.exit(0 if all(case is not False for case in cases.values()) else 1)
with open("runs", "a") as runs:
    runs.write("x")
"""  # noqa: E501


class Bench:
    """A project with one guard, a stack to run it on, and a store."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        (root / "guard").mkdir()
        with store.cache.scratch() as directory:
            (directory / "lib").mkdir()
            (directory / "lib/it.py").write_text("value = 1\n")
            place = stack.publish(directory, b"lock", store)
        self.target = Target(
            directory=place, key="a stack", environment={"PATH": os.environ["PATH"]}
        )

    @property
    def runs(self) -> int:
        """How many runs there were, of guards that are programs."""
        path = self.root / "runs"
        return len(path.read_text()) if path.exists() else 0

    def program(self, text: str, *, timeout: float = 30) -> Guard:
        """A guard that is a program of its own."""
        path = self.root / "guard" / "run.py"
        path.write_text(PRELUDE + text)
        command = (sys.executable, "-I", "-S", str(path))
        return Guard(path=self.root / "guard", command=command, timeout=timeout)

    def pytest(self, text: str) -> Guard:
        """A guard for pytest, with one file of tests."""
        path = self.root / "guard" / "test_it.py"
        path.write_text(f"import pytest\n{text}")
        return Guard(path=self.root / "guard", command=None, timeout=60)

    def once(self, guard: Guard) -> Run:
        """One run."""
        return run_once(guard, self.target, root=self.root)

    def measure(self, guard: Guard, times: int = 2, *, fresh: bool = False) -> Run:
        """As many runs as are asked for, of which some may be kept."""
        return measure(guard, self.target, store=self.store, times=times, fresh=fresh)


@pytest.fixture
def bench(tmp_path: Path, make_store: Callable[..., Store]) -> Bench:
    """An empty bench."""
    return Bench(tmp_path, make_store())


def cases(**outcomes: Outcome) -> list[Case]:
    """Required cases by name."""
    return [Case(name=name, outcome=outcome) for name, outcome in outcomes.items()]


def test_passes_and_failures_are_evidence() -> None:
    """Each required case by name; boundary cases beside them."""
    found = [
        *cases(a=Outcome.PASSED, b=Outcome.FAILED),
        Case(name="c", outcome=Outcome.FAILED, boundary=True),
    ]
    assert evidence(found, exit_code=1) == Run(
        passed={"a": True, "b": False}, boundary={"c": False}
    )


def test_what_a_report_says_of_a_failed_case_is_kept_and_is_no_evidence(bench: Bench) -> None:
    """As far as somebody may read it; runs that say it in other words are the same run."""
    long = Case(name="a", outcome=Outcome.FAILED, detail="why " * 1000)
    run = evidence([long], exit_code=1)
    assert run.details["a"].startswith("why why")
    assert len(run.details["a"]) <= SHOWN_DETAIL
    assert agree([run, Run(passed={"a": False})]) == run
    guard = bench.pytest("def test_a():\n    assert 1 + 1 == 3")
    assert "assert (1 + 1) == 3" in bench.measure(guard).details["test_it::test_a"]
    assert bench.measure(guard).details == bench.measure(guard, fresh=True).details


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.ERROR, "error"),
        (Outcome.RETRIED, "two outcomes"),
        (Outcome.SKIPPED, "skipped"),
        (Outcome.XFAIL, "xfail"),
    ],
)
@pytest.mark.parametrize("exit_code", [0, 1])
def test_one_required_case_without_an_outcome_breaks_the_run(
    outcome: Outcome, words: str, exit_code: int
) -> None:
    """However many others pass: an error, a skip or an xfail is missing evidence, by name."""
    run = evidence(cases(a=Outcome.PASSED, b=outcome), exit_code=exit_code)
    assert run.broken is not None
    assert words in run.broken
    assert "b" in run.broken
    assert run.passed == {}


@pytest.mark.parametrize(
    "outcome", [Outcome.ERROR, Outcome.RETRIED, Outcome.SKIPPED, Outcome.XFAIL]
)
def test_a_boundary_case_decides_nothing(outcome: Outcome) -> None:
    """Whatever it gives, the required cases are evidence."""
    found = [*cases(a=Outcome.PASSED), Case(name="b", outcome=outcome, boundary=True)]
    assert evidence(found, exit_code=1) == Run(passed={"a": True}, boundary={"b": False})


def test_boundary_cases_alone_are_no_evidence() -> None:
    """A guard whose every case is a boundary case has collected nothing."""
    found = [Case(name="b", outcome=Outcome.PASSED, boundary=True)]
    assert "no required case" in str(evidence(found, exit_code=0).broken)


@pytest.mark.parametrize(
    ("outcome", "exit_code"),
    [
        (Outcome.PASSED, 1),
        (Outcome.FAILED, 0),
        (Outcome.PASSED, 2),
        (Outcome.FAILED, 2),
        (Outcome.PASSED, -9),
        (Outcome.FAILED, 137),
    ],
)
def test_an_exit_code_that_the_report_does_not_explain_breaks_the_run(
    outcome: Outcome, exit_code: int
) -> None:
    """Killed, interrupted, failing without a failing case: the report may not be whole."""
    run = evidence(cases(a=outcome), exit_code=exit_code, output="the end")
    assert run.broken is not None
    assert f"exited {exit_code}" in run.broken
    assert "the end" in run.broken


def test_a_case_that_changes_its_mind_is_named() -> None:
    """Two runs that differ in one case agree on nothing."""
    same, other = Run(passed={"a": True, "b": True}), Run(passed={"a": True, "b": False})
    assert agree([same, same]) == same
    assert agree([same, other]).broken == "b gave two outcomes in 2 runs"
    assert agree([same, same, other]).passed == {}


@pytest.mark.parametrize("others", [{}, {"a": True}, {"a": True, "b": True, "c": True}])
def test_runs_with_other_cases_do_not_agree(others: dict[str, bool]) -> None:
    """A case that only some runs have gave two outcomes."""
    assert agree([Run(passed={"a": True, "b": True}), Run(passed=others)]).broken is not None


def test_a_program_is_told_the_stack_and_nothing_of_the_patch(bench: Bench) -> None:
    """The stack, where the report and temporary files go, and the given environment: no more."""
    guard = bench.program(
        "import json\n"
        'pathlib.Path("environment").write_text(json.dumps(dict(os.environ)))\n'
        "report(a=True)\n"
    )
    assert bench.once(guard) == Run(passed={"a": True})
    seen = json.loads((bench.root / "environment").read_text())
    assert seen["PATCHTOOL_STACK"] == str(bench.target.directory)
    names = {name for name in seen if name != "LC_CTYPE"}  # Python sets it for itself
    told = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD", "PYTHONDONTWRITEBYTECODE", "TMPDIR"}
    assert names == {"PATH", "PATCHTOOL_STACK", "PATCHTOOL_JUNIT"} | told
    assert Path(seen["PATCHTOOL_JUNIT"]).parent == Path(seen["TMPDIR"])
    assert not Path(seen["TMPDIR"]).exists()


def test_what_a_guard_has_left_running_cannot_break_its_run(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that goes on writing among the temporary files takes nothing from the evidence."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    guard = bench.program(
        "import subprocess\n"
        "os.chdir(os.environ['TMPDIR'])\n"
        f"busy = 'while [ ! -e {tmp_path}/end ]; do mkdir -p x/$((i=i+1))/y; done'\n"
        "quiet = subprocess.DEVNULL\n"
        "subprocess.Popen(['sh', '-c', busy], start_new_session=True, stdout=quiet, stderr=quiet)\n"
        "while not os.path.exists('x'): pass\n"
        "report(a=True)\n"
    )
    run = bench.once(guard)
    (tmp_path / "end").touch()
    assert run == Run(passed={"a": True})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('what went wrong'); sys.exit(1)", ["exited 1", "no JUnit report", "what went"]),
        ("report()", ["no required case"]),
        ("report(a=None, b=None)", ["required cases were skipped", "a, b"]),
        ("pathlib.Path(os.environ['PATCHTOOL_JUNIT']).write_text('<test')", ["not XML"]),
        ("open(os.environ['PATCHTOOL_JUNIT'], 'w').truncate(1 << 40)", ["too large"]),
        ("os.kill(os.getpid(), 9)", ["exited -9", "no JUnit report"]),
        ("print('started', flush=True)\nwhile True: pass", ["more than 0.5 seconds"]),
    ],
)
def test_a_run_without_evidence_says_why(bench: Bench, text: str, words: Sequence[str]) -> None:
    """No report, no case, no outcome, no end: each is told, with the end of the output."""
    guard = bench.program(text, timeout=0.5 if "while" in text else 30)
    broken = bench.once(guard).broken
    assert broken is not None
    assert [word for word in words if word not in broken] == []


def test_a_guard_that_hangs_shows_what_it_said(bench: Bench) -> None:
    """What a guard printed before its time was up explains where it hangs."""
    guard = bench.program("print('waiting for x', flush=True)\nwhile True: pass", timeout=0.5)
    assert "waiting for x" in str(bench.once(guard).broken)


def test_a_guard_that_cannot_be_started_is_no_error_of_ours(bench: Bench) -> None:
    """The program is not there: the run is broken, and says which program."""
    guard = replace(bench.program(""), command=("no-such-program",))
    assert "no-such-program" in str(bench.once(guard).broken)


def test_pytest_runs_what_is_in_the_path(bench: Bench) -> None:
    """Cases by the file and function; a mark makes a boundary case; `stack` is a fixture."""
    guard = bench.pytest(
        "def test_stack(stack): assert stack.is_dir()\n"
        "def test_fails(): assert False\n"
        "@pytest.mark.boundary\n"
        "def test_boundary(): assert False\n"
    )
    run = bench.once(guard)
    assert run == Run(
        passed={"test_it::test_stack": True, "test_it::test_fails": False},
        boundary={"test_it::test_boundary": False},
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no required case"),
        ("pytest.skip('no', allow_module_level=True)", "skipped"),
        ("@pytest.mark.xfail\ndef test_a(): pass", "xfail"),
        ("def test_a(): pytest.xfail('no')", "xfail"),
        ("@pytest.fixture\ndef broken(): 1 / 0\ndef test_a(broken): pass", "error"),
        ("def test_a(): pass\ndef test_b(): pytest.exit('enough', 0)", "without a name"),
        ("import os\ndef test_a(): os._exit(0)", "no JUnit report"),
    ],
)
def test_pytest_without_outcomes_is_no_evidence(bench: Bench, text: str, words: str) -> None:
    """Nothing collected, skips, xfails, xpasses, errors and early ends all break the run."""
    run = bench.once(bench.pytest(text))
    assert words in str(run.broken), run


def test_the_project_s_own_pytest_options_stay_out(bench: Bench) -> None:
    """A guard gives the same whatever the project around it tells pytest."""
    (bench.root / "conftest.py").write_text("raise SystemExit('loaded')")
    (bench.root / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    assert bench.once(bench.pytest("def test_a(): pass\n")).broken is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\n"),
        ("tox.ini", "[pytest]\n"),
        ("setup.cfg", "[tool:pytest]\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
    ],
)
def test_settings_are_the_guard_s_own(bench: Bench, name: str, text: str) -> None:
    """No file of the project's says what pytest collects or imports; the guard's own does."""
    guard = bench.pytest("def test_a(): pass\ndef check_b(): pass\n")
    quote = '"' if name.endswith("toml") else ""
    (bench.root / name).write_text(f"{text}python_functions = {quote}check_*{quote}\n")
    assert bench.measure(guard) == Run(passed={"test_it::test_a": True})
    (bench.root / "guard/pytest.ini").write_text("[pytest]\npython_functions = *_*\n")
    both = {"test_it::test_a": True, "test_it::check_b": True}
    assert bench.measure(guard) == Run(passed=both)


def test_runs_are_kept_until_something_they_depend_on_changes(bench: Bench) -> None:
    """A second call costs no run; another guard, stack or count of runs costs what is missing."""
    guard = bench.program("report(a=True)")
    assert bench.measure(guard) == bench.measure(guard) == Run(passed={"a": True})
    assert bench.runs == 2
    bench.measure(guard, 3)
    assert bench.runs == 3
    bench.target = replace(bench.target, key="another stack")
    bench.measure(guard)
    assert bench.runs == 5
    bench.measure(bench.program("report(a=True)  # changed"))
    assert bench.runs == 7
    (bench.root / "guard" / "case.json").write_text("{}")
    bench.measure(bench.program("report(a=True)  # changed"))
    assert bench.runs == 9
    bench.measure(replace(guard, timeout=31))
    assert bench.runs == 11


def test_fresh_runs_ignore_what_is_kept_and_are_kept(bench: Bench) -> None:
    """`fresh` runs anew, as often as is asked for, and the next call takes what came of it."""
    guard = bench.program("report(a=os.path.exists('good'))")
    assert bench.measure(guard) == Run(passed={"a": False})
    (bench.root / "good").touch()
    assert bench.measure(guard) == Run(passed={"a": False})
    assert bench.measure(guard, fresh=True) == Run(passed={"a": True})
    assert bench.runs == 4
    assert bench.measure(guard) == Run(passed={"a": True})
    assert bench.runs == 4


@pytest.mark.parametrize("more", [{}, {"details": {"a": "why"}, "of another day": 1}])
def test_runs_that_another_state_of_the_tool_kept_are_read(
    bench: Bench, more: dict[str, object]
) -> None:
    """It may have known less of a run, or more; what decides is in all of them."""
    guard = bench.program("report(a=True)")
    key = identity(guard, bench.target, bench.root)
    kept = {"passed": {"a": False}, "boundary": {}, **more}
    bench.store.keep("runs", key, json.dumps([kept, kept]).encode())
    assert bench.measure(guard) == Run(passed={"a": False})


def test_broken_runs_are_not_kept(bench: Bench) -> None:
    """What went wrong may pass by itself: the next call runs again."""
    guard = bench.program("report(a=True) if os.path.exists('good') else sys.exit(1)")
    assert bench.measure(guard).broken is not None
    (bench.root / "good").touch()
    assert bench.measure(guard) == Run(passed={"a": True})


EDIT = """
path = pathlib.Path(os.environ["PATCHTOOL_STACK"], "lib/it.py")
seen = path.stat()
path.chmod(0o644)
path.write_text("value = 2\\n")
path.chmod(seen.st_mode & 0o7777)
os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
"""


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("condition", ["True", "os.path.getsize('runs') == 2"])
def test_a_guard_that_changes_the_stack_is_not_believed(
    bench: Bench, condition: str, parallel: bool
) -> None:
    """In whichever run, and though size and time stay: no run is kept, and the file is named."""
    edit = EDIT.replace("\n", "\n    ")
    guard = bench.program(f"if {condition}:{edit}\nreport(a=True)")
    broken = bench.measure(replace(guard, parallel=parallel)).broken
    assert broken == "the guard has changed the stack: lib/it.py"
    assert "has changed" in str(bench.measure(guard, 1).broken)
    assert bench.runs == 3


@pytest.mark.parametrize("command", [None, (sys.executable, "-S", "guard/run.py")])
def test_python_leaves_the_stack_as_it_is(bench: Bench, command: tuple[str, ...] | None) -> None:
    """A guard that imports from the stack writes no bytecode there."""
    read = "import os, sys; sys.path.insert(0, os.environ['PATCHTOOL_STACK'] + '/lib'); import it"
    bench.pytest(f"def test_a():\n    {read}\n")
    bench.program(f"{read}\nreport(a=True)")
    guard = Guard(path=bench.root / "guard", command=command, timeout=60)
    assert bench.measure(guard, 1).broken is None
    assert not (bench.target.directory / "lib/__pycache__").exists()


def test_a_case_that_fails_every_second_run_is_seen(bench: Bench) -> None:
    """Two runs show it, and so does what was kept of them."""
    guard = bench.program("report(a=os.path.getsize('runs') % 2 == 0)")
    assert "two outcomes" in str(bench.measure(guard).broken)
    assert "two outcomes" in str(bench.measure(guard).broken)


def test_runs_at_once_only_if_the_guard_allows_it(bench: Bench) -> None:
    """Runs that wait for each other end if they may go on at once, and hang if they may not."""
    wait = "import time\nwhile os.path.getsize('runs') % 2: time.sleep(0.01)\nreport(a=True)"
    assert "more than 0.5 seconds" in str(bench.measure(bench.program(wait, timeout=0.5)).broken)
    (bench.root / "runs").unlink()
    guard = replace(bench.program(wait), parallel=True)
    assert bench.measure(guard) == Run(passed={"a": True})
    assert bench.runs == 2


def test_runs_at_once_that_differ_are_no_evidence(bench: Bench) -> None:
    """A case with two outcomes is seen, and a broken run ends the other and is told."""
    text = "try: os.mkdir('first')\nexcept FileExistsError: report(a=False)\nreport(a=True)"
    guard = replace(bench.program(text), parallel=True)
    assert "two outcomes" in str(bench.measure(guard).broken)
    (bench.root / "first").rmdir()
    text = "try: os.mkdir('first')\nexcept FileExistsError: sys.exit(5)\nwhile True: pass"
    guard = replace(bench.program(text), parallel=True)
    assert "exited 5" in str(bench.measure(guard).broken)


@pytest.mark.parametrize("word", ["scripts/run.sh", "./scripts/run.sh", "scripts", "--x=scripts"])
def test_what_the_command_names_counts(bench: Bench, word: str) -> None:
    """A file below the root, or what is in a directory there, changes what a run depends on."""
    long = "x" * 10_000
    guard = replace(bench.program(""), command=("sh", word, "-c", long, ".", "..", "/", "gone"))
    (bench.root / "scripts").mkdir()
    (bench.root / "scripts/run.sh").write_text("one")
    (bench.root / "other.sh").write_text("one")
    before = guards.identity(guard, bench.target, bench.root)
    (bench.root / "other.sh").write_text("two")
    assert guards.identity(guard, bench.target, bench.root) == before
    (bench.root / "scripts/run.sh").write_text("two")
    assert guards.identity(guard, bench.target, bench.root) != before


def test_what_a_link_leads_to_counts(bench: Bench) -> None:
    """What the guard finds through a link to a directory is a part of it."""
    (bench.root / "shared").mkdir()
    (bench.root / "shared/wanted").write_text("one")
    (bench.root / "guard/shared").symlink_to("../shared")
    guard = bench.program("")
    before = guards.identity(guard, bench.target, bench.root)
    (bench.root / "shared/wanted").write_text("two")
    assert guards.identity(guard, bench.target, bench.root) != before


@pytest.mark.parametrize("name", ["TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_NUMERIC"])
def test_language_and_time_zone_count(bench: Bench, name: str) -> None:
    """A case may pass in one of them alone; where programs are is no part of it."""
    guard = bench.program("")
    given = bench.target.environment

    def identity(**more: str) -> str:
        target = replace(bench.target, environment={**given, **more})
        return guards.identity(guard, target, bench.root)

    assert len({identity(), identity(**{name: "C"}), identity(**{name: "de_DE"})}) == 3
    assert identity(PATH="/x", HOME="/x", TMPDIR="/x", HTTPS_PROXY="http://x") == identity()


def test_contents_of_caches_do_not_count(bench: Bench) -> None:
    """Python's bytecode beside a guard changes nothing that a run depends on."""
    guard = bench.program("report(a=True)")
    before = guards.identity(guard, bench.target, bench.root)
    (bench.root / "guard" / "__pycache__").mkdir()
    (bench.root / "guard" / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert guards.identity(guard, bench.target, bench.root) == before
