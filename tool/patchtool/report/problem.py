"""One problem as text for people and as a JSON value for programs."""

from __future__ import annotations

from patchtool.errors import Problem


def lines(problem: Problem) -> str:
    """`patch: path: what is wrong`, then expected, found and a command to try, a line each."""
    where = [part for part in (problem.subject, problem.path) if part]
    if problem.line is not None:
        where.append(f"line {problem.line}")
    parts = [": ".join([*where, problem.what])]
    for label, value in (
        ("expected", problem.expected),
        ("found", problem.found),
        ("try", problem.remedy),
    ):
        if value is not None:
            parts.append(f"  {label}: {value}")
    return printable("\n".join(parts))


def document(problem: Problem) -> dict[str, str | int]:
    """The problem as a JSON object, without what it does not say; `what` is called `message`."""
    names = {"what": "message", "remedy": "try"}
    values = ((name, getattr(problem, name)) for name in Problem.__slots__)
    return {
        names.get(name, name): printable(value) if isinstance(value, str) else value
        for name, value in values
        if value is not None
    }


def printable(text: str) -> str:
    """Text that any terminal takes: bytes that are not UTF-8 escaped, no control characters.

    Patches and archives are hostile: a file name must not be able to drive the terminal.
    """
    safe = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() or letter in "\n" else repr(letter)[1:-1] for letter in safe
    )
