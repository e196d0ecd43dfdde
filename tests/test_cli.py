"""The command line: help for strangers, errors that become exit codes, and one JSON document."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from app_making import App
from patch_making import file
from patchtool import __version__, cli
from patchtool.commands import COMMANDS, Answer
from patchtool.errors import CannotTell, PatchError, Problem, UsageError

NAMES = [command.name for command in COMMANDS]
PROBLEM = Problem(kind="some-kind", what="went wrong", subject="x.patch", remedy="do this")


@pytest.fixture
def status(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Let the command `status` end in an error."""

    def fail(error: BaseException) -> None:
        def run(**_: object) -> None:
            raise error

        module = ModuleType("status")
        vars(module).update(run=run, configure=lambda _: None)
        monkeypatch.setitem(sys.modules, "patchtool.commands.status", module)

    return fail


@pytest.mark.parametrize(("words", "python"), [([], None), (["--python", "here"], "here")])
def test_a_command_is_handed_its_environment(
    words: list[str], python: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--python` is in what the command gets, and nothing of it is left in the process."""
    monkeypatch.delenv("PATCHTOOL_PYTHON", raising=False)
    given: list[Mapping[str, str]] = []

    def run(*, environment: Mapping[str, str], **_: object) -> None:
        given.append(environment)
        raise CannotTell(PROBLEM)

    module = ModuleType("status")
    vars(module).update(run=run, configure=lambda _: None)
    monkeypatch.setitem(sys.modules, "patchtool.commands.status", module)
    cli.main(["status", *words])
    assert [each.get("PATCHTOOL_PYTHON") for each in given] == [python]
    assert "PATCHTOOL_PYTHON" not in os.environ


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PatchError(PROBLEM), 1),
        (UsageError(PROBLEM), 2),
        (CannotTell(PROBLEM), 3),
    ],
)
def test_each_error_has_its_exit_code(
    status: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    code: int,
) -> None:
    """No, wrong usage, could not tell: the message on stderr, or one document on stdout."""
    status(error)
    assert cli.main(["status"]) == code
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "patchtool: x.patch: went wrong\n  try: do this\n")
    assert cli.main(["status", "--json"]) == code
    said = capsys.readouterr()
    assert said.err == ""
    assert json.loads(said.out) == {
        "error": {
            "kind": "some-kind",
            "message": "went wrong",
            "subject": "x.patch",
            "try": "do this",
        }
    }


def test_bug_is_exit_4_with_its_traceback(
    status: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody thought of is a bug of ours, and says so; --json is one document still."""
    status(ZeroDivisionError("oh"))
    assert cli.main(["status"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "ZeroDivisionError: oh" in said.err
    assert "this is a bug in patchtool" in said.err
    assert cli.main(["status", "--json"]) == 4
    said = capsys.readouterr()
    assert json.loads(said.out)["error"]["kind"] == "bug"
    assert "ZeroDivisionError: oh" in said.err


def test_interrupt_is_exit_130(
    status: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends without a traceback."""
    status(KeyboardInterrupt())
    assert cli.main(["status"]) == 130
    assert capsys.readouterr().err == "patchtool: interrupted\n"


@pytest.mark.parametrize(
    ("words", "in_message"),
    [
        ([], "COMMAND"),
        (["no-such-command"], "no-such-command"),
        (["--json"], "COMMAND"),
        (["--no-such-option"], "COMMAND"),
        (["status", "--no-such-option"], "--no-such-option"),
        (["should-delete", "--to"], "--to"),
    ],
)
def test_wrong_words_are_wrong_usage(
    capsys: pytest.CaptureFixture[str], words: list[str], in_message: str
) -> None:
    """No command, an unknown one, an unknown option, a missing value: exit 2 and what helps."""
    assert cli.main(words) == 2
    said = capsys.readouterr()
    text = said.out if "--json" in words else said.err
    assert in_message in text
    assert "--help" in text


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_overview_names_every_command(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    """Each with its line, then what the exit codes mean."""
    with pytest.raises(SystemExit) as caught:
        cli.main(words)
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for command in COMMANDS:
        assert f"  {command.name} " in text
        assert command.summary in text
    assert "exit codes:" in text


@pytest.mark.parametrize("name", NAMES)
def test_help_of_each_command_can_be_read_by_a_stranger(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """What it does, each option in words, when which exit code, and an example that parses."""
    with pytest.raises(SystemExit) as caught:
        cli.main([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "exit codes:" in text
    assert "--json" in text
    assert f"patchtool {name}" in text.partition("examples:")[2]
    assert max(map(len, text.splitlines())) <= 100


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The name and the version."""
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"patchtool {__version__}\n"


def test_every_answer_has_an_exit_code() -> None:
    """Yes is 0 and nothing else is."""
    assert {answer: cli.CODES[answer] for answer in Answer} == {
        Answer.YES: 0,
        Answer.NO: 1,
        Answer.UNKNOWN: 3,
    }


@pytest.mark.parametrize("name", NAMES)
def test_command_in_a_directory_without_a_project_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Nothing there: wrong usage, the directory, and a command that finds patches."""
    assert cli.main([name, "--root", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert str(tmp_path) in said.err
    assert "  try: " in said.err


def test_program_ends_quietly_when_its_reader_has_gone(tmp_path: Path) -> None:
    """`patchtool ... | head -0`: no traceback, and not exit 0 either."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "patchtool", "status", "--json", "--root", tmp_path],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.fixture
def patched(tmp_path: Path) -> Path:
    """An app whose one package has its patch on, in a directory that ASCII cannot name."""
    app = App(tmp_path / "app \N{LATIN SMALL LETTER E WITH ACUTE}")
    app.install("a", "1.0.0", {"x.js": file("new\n")})
    app.patch("a+1.0.0.patch", "a", {"x.js": (file("old\n"), file("new\n"))})
    return app.root


def test_program_says_what_its_output_cannot_spell(patched: Path) -> None:
    """A path with other letters than the terminal's is no bug: they are escaped."""
    done = subprocess.run(
        [sys.executable, "-m", "patchtool", "apply", "--root", patched],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"app \xe9/node_modules/a" in done.stdout


def test_program_without_an_output_answers_all_the_same(patched: Path) -> None:
    """`patchtool apply >&- 2>&-`: the exit code is the answer."""
    command = f"{shlex.quote(sys.executable)} -m patchtool apply --root {shlex.quote(str(patched))}"
    for words in (f"{command} >&-", f"{command} >&- 2>&-"):
        done = subprocess.run(["sh", "-c", words], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize("options", [[], ["--json"], ["--json", "no-such-fix"]])
def test_program_tells_that_it_cannot_write_its_report(patched: Path, options: list[str]) -> None:
    """A full disk behind stdout: exit 3, no traceback."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "patchtool", "apply", "--root", patched, *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        3,
        "patchtool: cannot write the report: No space left on device\n",
    )


def test_a_command_without_its_extra_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library that only an extra brings is no bug when it is missing: exit 3, and what to do."""
    for name in [name for name in sys.modules if name.startswith(("patchtool.mut", "tree_sitter"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "patchtool.commands.mutate", raising=False)
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert cli.main(["mutate", "--help"]) == 3
    assert f"try: {sys.executable} -m pip install 'patchtool[mutate]'" in capsys.readouterr().err


def test_what_is_told_to_be_run_is_about_the_same_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is printed, from where the command was given, in text and in JSON."""
    app = App(tmp_path / "an app")
    app.install("a", "1.0.0", {"x.js": file("old\n")})
    app.patch("a+1.0.0.patch", "a", {"x.js": (file("old\n"), file("new\n"))})
    app.manifest(["pkg:npm/a@1.0.0"])
    app.lock({"a@1.0.0": {"x.js": file("old\n")}})
    (tmp_path / "an app/patches").rename(tmp_path / "kept")
    monkeypatch.chdir(tmp_path)
    words = ["status", "--root", "an app", "--patches", "kept"]
    assert cli.main(words) == 1
    (told,) = (line for line in capsys.readouterr().out.splitlines() if "try: " in line)
    assert cli.main([*words, "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    command = told.partition("try: ")[2]
    assert command == problem["try"] == "patchtool apply --root 'an app' --patches kept"
    assert cli.main(shlex.split(command)[1:]) == 0
    assert cli.main(words) == 0
