"""The command line: the parser, and the one place where answers and errors become exit codes.

Only the module of the command that was asked for is imported, because `apply` runs at every
install. It must not decide anything: that is the commands' part.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import NoReturn

from patchtool import __version__
from patchtool.commands import COMMANDS, Answer, Command
from patchtool.errors import CannotTell, PatchtoolError, Problem, UsageError

YES, NO, USAGE, UNKNOWN, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 130

CODES = {Answer.YES: YES, Answer.NO: NO, Answer.UNKNOWN: UNKNOWN}

EPILOG = """\
exit codes: 0 yes, 1 no (findings follow), 2 wrong usage or a bad file of the project,
3 could not tell (network, missing program, broken guard), 4 a bug in patchtool, 130 Ctrl-C
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `UsageError`s, so that --json holds for them too."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(Problem(kind="usage", what=message, remedy=f"{self.prog} --help"))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter that is told the terminal's width.

    It is made for each option that is added, and by itself would import `shutil` to ask, which
    takes longer than all else the parser does.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The width of the terminal, as `shutil.get_terminal_size` has it."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code. Prints the report on stdout, trouble on stderr."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = _answered(words)
        sys.stdout.flush()
    except BrokenPipeError:
        import signal

        # The reader has gone (`| head`): say no more, and let Python not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return code


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
    except BrokenPipeError:
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
        _overview().parse_args(words)  # --help, --version, or an error that names the commands
        raise AssertionError("the overview always exits or raises")
    module = importlib.import_module(f"patchtool.commands.{command.module}")
    parser = _parser(command)
    module.configure(parser)
    chosen = vars(parser.parse_args(words[1:]))
    as_json = chosen.pop("json")
    python = chosen.pop("python")
    if python:
        os.environ["PATCHTOOL_PYTHON"] = python
    result = module.run(**chosen)
    if as_json:
        from patchtool.report.document import dump

        print(dump(result))
    else:
        text = importlib.import_module(f"patchtool.report.{command.module}").text(result)
        sys.stdout.write(text)
    return CODES[result.answer]


def _overview() -> argparse.ArgumentParser:
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    parser = _Parser(
        prog="patchtool",
        usage="patchtool COMMAND [options]",
        description="Keep a fix to somebody else's package as a patch, and know when it can go.\n\n"
        + "commands:\n"
        + "\n".join(lines),
        epilog=EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"patchtool {__version__}")
    parser.add_argument(
        "command",
        metavar="COMMAND",
        choices=[command.name for command in COMMANDS],
        help="one of the commands above; COMMAND --help says more",
    )
    return parser


def _parser(command: Command) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"patchtool {command.name}",
        description=command.summary,
        epilog=EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document and nothing else"
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project's directory (default: the current one)",
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="where Python packages are installed: an interpreter, an environment or a directory "
        "(default: the active environment, else .venv in the project, else this Python)",
    )
    return parser


def _show(problem: Problem, *, as_json: bool) -> None:
    from patchtool.report.problem import document, lines

    if as_json:
        import json

        print(json.dumps({"error": document(problem)}, indent=2))
    else:
        print(f"patchtool: {lines(problem)}", file=sys.stderr)
