"""Decisions about a tree that need more than one file, or another disk."""

from __future__ import annotations

import tracemalloc

import pytest

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.diff import Standing
from patchtool.errors import PatchError
from patchtool.files import File

TWINS = b"".join(
    b"--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n" % name for name in (b"README.md", b"Readme.md")
)
EDIT = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"
SWAP = b"".join(
    b"diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n" % (a, b, a, b)
    for a, b in ((b"a", b"b"), (b"b", b"a"))
)


def test_case_twins_on_a_disk_that_folds() -> None:
    """Two names that are one there are refused; elsewhere they are two files."""
    patch = diff.parse(TWINS)
    assert diff.run(patch, reader({})).state is diff.State.APPLIED
    with pytest.raises(PatchError) as caught:
        diff.run(patch, reader({}), folds_case=True)
    assert caught.value.problem.kind == "case-collision"


def test_a_new_name_that_differs_in_case_on_a_disk_that_folds() -> None:
    """A rename in case alone would remove the file that it has just made."""
    patch = diff.parse(b"diff --git a/f b/F\nsimilarity index 100%\nrename from f\nrename to F\n")
    with pytest.raises(PatchError, match="one file"):
        diff.run(patch, reader({"f": File(data=b"x\n")}), folds_case=True)


@pytest.mark.parametrize(
    ("text", "tree", "expected"),
    [
        (EDIT, {"f": b"a\nb\n"}, Standing.BEFORE),
        (EDIT, {"f": b"a\nB\n"}, Standing.AFTER),
        (EDIT, {"f": b"other\n"}, Standing.NEITHER),
        (EDIT, {}, Standing.NEITHER),
        (SWAP, {"a": b"1\n", "b": b"2\n"}, Standing.BOTH),
    ],
)
def test_where_a_part_stands(text: bytes, tree: dict[str, bytes], expected: Standing) -> None:
    """Each part of a patch is judged alone."""
    (part,) = diff.parse(text).parts
    files = {path: File(data=data) for path, data in tree.items()}
    assert diff.judge(part, reader(files)) is expected


def test_parts_are_what_can_stand_alone() -> None:
    """Sections tied by a path, or by a directory that was a file, are one part."""
    text = EDIT.replace(b"/f", b"/g") + EDIT + EDIT.replace(b"/f", b"/g/h") + SWAP
    assert [part.paths for part in diff.parse(text).parts] == [("g", "g/h"), ("f",), ("a", "b")]


def test_what_comes_and_goes_decides_nothing() -> None:
    """A file that one commit makes and a later one removes does not hide where the rest stands."""
    make = b"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
    take = b"--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    before, after = ({"f": File(data=data)} for data in (b"a\nb\n", b"a\nB\n"))
    patch = diff.parse(make + EDIT + take)
    assert diff.run(patch, reader(before)).changes == after
    assert diff.run(patch, reader(after)).state is diff.State.ALREADY_APPLIED
    with pytest.raises(PatchError, match="fits both ways"):
        diff.run(diff.parse(make + take), reader(before))


def test_a_path_is_read_once() -> None:
    """A run reads each path from the disk one time, whatever it tries."""
    asked = []

    def read(path: str) -> diff.Found:
        asked.append(path)
        return File(data=b"a\nB\n")

    assert diff.run(diff.parse(EDIT), read).state is diff.State.ALREADY_APPLIED
    assert asked == ["f"]


def test_very_many_refusals_take_little_memory() -> None:
    """Why each file is refused is kept, but not all that was tried: two kB are plenty."""
    count = 2000
    patch = diff.parse(b"".join(EDIT.replace(b"/f", b"/%d" % number) for number in range(count)))
    tracemalloc.start()
    try:
        with pytest.raises(PatchError, match="is not there"):
            diff.run(patch, reader({}))
        assert tracemalloc.get_traced_memory()[1] < 2000 * count
    finally:
        tracemalloc.stop()
