"""Where hunks go, and what can be said of one hunk alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool import diff
from patchtool.diff import Hunk
from patchtool.diff.place import skip_lines, stated


def hunk(text: str) -> Hunk:
    """The only hunk of a patch with this text."""
    patch = diff.parse(f"--- a/f\n+++ b/f\n{text}".encode())
    return patch.sections[0].hunks[0]


CHANGE = hunk("@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n")
INSERTION = hunk("@@ -3,2 +3,3 @@\n a\n+new\n c\n")
AT_START = hunk("@@ -1,2 +1,3 @@\n+new\n a\n c\n")
AT_END = hunk("@@ -3,2 +3,3 @@\n a\n c\n+new\n")


@given(data=st.binary(max_size=400), lines=st.integers(0, 300), offset=st.integers(0, 10))
def test_skipping_lines_counts_line_feeds(data: bytes, lines: int, offset: int) -> None:
    """The offset is behind the LF with that number, whatever way it is found."""
    data = data.replace(b"\1", b"\n").replace(b"\2", b"\n") * 3
    offset = min(offset, len(data))
    feeds = [offset, *(at + 1 for at in range(offset, len(data)) if data[at] == 10)]
    expected = feeds[lines] if lines < len(feeds) else None
    assert skip_lines(data, offset, lines) == expected


@pytest.mark.parametrize("width", [1, 7, 1000, 70_000])
def test_skipping_very_many_lines(width: int) -> None:
    """Blocks and lines of every length relative to each other add up."""
    line = b"x" * (width - 1) + b"\n"
    data = line * (3_000_000 // width)
    for lines in (0, 1, 64, 65, 3_000_000 // width):
        expected = lines * width if lines * width <= len(data) else None
        assert skip_lines(data, 0, lines) == expected
    assert skip_lines(data, 0, 3_000_000 // width + 1) is None


@pytest.mark.parametrize(
    ("what", "data", "line"),
    [
        (CHANGE, b"a\nb\nc\n", 1),
        (CHANGE, b"x\na\nb\nc\nx\n", 2),
        (CHANGE, b"a\nb\nc\na\nb\nc\n", None),
        (CHANGE, b"xa\nb\nc\n", None),
        (CHANGE, b"a\nB\nc\n", None),
        (AT_START, b"x\na\nc\n", None),
        (AT_END, b"a\nc\nx\n", None),
        (AT_END, b"x\nx\nx\na\nc\n", 4),
    ],
)
def test_the_only_other_place(what: Hunk, data: bytes, line: int | None) -> None:
    """It is a line from 1 if there is exactly one; anchors hold elsewhere too."""
    assert diff.other_place(what, data) == line


@pytest.mark.parametrize(
    ("what", "data", "expected"),
    [
        (CHANGE, b"x\na\nB\nc\n", True),
        (CHANGE, b"a\nb\nc\n", False),
        (CHANGE, b"a\nb\nc\na\nB\nc\n", False),
        (INSERTION, b"a\nnew\nc\nx\n", True),
        (INSERTION, b"a\nc\nx\n", False),
        (AT_START, b"new\na\nc\nx\n", True),
        (AT_START, b"x\nnew\na\nc\n", False),
        (AT_END, b"x\na\nc\nnew\n", True),
        (CHANGE, b"", False),
    ],
)
def test_whether_one_hunk_is_in(what: Hunk, data: bytes, expected: bool) -> None:
    """Its new side stands somewhere and its old side nowhere."""
    assert diff.hunk_is_in(what, data) is expected


def test_a_file_is_identified_once() -> None:
    """However many hunks need to know it: the id of a large file takes its time."""
    bare = diff.parse(b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-b\n+B\n")
    asked = []

    def identified() -> bool:
        asked.append(True)
        return True

    assert stated(bare.sections[0].hunks, b"a\nb\nc\n", identified) == [0, 2]
    assert asked == [True]
