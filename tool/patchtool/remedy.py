"""The commands that people are told to run: those of patchtool reach the project of this run.

Owns which options of the command line a printed command repeats. It imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar

# The options that say which project, by name, as words for a shell, each behind a blank.
_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("options")

_COMMAND = re.compile(
    r"\bpatchtool (?:apply|status|check-pristine|guard|should-delete|lock|mutate)\b(?! --help)"
    r"(?P<other>(?= --root\b))?"
)


def repeat(options: Mapping[str, object]) -> None:
    """Let what is printed in this context repeat these options, by name; None is one not given."""
    given = {name: _option(name, value) for name, value in options.items() if value is not None}
    if given:
        _OPTIONS.set(given)


def _option(name: str, value: object) -> str:
    """An option as words for a shell, behind a blank."""
    import shlex

    text = str(value)
    return f" --{name}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def repeated(remedy: str) -> str:
    """The remedy with the options behind each command of patchtool in it.

    A command with a root of its own is about another project, with patches of its own.
    """
    options = _OPTIONS.get({})

    def with_options(found: re.Match[str]) -> str:
        kept = ("python",) if found["other"] is not None else tuple(options)
        return found[0] + "".join(options[name] for name in kept if name in options)

    return _COMMAND.sub(with_options, remedy) if options else remedy
