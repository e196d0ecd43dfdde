"""Which mutants a project accepts: matches the manifest's entries with the mutants there are.

An entry is tied to the text of the lines before and after the change, so that it ends when either
changes. Pure.
"""

from __future__ import annotations

from collections import Counter
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


def entries(mutants: Sequence[Mutant], source: bytes) -> dict[str, tuple[str, str]]:
    """For each mutant of a file, by id, the shortest `original` and `mutant` that mean it alone.

    Lines before it are added for as long as another mutant reads the same.
    """
    found: dict[str, tuple[str, str]] = {}
    alike = list(mutants)
    before = 0
    while alike:
        texts = {mutant.id: _texts(mutant, source, before) for mutant in alike}
        counts = Counter(texts.values())
        found |= texts
        alike = [mutant for mutant in alike if counts[texts[mutant.id]] > 1]
        alike = [mutant for mutant in alike if mutant.line > before]
        before += 1
    return found


def _texts(mutant: Mutant, source: bytes, before: int) -> tuple[str, str]:
    original, changed = map(words, mutant.lines(source, before=before))
    return original.decode(errors="replace"), changed.decode(errors="replace")


def words(text: bytes) -> bytes:
    """Text with each run of white space as one space."""
    return b" ".join(text.split())
