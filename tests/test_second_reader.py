"""unidiff beside our own reader: they agree on real patches, and a difference is a finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_making import file, patch_text, rename_text
from patchtool import diff
from patchtool.diff import Part, Patch
from patchtool.files import Mode
from patchtool.second_reader import disagreements

PATCH = b"""\
Why: a preamble that both readers pass over

diff --git a/a.js b/a.js
--- a/a.js
+++ b/a.js
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -10,2 +10,3 @@
 ten
+ten and a half
 eleven
\\ No newline at end of file
diff --git a/b.js b/b.js
--- a/b.js
+++ b/b.js
@@ -1 +1 @@
-b
+c
"""


def found(data: bytes, patch: Patch | None = None) -> list[str]:
    """What the two readers differ in."""
    problems = disagreements(data, patch or diff.parse(data), subject="x.patch")
    assert all(each.kind == "second-reader" and each.subject == "x.patch" for each in problems)
    return [each.what for each in problems]


def test_readers_agree_on_a_patch() -> None:
    """Files, hunks, lines and the mark of a missing newline are read alike."""
    assert found(PATCH) == []


@pytest.mark.parametrize(
    "data",
    [
        PATCH.replace(b"two", b"tw\xff\xfeo"),
        PATCH.replace(b"two", b"tw\ro\x0c\xc2\x85\xe2\x80\xa8"),
        PATCH.replace(b"\n ten", b"\n \r"),
        PATCH.replace(b"\n one\n", b"\n\n"),
        patch_text({"new.js": (None, file("new\n"))}),
        patch_text({"gone.js": (file("gone\n"), None)}),
        patch_text({"run.sh": (file("x\n"), file("x\n", Mode.EXECUTABLE))}),
        rename_text("a", "b"),
        rename_text("a", "b") + PATCH,
        b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    ],
    ids=[
        *("bytes", "breaks", "cr", "stripped", "created", "deleted", "mode", "rename", "mixed"),
        "newline",
    ],
)
def test_readers_agree_on_what_is_odd_and_right(data: bytes) -> None:
    """Any bytes, line breaks that are none, a stripped blank line, and what has no hunks."""
    assert found(data) == []


# Without NUL: some texts with it look like UTF-16, which our reader refuses by name.
LINES = st.binary(max_size=8).filter(lambda line: not {0, 10} & set(line))


@given(st.lists(LINES, min_size=1))
def test_readers_agree_on_any_bytes(lines: list[bytes]) -> None:
    """A line is what ends at LF, whatever else is in it."""
    text = b"".join(line + b"\n" for line in lines)
    assert found(patch_text({"a": (None, file(text))})) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (PATCH.partition(b"diff --git a/b.js")[0], "number of files"),
        (PATCH.replace(b"+2\n", b"+3\n"), "new side"),
        (PATCH.replace(b"-two\n", b"-too\n"), "old side"),
        (PATCH.replace(b"\\ No newline at end of file\n", b""), "old side"),
    ],
)
def test_a_difference_is_a_finding(changed: bytes, words: str) -> None:
    """Another number of files, or another byte on a side of a hunk, is said."""
    assert any(words in what for what in found(changed, diff.parse(PATCH)))


def test_another_number_of_hunks_is_a_finding() -> None:
    """A hunk that only one of the readers sees is said, with the file."""
    ours = diff.parse(PATCH)
    first = replace(ours.parts[0].steps[0][0], hunks=ours.parts[0].steps[0][0].hunks[:1])
    less = Patch(parts=(Part(steps=((first,),)), *ours.parts[1:]))
    (problem,) = disagreements(PATCH, less, subject="x.patch")
    assert (problem.path, problem.expected, problem.found) == ("a.js", "1", "2")


def test_what_unidiff_cannot_read_is_a_finding() -> None:
    """Its parse error is in the problem."""
    (problem,) = disagreements(PATCH + b"@@ -1 +1 @@\n+x\n", diff.parse(PATCH), subject="x.patch")
    assert "cannot read" in problem.what
    assert problem.found


def test_readers_agree_on_the_patches_in_this_repository() -> None:
    """Every patch kept here is read alike."""
    root = Path(__file__).parent.parent
    patches = [*root.glob("patches/*.patch"), *root.glob("tests/projects/*/patches/*.patch")]
    assert patches
    for path in patches:
        assert found(path.read_bytes()) == [], path
