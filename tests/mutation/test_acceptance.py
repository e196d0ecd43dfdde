"""Entries of the manifest and the mutants they mean."""

from __future__ import annotations

import pytest

from patchtool.mutation.acceptance import entries, matches
from patchtool.mutation.generator import mutants
from patchtool.mutation.languages import JAVASCRIPT

SOURCE = b"""\
for (const call of calls) {
  if (call.done) continue;
  call.end();
}
for (const call of others) {
  if (call.done) continue;
  call.end();
}
"""
MUTANTS = mutants(b"", SOURCE, JAVASCRIPT)
SECOND = next(m for m in MUTANTS if m.line == 6 and m.mutated == b"!(call.done)")


@pytest.mark.parametrize(
    ("original", "changed", "expected"),
    [
        ("if (call.done) continue;", "if (!(call.done)) continue;", True),
        ("  if  (call.done)\n continue; ", "if (!(call.done))\tcontinue;", True),
        (
            "for (const call of others) { if (call.done) continue; call.end();",
            "for (const call of others) { if (!(call.done)) continue; call.end();",
            True,
        ),
        ("if (call.done) continue;", "if (true) continue;", False),
        ("if (call.open) continue;", "if (!(call.done)) continue;", False),
        ("(call.done)", "(!(call.done))", False),
        (
            "for (const call of calls) { if (call.done) continue;",
            "for (const call of calls) { if (!(call.done)) continue;",
            False,
        ),
        ("", "", False),
    ],
)
def test_matches(original: str, changed: str, expected: bool) -> None:
    """An entry holds for whole lines, with any white space, and as many around as it names."""
    assert matches(original, changed, SECOND, SOURCE) is expected


def test_each_entry_means_one() -> None:
    """The entry shown for a mutant matches it and no other, though its line stands there twice."""
    shown = entries(MUTANTS, SOURCE)
    for mutant in MUTANTS:
        original, changed = shown[mutant.id]
        assert [m.id for m in MUTANTS if matches(original, changed, m, SOURCE)] == [mutant.id]


def test_entry_is_short() -> None:
    """A mutant whose own line tells it from all others needs no other line."""
    source = b"a();\nb = 1;\nc();\n"
    found = mutants(b"", source, JAVASCRIPT)
    mutant = next(m for m in found if m.mutated == b"2")
    assert entries(found, source)[mutant.id] == ("b = 1;", "b = 2;")
