"""The commands that people are told to run: those of patchtool reach the project of this run.

Owns which options of the command line a printed command repeats. It imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar

# The options that say which project, as words for a shell, each behind a blank.
_OPTIONS: ContextVar[str] = ContextVar("options", default="")

_COMMAND = re.compile(
    r"\bpatchtool (?:apply|status|check-pristine|guard|should-delete|lock|mutate)\b(?! --help)"
)


def repeat(options: Mapping[str, object]) -> None:
    """Let what is printed in this context repeat these options, by name; None is one not given."""
    given = {name: value for name, value in options.items() if value is not None}
    if given:
        import shlex

        words = (f" --{name} {shlex.quote(str(value))}" for name, value in given.items())
        _OPTIONS.set("".join(words))


def repeated(remedy: str) -> str:
    """The remedy with the options behind each command of patchtool in it."""
    options = _OPTIONS.get()
    return _COMMAND.sub(lambda found: found[0] + options, remedy) if options else remedy
