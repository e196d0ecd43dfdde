"""The parsers of the command line, and what --help shows.

It must not run anything. What options a command has, the command says.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from patchtool import __version__
from patchtool.commands import COMMANDS, Command
from patchtool.errors import Problem, UsageError

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
    takes longer than all else a parser does.
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


def overview() -> argparse.ArgumentParser:
    """The parser of a command line without a command."""
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


def of_command(command: Command) -> argparse.ArgumentParser:
    """The parser of one command, still without options."""
    return _Parser(
        prog=f"patchtool {command.name}",
        description=command.summary,
        epilog=EPILOG,
        formatter_class=_Formatter,
    )
