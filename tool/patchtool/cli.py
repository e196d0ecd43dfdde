"""The command line: the one place where answers and errors become exit codes.

Only the module of the command that was asked for is imported, because `apply` runs at every
install. It must not decide anything: that is the commands' part.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

from patchtool.commands import COMMANDS, Answer, Command
from patchtool.commands.options import add_common
from patchtool.errors import CannotTell, PatchtoolError, Problem, UsageError
from patchtool.remedy import repeat
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

YES, NO, USAGE, UNKNOWN, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 130

CODES = {Answer.YES: YES, Answer.NO: NO, Answer.UNKNOWN: UNKNOWN}


class _Defaults:
    """Takes options as a parser does, for a command without any argument: mostly `apply`'s case.

    It has what the parser would make of no words at all, without the time that takes to import.
    """

    description = epilog = ""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def add_argument(self, *names: str, **options: Any) -> None:
        empty: object = False if options.get("action") == "store_true" else None
        if options.get("nargs") == "*":
            empty = []
        name = names[-1].lstrip("-").replace("-", "_")
        self.values[name] = options.get("default", empty)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code. Prints the report on stdout, trouble on stderr."""
    words = sys.argv[1:] if arguments is None else arguments
    _open_output()
    try:
        code = copy_context().run(_answered, words)  # what it repeats ends with it
        sys.stdout.flush()
    except (_OutputError, OSError) as error:
        reason = error.reason if isinstance(error, _OutputError) else error
        # Python must not complain, when it exits, of what it still has to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(reason, BrokenPipeError):  # the reader has gone (`| head`): say no more
            import signal

            return 128 + signal.SIGPIPE
        what = f"cannot write the report: {reason.strerror}"
        _show(Problem(kind="output", what=what), as_json=False)
        return UNKNOWN
    return code


def _open_output() -> None:
    """Let the report go anywhere: to a closed stream, and where not all letters can be written."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for as long as Python runs
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _answered(words: list[str]) -> int:
    """Run one command, and turn whatever ends it into a message and an exit code."""
    try:
        return _run(words)
    except PatchtoolError as error:
        _show(error.problem, as_json="--json" in words)
        return _code(error)
    except KeyboardInterrupt:
        _show(Problem(kind="interrupted", what="interrupted"), as_json="--json" in words)
        return INTERRUPTED
    except _OutputError:
        raise
    except Exception:
        import traceback

        traceback.print_exc()
        what = "this is a bug in patchtool; please report it with the traceback"
        _show(Problem(kind="bug", what=what), as_json="--json" in words)
        return BUG


def _code(error: PatchtoolError) -> int:
    if isinstance(error, UsageError):
        return USAGE
    return UNKNOWN if isinstance(error, CannotTell) else NO


def _run(words: list[str]) -> int:
    command = next((item for item in COMMANDS if words and words[0] == item.name), None)
    if command is None:
        from patchtool.arguments import overview

        overview().parse_args(words)  # --help, --version, or an error that names the commands
        raise AssertionError("the overview always exits or raises")
    module = _module(command)
    chosen = _arguments(command, module.configure, words[1:])
    as_json = chosen.pop("json")
    python = chosen.pop("python")
    root = chosen["root"]
    repeat(
        {
            "root": None if root == Path() else root,
            "patches": chosen.get("patches"),
            "python": python,
        }
    )
    environment = {**os.environ, "PATCHTOOL_PYTHON": python} if python else os.environ
    result = module.run(environment=environment, **chosen)
    if as_json:
        from patchtool.report.document import dump

        _write(f"{dump(result)}\n")
    else:
        _write(importlib.import_module(f"patchtool.report.{command.module}").text(result))
    return CODES[result.answer]


def _module(command: Command) -> Any:
    """The command's module; `CannotTell` names the extra that a missing library comes with."""
    try:
        return importlib.import_module(f"patchtool.commands.{command.module}")
    except ModuleNotFoundError as error:
        if not command.extra:
            raise
        from patchtool.programs import add_extra

        raise CannotTell(
            Problem(
                kind="program",
                what=f"needs a library that is not installed: {error.name}",
                subject=f"patchtool {command.name}",
                remedy=add_extra(command.extra),
            )
        ) from error


def _arguments(
    command: Command, configure: Callable[[Any], None], words: list[str]
) -> dict[str, Any]:
    """The value of each option of a command and of every command, by name."""
    if not words:
        defaults = _Defaults()
        add_common(defaults)
        configure(defaults)
        return defaults.values
    from patchtool.arguments import of_command

    parser = of_command(command)
    add_common(parser)
    configure(parser)
    return vars(parser.parse_args(words))


class _OutputError(Exception):
    """The report cannot be written; `reason` is what the system says."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise _OutputError(error) from error


def _show(problem: Problem, *, as_json: bool) -> None:
    from patchtool.report.problem import document, lines

    if as_json:
        import json

        _write(json.dumps({"error": document(problem)}, indent=2) + "\n")
    else:
        print(f"patchtool: {lines(problem)}", file=sys.stderr)
