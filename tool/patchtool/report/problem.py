"""One problem as text for people and as a JSON value for programs."""

from __future__ import annotations

from patchtool.errors import Problem
from patchtool.remedy import repeated

# The end of a guard's output is 4000 characters, and the longest that a problem holds on purpose.
_LONGEST = 6000


def lines(problem: Problem) -> str:
    """`patch: path: what is wrong`, then expected, found and a command to try, a line each."""
    where = [part for part in (problem.subject, problem.path) if part]
    if problem.line is not None:
        where.append(f"line {problem.line}")
    parts = [_shown(": ".join([*where, problem.what]))]
    for label, value in (("expected", problem.expected), ("found", problem.found)):
        if value is not None:
            parts.append(f"  {label}: {_shown(value)}")
    if problem.remedy is not None:  # a command may have lines of its own
        parts.append(f"  try: {repeated(problem.remedy)}")
    return printable("\n".join(parts))


def _shown(text: str) -> str:
    """As much of the text as somebody may read; what a program said stands below its first line."""
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        left_out = len(text) - 2 * half
        text = f"{text[:half]} [{left_out} characters left out] {text[-half:]}"
    return text.replace("\n", "\n    ")


def document(problem: Problem) -> dict[str, str | int]:
    """The problem as a JSON object, without what it does not say; `what` is called `message`."""
    names = {"what": "message", "remedy": "try"}
    values = {name: getattr(problem, name) for name in Problem.__slots__}
    if problem.remedy is not None:
        values["remedy"] = repeated(problem.remedy)
    return {
        names.get(name, name): printable(value) if isinstance(value, str) else value
        for name, value in values.items()
        if value is not None
    }


def printable(text: str) -> str:
    """Text that any terminal takes: bytes that are not UTF-8 escaped, no control characters.

    Patches and archives are hostile: a file name must not be able to drive the terminal.
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else _escaped(letter) for letter in text
    )


def _escaped(letter: str) -> str:
    """The letter as Python writes it; for a byte that is no UTF-8, that byte."""
    if "\udc80" <= letter <= "\udcff":  # so os.fsdecode has it
        return f"\\x{ord(letter) - 0xDC00:02x}"
    return repr(letter)[1:-1]
