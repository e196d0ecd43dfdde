"""What can go wrong, as values and exceptions; the exit codes are given out in `cli` alone.

A `Problem` is one message in the form every report uses. "No" is a list of problems that a
command returns; "could not tell" and "wrong usage" are exceptions that carry one.
"""

from __future__ import annotations

from patchtool.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One message: where it is, what is wrong, what was expected and found, what to run.

    `kind` is a stable word for programs (`foreign`, `no-match`, `missing`, ...); `subject` names
    the patch, package or fix; `path` the file or key inside it; `remedy` is a command that works.
    """

    kind: str
    what: str
    subject: str | None = None
    path: str | None = None
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    remedy: str | None = None


class PatchtoolError(Exception):
    """Base of all errors that patchtool raises on purpose; carries one `Problem`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


class UsageError(PatchtoolError):
    """Wrong usage, or a bad patches.toml, patches.lock or patch file name: exit 2."""


class CannotTell(PatchtoolError):
    """The answer is not known (network, missing program, broken guard): exit 3."""


class PatchError(PatchtoolError):
    """A patch that cannot be read, or does not go on or come off: a "no", exit 1.

    The problem's kind is one of `diff.KINDS`.
    """
