"""Which mutants a project accepts: matches the manifest's entries with the mutants there are.

An entry is tied to the text of the lines before and after the change, so that it ends when either
changes. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from patchtool.mutation.generator import Mutant


def matches(original: str, changed: str, mutant: Mutant, source: bytes) -> bool:
    """Whether a mutant turns the lines `original` into the lines `changed`.

    Both are whole source lines, compared without regard to white space: those the mutant changes,
    and as many before and behind them as the entry names.
    """
    wanted = words(original.encode()), words(changed.encode())
    for before in range(mutant.line):
        for behind in range(source.count(b"\n", mutant.end) + 1):
            was, becomes = map(words, mutant.lines(source, before=before, behind=behind))
            if (was, becomes) == wanted:
                return True
            if len(was) > len(wanted[0]):
                break
        if len(words(mutant.lines(source, before=before)[0])) > len(wanted[0]):
            return False
    return False


def entry(mutant: Mutant, source: bytes, mutants: Sequence[Mutant]) -> tuple[str, str]:
    """The shortest `original` and `mutant` of a manifest entry that means this mutant alone."""
    for before in range(mutant.line):
        lines = mutant.lines(source, before=before)
        original, changed = (words(text).decode(errors="replace") for text in lines)
        if sum(matches(original, changed, other, source) for other in mutants) == 1:
            break
    return original, changed


def words(text: bytes) -> bytes:
    """Text with each run of white space as one space."""
    return b" ".join(text.split())
