"""Problems as text and as JSON: everything that is known, and nothing that drives a terminal."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool.errors import Problem
from patchtool.report.problem import document, lines, printable

FULL = Problem(
    kind="foreign",
    what="is neither pristine nor patched",
    subject="a+1.0.0.patch",
    path="node_modules/a/x.js",
    line=7,
    expected="this",
    found="that",
    remedy="npm install",
)


def test_every_part_of_a_problem_is_shown() -> None:
    """Where, what, then expected, found and a command, a line each."""
    assert lines(FULL) == (
        "a+1.0.0.patch: node_modules/a/x.js: line 7: is neither pristine nor patched\n"
        "  expected: this\n"
        "  found: that\n"
        "  try: npm install"
    )


def test_what_is_not_known_is_not_shown() -> None:
    """The least problem is one line."""
    assert lines(Problem(kind="x", what="went wrong")) == "went wrong"
    assert document(Problem(kind="x", what="went wrong")) == {"kind": "x", "message": "went wrong"}


def test_what_a_program_said_stands_below_its_first_line() -> None:
    """Only a message starts a line; the lines of a command stay as they are to be run."""
    problem = Problem(kind="x", what="broke\nsaid", found="one\ntwo", remedy="cat <<E\ntext\nE")
    assert lines(problem) == "broke\n    said\n  found: one\n    two\n  try: cat <<E\ntext\nE"


def test_what_nobody_can_read_is_cut() -> None:
    """A name of megabytes is shown by its two ends, and by how much is left out."""
    text = lines(Problem(kind="x", what="twice", found="a" * 10_000_000 + "z"))
    assert len(text) < 10_000
    assert text.endswith("aaz")
    assert "9994001 characters left out" in text


def test_document_has_every_part() -> None:
    """Each field, with the two names that programs know from the messages."""
    found = document(FULL)
    assert len(found) == len(fields(Problem))
    assert (found["message"], found["try"], found["line"]) == (FULL.what, FULL.remedy, 7)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jclear", "\\x1b[2Jclear"),
        ("back\rover", "back\\rover"),
        ("bell\a\x00", "bell\\x07\\x00"),
        ("right\u202eleft", "right\\u202eleft"),
        ("line\u2028separator", "line\\u2028separator"),
        (b"latin-\xe9".decode("utf-8", "surrogateescape"), "latin-\\xe9"),
        ("tab\there", "tab\\there"),
        ("two\nlines", "two\nlines"),
        ("größe", "größe"),
    ],
)
def test_hostile_text_is_escaped(text: str, shown: str) -> None:
    """Control characters, tricks with direction and bytes that are no text become escapes."""
    assert printable(text) == shown


@given(st.text(st.characters(codec=None, categories=None)))
def test_any_text_can_be_printed(text: str) -> None:
    """Whatever comes in: what goes out can be encoded and holds nothing but letters and LF."""
    shown = printable(text)
    shown.encode("utf-8")
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert json.loads(json.dumps(document(Problem(kind="x", what=text))))["message"] == shown
