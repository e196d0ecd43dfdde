"""The parsers of the command line, and what takes their place where there is nothing to parse."""

from __future__ import annotations

import importlib

import pytest

from patchtool import cli
from patchtool.arguments import of_command
from patchtool.commands import COMMANDS, Command
from patchtool.commands.options import add_common


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_no_arguments_are_what_the_parser_makes_of_them(command: Command) -> None:
    """A command without arguments gets the values that the parser would give it."""
    configure = importlib.import_module(f"patchtool.commands.{command.module}").configure
    parser = of_command(command)
    add_common(parser)
    configure(parser)
    assert cli._arguments(command, configure, []) == vars(parser.parse_args([]))


@pytest.mark.parametrize(("columns", "longest"), [("70", 70), ("120", 120), ("no number", 80)])
def test_help_is_as_wide_as_the_terminal(
    columns: str, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help texts keep to COLUMNS; without it and without a terminal, to 80."""
    monkeypatch.setenv("COLUMNS", columns)
    parser = of_command(COMMANDS[0])
    add_common(parser)
    widths = [len(line) for line in parser.format_help().partition("exit codes")[0].splitlines()]
    assert longest - 30 < max(widths) <= longest
