"""The text around sections: what may stand there, and what is a lost piece of a hunk."""

from __future__ import annotations

import tracemalloc
from itertools import product
from unittest.mock import patch

import pytest

from patchtool import diff
from patchtool.diff.cursor import Cursor
from patchtool.diff.text import Text
from patchtool.errors import PatchError, Problem

SECTION = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"
OTHER = SECTION.replace(b"/f", b"/g")
COMMIT = b"commit 0123456789abcdef0123456789abcdef01234567\n"
DASHES = b"-" * 72 + b"\n"


def refusal(text: bytes) -> Problem:
    """Why the patch cannot be read."""
    with pytest.raises(PatchError) as caught:
        diff.parse(text)
    return caught.value.problem


@pytest.mark.parametrize(
    "between",
    [
        b"\n" + COMMIT + b"Author: A\n\n    words\n\n     - a bullet\n    @@ -1 +1 @@\n\n",
        b"\n\n" + COMMIT.replace(b"\n", b" (HEAD -> main)\n") + b"    words\n",
        b"abcdef0 words\n",
        b"\nDescription: words\n more words\n - a bullet\n + another\n\\ and this\n---\n",
        b"-- \n2.39.5\n\nFrom a@example.org Mon Sep 17 00:00:00 2001\nSubject: x\n\n - a bullet\n",
        b"# HG changeset patch\n# User A\n words\n",
        b"\n" + DASHES + b"r2 | a | 2001-01-01 | 1 line\n\nwords\n\n",
    ],
)
def test_text_between_sections_is_skipped(between: bytes) -> None:
    """What no hunk has ends the hunk; behind it lines may start as they like."""
    assert diff.parse(SECTION + between + OTHER).paths == ("f", "g")
    assert diff.parse(SECTION + between).paths == ("f",)


@pytest.mark.parametrize(
    ("header", "boundary"),
    [
        (b'Content-Type: multipart/mixed; boundary="------------2.39.5"\n', b"------------2.39.5"),
        (b"content-type: multipart/mixed; boundary=x; charset=y\r\n", b"x"),
        (b"Content-Type: multipart/mixed;\n\tcharset=y;\n boundary=x.y\n", b"x.y"),
    ],
)
def test_the_end_of_a_mails_part_is_no_line_of_a_hunk(header: bytes, boundary: bytes) -> None:
    """`git format-patch --attach` has one behind the diff; only what the mail names is one."""
    mail = b"From: a\n" + header + b"\nwords\n---\n f | 2\n\n" + SECTION + b"\n"
    for line in (b"--" + boundary, b"--" + boundary + b"--"):
        assert diff.parse(mail + line + b"\r\nwords\n" + OTHER).paths == ("f", "g")
        for other in (mail + line + b"-\n", SECTION + b"\n" + line + b"\n"):
            assert refusal(other).what == "more lines than the hunk header counts"


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        (b" c\n", 7),
        (b"\n c\n", 8),
        (b"\r\n\n\n+c\n", 10),
        (b"-c\n" + COMMIT, 7),
        (b"\\ No newline at end of file\n\\ No newline at end of file\n", 8),
        (DASHES + b"words\n", 7),
        (b"-- \n+c\n", 8),
    ],
)
def test_a_hunk_that_counts_too_few_lines_is_refused(tail: bytes, line: int) -> None:
    """Behind a full hunk, and blank lines, a line that starts like one of a hunk is surplus."""
    problem = refusal(SECTION + tail + OTHER)
    assert (problem.kind, problem.line) == ("parse", line)
    assert problem.what == "more lines than the hunk header counts"


@pytest.mark.parametrize("between", [b"words\n", b"\n" + COMMIT])
def test_a_hunk_behind_text_is_refused(between: bytes) -> None:
    """A hunk that has lost its file is not skipped."""
    problem = refusal(SECTION + between + b"@@ -9 +9 @@\n-x\n+y\n")
    assert problem.what == "a hunk without a file to go with it"


@pytest.mark.parametrize("above", [SECTION + b"-- \n2.39.5\n\n", b"", b"words\n"])
@pytest.mark.parametrize("below", [b"", b"\n-b\n+B\n", b"words\n"])
def test_a_hunk_header_alone_is_a_lost_hunk(above: bytes, below: bytes) -> None:
    """Behind a mail's signature and above a diff too, whatever follows; other words may stand."""
    problem = refusal(above + b"@@ -2,0 +3 @@\n" + below + OTHER)
    assert problem.what == "a hunk without a file to go with it"
    assert problem.line == above.count(b"\n") + 1
    assert diff.parse(above + b"@@ words\n" + OTHER).paths[-1] == "g"
    mail = b"From: a\nSubject: b\n\n@@ -2,0 +3 @@\n"
    assert diff.parse(mail + below + OTHER).paths == ("g",)


@pytest.mark.parametrize(
    ("below", "what"),
    [
        (
            b"--- a/f\n+++ b/f\nwords\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
            "no hunk after the ---/+++ lines",
        ),
        (b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a hunk without a file to go with it"),
    ],
)
def test_a_mails_message_ends_at_its_three_dashes(below: bytes, what: str) -> None:
    """Above them it may show pieces of a diff; below them a spoiled section is not passed over."""
    mail = b"From: a\nSubject: b\n\nwords\n%b\n f | 2 +-\n\n" + below + OTHER
    assert diff.parse(mail % b"").paths == ("g",)
    for dashes in (b"---", b"---\r"):
        assert refusal(mail % dashes).what.startswith(what)


def test_each_commit_happens_after_the_one_before() -> None:
    """Sections of one path are a step for each commit; those of one commit are one step."""
    rename = b"diff --git a/f b/h\nsimilarity index 100%\nrename from f\nrename to h\n"
    (part,) = diff.parse(SECTION + b"\n" + COMMIT + b"\n    words\n\n" + rename).parts
    assert [len(step) for step in part.steps] == [1, 1]
    assert refusal(SECTION + b"\nwords\n" + rename).kind == "ambiguous-order"


def test_a_patch_that_ends_in_utf16_is_refused() -> None:
    """A shell has appended a diff in its own encoding: it is not taken for words."""
    text = SECTION + ("diff --git a/g b/g\n" + OTHER.decode()).encode("utf-16-le")
    assert (refusal(text).kind, refusal(text).line) == ("encoding", 7)


# Lines that mean something in one place or another, and lines that nearly do.
MARKS = [
    b"---\n",
    COMMIT, DASHES, b"words\n", b"\n", b"-- \n", b"--\n", b"--- a/f\n", b"@@ words\n",
    b"@@ -1 +1 @@\n", b"@@@ -1 -1 +1 @@@\n", b"diff --git a/f b/f\n", b"diff --cc f\n",
    b"diff --combined f\n", b"*** f\n", b"1c1\n", b"1,2d3\r\n", b"12 words\n", b"Binary\n",
    b"Binary files a and b differ\n", b"Binary file f has changed\n", b"Files a and b differ\n",
    b"From: a\n", b"Subject: a\n", b"From words\n",
    b"Cannot display: file marked as a binary type.\n", b"From a Mon Sep 17 00:00:00 2001\n",
    b"# HG changeset patch\n", b"changeset:   1:abc\n", b"Property changes on: f\n",
    b"Added: svn:executable\n", b"Name: svn:ignore\n", b"=== renamed file 'f' => 'g'\n",
    b"=== modified file 'f' (properties changed: -x to +x)\n", b"Binary files differ\n",
    b"Symbolic links a/l and b/l differ\n", b"File a is a directory while file b is a fifo\n",
    b"Submodule f\n", b"Submodule f 0123456..89abcde:\n", b"\0words\n",
    "diff --git a/f b/f\n".encode("utf-16-le"),
    b"GIT binary patch\n", b"old mode 100644\n", b"new file mode 100644\n", b"rename from a\n",
    b"rename to b\n", b"no end",
]  # fmt: skip
BEFORE = [
    b"words\n", b"From: a\n\n", SECTION + b"\n", SECTION + b"words\n",
    SECTION + b"\n" + COMMIT + b"words\n",
]  # fmt: skip
AFTER = [
    b"", SECTION, OTHER, b"+++ b/f\n", b"r1 |\n" + SECTION, b"+ words\n", b"@@ -1 +1 @@\n-a\n",
    b"--- f\n", b"> a\n", b"diff --git a/f b/h\nsimilarity index 1%\nrename from f\nrename to h\n",
]  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_what_is_passed_over_says_nothing(mark: bytes) -> None:
    """Wherever a line stands, a patch file is what it is if every line is read."""

    def outcome(text: bytes) -> diff.Patch | Problem:
        try:
            return diff.parse(text)
        except PatchError as error:
            return error.problem

    for before, between, after in product(BEFORE, (b"", b"words\n"), AFTER):
        text = before + mark + between + after
        quick = outcome(text)
        with patch.object(Cursor, "skip_to", lambda *_: None):
            assert outcome(text) == quick, text


@pytest.mark.parametrize(
    "line",
    [
        *(b"words\n", b"1d2\n", b"diff --x\n", b"commit \n", b"# HG \n"),
        *(b"From: \n", b"From \n", b"Subject: \n", b"Files \n", b"Binary files \n", b"d\0\n"),
    ],
)
def test_lines_of_no_note_are_passed_over_at_once(line: bytes) -> None:
    """A file of words is not read line by line, before a section or behind it."""
    words = line * 1000
    for text in (words + SECTION, SECTION + words + OTHER, words + SECTION + words + b"\n" + words):
        assert steps(text) < 5


@pytest.mark.parametrize(
    "line", [b"--\n", b"-- \n", b"--- \n", b"*** \n", b"@@\n", b"+\n", b"\n", b"\r\n"]
)
def test_so_are_lines_that_mean_something_elsewhere(line: bytes) -> None:
    """Signatures, pieces of hunks and blank lines in prose, and blank lines behind a section."""
    prose = b"words\n" + line * 1000 + b"words\n"
    assert steps(prose + SECTION) < 5
    assert steps(SECTION + b"words\n-- \n" + prose + OTHER) < 5
    assert line.strip() or steps(SECTION + line * 1000 + OTHER) < 5


def steps(text: bytes) -> int:
    """How many lines of a patch are stepped over one by one."""
    with patch.object(Text, "_skip_line", autospec=True, side_effect=Text._skip_line) as stepped:
        diff.parse(text)
    return stepped.call_count


LOST = [
    b"GIT binary patch\nliteral 1\nIcmZ?d00001\n\n",
    b"old mode 100644\nnew mode 100755\n",
    b"new file mode 100755\nindex 0000000..e69de29\n",
    b"new file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f\n",
    b"deleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-f\n",
    b"rename from f\nrename to h\n",
    b"copy from f\ncopy to h\n",
    b"rename old f\nrename new h\n",
    b"old mode 100644 \nnew mode 100755 \n",
    b"old mode 10644\nnew mode 10755\n",
    b"new file mode 10755\n--- a/n\t(nonexistent)\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
    b"new file mode 100644\nindex 0000000..e69de29\nwords\n",
    b"deleted file mode 100644\nwords\n",
]


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize(
    "before",
    [b"", b"words\n", SECTION, SECTION + b"diff -git a/l b/l\n", SECTION + b"-- \nx\n"],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_git_section_without_its_first_line_is_refused(
    lost: bytes, before: bytes, ending: bytes
) -> None:
    """To pass over the rest of it would be to leave something out, and to say that all is in."""
    problem = refusal((before + lost + OTHER).replace(b"\n", ending))
    assert (problem.kind, problem.line) == ("parse", before.count(b"\n") + 1)
    assert problem.what == f"'{lost.splitlines()[0].decode()}' without its 'diff --git' line"


@pytest.mark.parametrize("mode", [b"new file mode 100644\n", b"deleted file mode 100644\n"])
def test_the_usual_mode_says_nothing_that_is_lost(mode: bytes) -> None:
    """Whoever takes the `diff --git` lines out of a patch leaves such lines behind."""
    assert diff.parse(SECTION + mode + b"index 0000000..1234567\n" + OTHER).paths == ("f", "g")


def test_an_empty_file_at_the_end_is_not_passed_over() -> None:
    """Nothing but its `diff --git` line says where it comes to be, and there is no `---` line."""
    for lost in (b"new file mode 100644\nindex 0000000..e69de29\n", b"deleted file mode 100644"):
        assert "without its 'diff --git' line" in refusal(SECTION + lost).what


@pytest.mark.parametrize("lost", LOST[:3])
def test_a_mails_message_may_show_a_header_line(lost: bytes) -> None:
    """As it may show a hunk: what is in the message is no piece of the patch."""
    assert diff.parse(b"From: A\n\n" + lost + b"---\n" + OTHER).paths == ("g",)


def test_header_that_is_folded_without_end_takes_no_memory_for_each_line() -> None:
    """What a mail says of its parts is looked for in a header's first lines, however many come."""
    lines = 100_000
    mail = b"From: a\nContent-Type: multipart/mixed;\n" + b" x\n" * lines + b"\n---\n"
    edit = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    tracemalloc.start()
    try:
        with pytest.raises(PatchError, match="more lines"):
            diff.parse(mail + edit + b"--x\n")
        assert tracemalloc.get_traced_memory()[1] < 20 * lines
    finally:
        tracemalloc.stop()
