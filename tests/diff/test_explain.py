"""What a refusal says: where, what was expected and found, and what would help."""

from __future__ import annotations

import pytest

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.errors import PatchError, Problem
from patchtool.files import File

TEXT = b"--- a/f\n+++ b/f\n@@ -2,4 +2,4 @@\n a\n-b\n+B\n c\n d\n"


def refusal(data: bytes, text: bytes = TEXT, *, backward: bool = False) -> Problem:
    """Why the patch does not go on a file with this content (backward: come off it)."""
    with pytest.raises(PatchError) as caught:
        diff.run(diff.parse(text), reader({"f": File(data=data)}), backward=backward)
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
        (b"0\ra\rb\rc\rd\r", "no-match", "the file has CR line ends alone"),
    ],
)
def test_what_would_help(data: bytes, kind: str, what: str) -> None:
    """The nearest thing to a match is named, with its line."""
    problem = refusal(data)
    assert (problem.kind, problem.path) == (kind, "f")
    assert what in problem.what


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"0\n1\n2\na\nB\nc\nd\n", "fits at line 4, the only place, not at line 2"),
        (b"0\n1\n2\na\nb\nc\nd\n", "is out already, but at line 4, the only place"),
    ],
)
def test_the_way_back_has_its_own_words(data: bytes, what: str) -> None:
    """Where the patch is to come off, "already" means that it is out."""
    problem = refusal(data, backward=True)
    assert problem.kind == "offset"
    assert what in problem.what


@pytest.mark.parametrize("is_in", [(True, False, True), (False, True, False), (True, True, False)])
def test_some_hunks_are_in(is_in: tuple[bool, ...]) -> None:
    """Each that is in moves those behind it; where one is neither in nor out, the file differs."""
    text, data = b"--- a/f\n+++ b/f\n", b""
    for number, there in enumerate(is_in):
        text += b"@@ -%d,3 +%d,5 @@\n a\n-%d\n+x\n+y\n+z\n c\n" % (*[100 * number + 1] * 2, number)
        data += b"a\n%bc\n" % (b"x\ny\nz\n" if there else b"%d\n" % number) + b"\n" * 97
    assert refusal(data, text).kind == "partial"
    assert refusal(data.replace(b"z", b"q").replace(b"2", b"q"), text).kind == "no-match"


def test_offset_is_said_where_nothing_else_is_wrong() -> None:
    """With both sides elsewhere no offset helps, and the reason is another."""
    for backward in (False, True):
        problem = refusal(b"0\n1\n2\na\nb\nc\nd\nq\na\nB\nc\nd\n", backward=backward)
        assert problem.kind == "undecidable"
        assert "each at another place than stated" in problem.what


def test_a_file_that_might_be_made_is_missing() -> None:
    """Only additions at the top of no file: how a patch says that it makes the file is told."""
    with pytest.raises(PatchError) as caught:
        diff.run(diff.parse(b"--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n"), reader({}))
    assert caught.value.problem.kind == "missing"
    assert "/dev/null" in caught.value.problem.what


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
