"""What a refusal says: where, what was expected and found, and what would help."""

from __future__ import annotations

import pytest

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.errors import PatchError, Problem
from patchtool.files import File

TEXT = b"--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n a\n-b\n+B\n c\n d\n"


def refusal(data: bytes, text: bytes = TEXT) -> Problem:
    """Why the patch does not go on a file with this content."""
    with pytest.raises(PatchError) as caught:
        diff.run(diff.parse(text), reader({"f": File(data=data)}))
    return caught.value.problem


@pytest.mark.parametrize(
    ("data", "kind", "what"),
    [
        (b"0\n1\n2\na\nb\nc\nd\n", "offset", "fits at line 4, the only place"),
        (b"0\n1\n2\na\nB\nc\nd\n", "offset", "is in already, but at line 4, the only place"),
        (b"a\nb\nc\nd\n0\na\nb\nc\nd\n", "ambiguous", "several others (1 and 6)"),
        (b"0\na\nb \nc\nd\n", "no-match", "only in trailing whitespace at line 3"),
        (b"0\na\n  b\nc\nd\n", "no-match", "only in whitespace at line 3"),
        (b"0\r\na\r\nb\r\nc\r\nd\r\n", "no-match", "the file has CRLF endings"),
        (b"0\na\nq\nc\nd\n", "no-match", "differs at line 3"),
        (b"0\na\nb\nc\nd", "no-match", "the newline at the end of the file at line 5"),
        (b"0\na\nb\n", "no-match", "differs at line 4"),
        (b"", "no-match", "the file ends before line 2"),
    ],
)
def test_what_would_help(data: bytes, kind: str, what: str) -> None:
    """The nearest thing to a match is named, with its line."""
    problem = refusal(data)
    assert (problem.kind, problem.path) == (kind, "f")
    assert what in problem.what


def test_the_patch_file_has_crlf() -> None:
    """A patch that was checked out with other line ends is told so."""
    problem = refusal(b"0\na\nb\nc\nd\n", TEXT.replace(b"\n", b"\r\n"))
    assert "the patch file has CRLF endings" in problem.what


def test_both_lines_are_shown() -> None:
    """The first line that differs stands there as the patch has it and as the file has it."""
    problem = refusal(b"0\na\n\tq\xff\nc\nd\n")
    assert problem.line == 3
    assert problem.expected == "'b\\n'"
    assert problem.found == "'\\tq\\\\xff\\n'"


def test_a_long_line_is_cut() -> None:
    """No message has a whole minified file in it."""
    problem = refusal(b"0\na\n" + b"q" * 10**6 + b"\nc\nd\n")
    assert problem.found is not None
    assert len(problem.found) < 200


def test_a_foreign_binary_is_named_by_its_id() -> None:
    """Where there are no lines to show, expected and found are blob ids."""
    old, new = File(data=b"\0old"), File(data=b"\0new")
    text = (
        f"diff --git a/f b/f\nindex {old.identity.blob}..{new.identity.blob} 100644\n"
        "GIT binary patch\nliteral 4\nLc${O%ODzWg0*?Vp\n\n"
    )
    with pytest.raises(PatchError) as caught:
        diff.run(diff.parse(text.encode()), reader({"f": File(data=b"\0other")}))
    assert caught.value.problem.expected == old.identity.blob
    assert caught.value.problem.found == File(data=b"\0other").identity.blob
