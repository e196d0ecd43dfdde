"""Reading patches: any bytes whatever are a patch or a clear refusal, in bounded time."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool import diff
from patchtool.errors import PatchError

PIECES = [
    b"diff --git a/f b/f", b"diff --git a/f b/g", b'diff --git "a/f" b/f', b"index 7898192..617807",
    b"--- a/f", b"+++ b/f", b"--- /dev/null", b"+++ /dev/null", b"@@ -1 +1 @@", b"@@ -1,2 +1,3 @@",
    b"@@ -0,0 +1 @@", b" a", b"-a", b"+b", b"", b"\r", b"\\ No newline", b"-- ", b"--",
    b"old mode 100644", b"new mode 100755", b"new file mode 120000", b"deleted file mode 100644",
    b"rename from f", b"rename to g", b"copy from f", b"copy to g", b"similarity index 100%",
    b"GIT binary patch", b"literal 0", b"HcmV?d00001", b"delta 3", b"Binary files a and b differ",
    b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001", b"---", b"*** a",
    b"Index: f", b"2c2", b"< b", b"\xff", b'"', b"\0", b"@@",
]  # fmt: skip
SMALL = b"--- a/f%d\n+++ b/f%d\n@@ -1 +1 @@\n-a\n+b\n"


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=14),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(0, 2),
)
def test_any_lines_are_a_patch_or_a_refusal(lines: list[bytes], ending: bytes, strip: int) -> None:
    """No line in any place is a bug; what is read can be reversed."""
    try:
        patch = diff.parse(ending.join([*lines, b""]), strip=strip)
    except PatchError as error:
        if error.problem.kind not in diff.KINDS or not error.problem.what:
            raise
        return
    assert diff.reverse(diff.reverse(patch)) == patch
    assert patch.paths


def seconds(data: bytes) -> float:
    """How long it takes to read or refuse a patch."""
    start = time.process_time()
    with contextlib.suppress(PatchError):
        diff.parse(data)
    return time.process_time() - start


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b"".join(SMALL % (i, i) for i in range(n)),
        lambda n: (
            b"--- a/f\n+++ b/f\n"
            + b"".join(b"@@ -%d +%d @@\n-a\n+b\n" % (i, i) for i in range(1, n))
        ),
        lambda n: b"--- a/f\n+++ b/f\n@@ -1,%d +1,%d @@\n" % (n, n) + b"\n" * n + b"-a\n+b\n",
        lambda n: b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-" + b"a" * n * 20 + b"\n+b\n",
        lambda n: b"diff --git a/" + b" b/" * n + b"\nold mode 100644\nnew mode 100755\n",
        lambda n: b"--- a/" + b"d/" * n + b"f\n+++ b/" + b"d/" * n + b"f\n@@ -1 +1 @@\n-a\n+b\n",
        lambda n: b"prose that is no patch\n" * n,
        lambda n: b"@@ -1 +1 @@\n" * n,
        lambda n: b"From a " + b"00:00:00 " * n,
    ],
)
def test_time_grows_with_the_size(make: object) -> None:
    """Twenty times the patch takes about twenty times as long, whatever it is made of."""
    assert callable(make)
    small = min(seconds(make(500)) for _ in range(3))
    assert seconds(make(10_000)) < 100 * small + 0.1


GIT = b"diff --git a/f b/f\n"
INDEX = b"index 422c2b7..55dce13 100644\n"
EDIT = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"


@pytest.mark.parametrize(
    ("header", "line", "what"),
    [
        (GIT + INDEX + b"encoding x\n", 3, "'encoding x' is no header line that is known"),
        (GIT + b"old mode 100644\nnew mode 100755\nx\n", 4, "'x' is no header line"),
        (GIT + INDEX + b"\n", 3, "an empty line, and the section goes on behind it"),
        (GIT + b"x\ny\nold mode 100644\nnew mode 100755\n", 2, "'x' is no header line"),
        (b"diff --git a/f\nb/f\n" + INDEX, 2, "'b/f' is no header line"),
    ],
)
def test_an_unknown_header_line_is_named(header: bytes, line: int, what: str) -> None:
    """It is refused with its own line number where it would cut the section in two."""
    with pytest.raises(PatchError) as caught:
        diff.parse(header + EDIT)
    assert (caught.value.problem.kind, caught.value.problem.line) == ("parse", line)
    assert what in caught.value.problem.what


@pytest.mark.parametrize("between", [b"\n", b"encoding x\n", b"====\nwords\n", b"x\n" + INDEX])
def test_a_git_line_that_says_nothing_else_is_text(between: bytes) -> None:
    """As to git, the section then starts with its `---` line."""
    (section,) = diff.parse(GIT + between + EDIT).sections
    assert section.line == 1 + (GIT + between).count(b"\n")


@pytest.mark.parametrize(
    ("word", "sides"),
    [
        (b"deleted-file mode 120000", b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (b"new file mod 100755", b"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"),
    ],
)
@pytest.mark.parametrize("index", [b"", INDEX])
def test_a_spoiled_line_above_a_file_that_comes_or_goes_is_named(
    word: bytes, sides: bytes, index: bytes
) -> None:
    """It may be what says that the file is a link or can be run, so it is not taken for text."""
    with pytest.raises(PatchError, match=f"'{word.decode()}' is no header line") as caught:
        diff.parse(GIT + word + b"\n" + index + sides)
    assert (caught.value.problem.kind, caught.value.problem.line) == ("parse", 2)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("start", ["", "From: A\n\nwords\n", "\n\n\nIndex: f\n"])
def test_utf16_from_the_start_is_refused_by_name(codec: str, start: str) -> None:
    """With or without its mark, and whatever stands before the diff."""
    with pytest.raises(PatchError) as caught:
        diff.parse((start + (GIT + EDIT).decode()).encode(codec))
    assert caught.value.problem.kind == "encoding"


@pytest.mark.parametrize("zeros", [b"d\0i\0f\0f\0", b"\0-\0-\0-", b"\xff\xfe", b"@\0@\0"])
def test_zeros_in_a_utf8_patch_are_bytes_like_others(zeros: bytes) -> None:
    """In a hunk, before the diff and behind it."""
    text = (
        b"words\n" + zeros + b"\n" + EDIT.replace(b"+B", b"+" + zeros) + b"words " + zeros + b"\n"
    )
    (section,) = diff.parse(text).sections
    assert section.hunks[0].new == b"a\n" + zeros + b"\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "the patch file is empty"),
        (b" \t\r\n\f\v\n", "the patch file is empty"),
        (b"words", "there is no diff in the patch file"),
        (b"1a\nwords\n.\n", "an edit script"),
        (b"words\r\n1,2d\r\n", "an edit script"),
        (b"words\na1 2\nwords\n", "an edit script"),
        (b"words\n1d", "an edit script"),
        (b"*** Begin Patch\n", "an edit script"),
        (b"words 1d\n1d words\n", "there is no diff in the patch file"),
    ],
)
def test_a_file_without_any_diff_is_named(text: bytes, what: str) -> None:
    """What it is instead, as far as that is known."""
    with pytest.raises(PatchError, match=what) as caught:
        diff.parse(text)
    assert caught.value.problem.line is None


@pytest.mark.parametrize("front", [b"    ", b"\t", b"> ", b" "])
@pytest.mark.parametrize("header", [b"", b"diff --git a/f b/f\n"])
def test_an_indented_diff_is_named(front: bytes, header: bytes) -> None:
    """As it is pasted from a page, or quoted in a mail: what to take off, and from where on."""
    text = header + b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    with pytest.raises(PatchError, match="the diff is indented") as caught:
        diff.parse(b"words\n\n" + b"".join(front + line for line in text.splitlines(keepends=True)))
    problem = caught.value.problem
    assert (problem.kind, problem.line) == ("empty", 3)
    assert repr(front)[1:] in problem.what


def test_a_patch_file_with_cr_alone_is_named() -> None:
    """Line ends that no tool has written for long; prose with a lone CR is no diff."""
    text = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
    with pytest.raises(PatchError, match="CR line ends alone"):
        diff.parse(text.replace(b"\n", b"\r"))
    with pytest.raises(PatchError, match="there is no diff"):
        diff.parse(b"words\r--- words")
