"""The shapes that reports share."""

from __future__ import annotations

from patchtool.errors import Problem
from patchtool.report.layout import count, problems, table


def test_columns_are_aligned_and_the_last_is_not_padded() -> None:
    """Each column as wide as its widest cell; no blanks at the end of a line."""
    rows = [("a", "bb", "c"), ("aaa", "b", "")]
    assert table(rows) == "  a    bb  c\n  aaa  b\n"


def test_table_of_nothing_is_nothing() -> None:
    """No rows, no line."""
    assert table([]) == ""


def test_heading_stands_over_problems_alone() -> None:
    """Without a problem there is nothing to head."""
    assert problems([], "problems:") == ""
    assert problems([Problem(kind="x", what="bad")], "problems:") == "problems:\nbad\n"


def test_things_are_counted_in_words() -> None:
    """One has no s."""
    assert (count(1, "case"), count(0, "case"), count(2, "case")) == (
        "1 case",
        "0 cases",
        "2 cases",
    )
