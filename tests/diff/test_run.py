"""Decisions about a tree that need more than one file, or another disk."""

from __future__ import annotations

import re
import tracemalloc

import pytest

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.diff import Standing
from patchtool.errors import PatchError
from patchtool.files import File, Mode, blob_id

EDIT = b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n"
SWAP = b"".join(
    b"diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n" % (a, b, a, b)
    for a, b in ((b"a", b"b"), (b"b", b"a"))
)


@pytest.mark.parametrize("twins", [("README.md", "Readme.md"), ("\u00e9", "e\u0301")])
def test_twins_on_a_disk_that_folds(twins: tuple[str, str]) -> None:
    """Two names, by case or by accent, that are one there are refused; elsewhere two files."""
    made = "".join(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n" for name in twins)
    patch = diff.parse(made.encode())
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


def test_ids_say_which_way_two_files_were_swapped() -> None:
    """Each file is another one's before and after: index lines settle what the names cannot."""
    ids = [blob_id(data).encode() for data in (b"1\n", b"2\n")]
    names = iter(ids)
    text = re.sub(
        rb"rename to .\n", lambda m: b"%bindex %b..%b\n" % (m[0], *[next(names)] * 2), SWAP
    )
    (part,) = diff.parse(text).parts
    one, two = File(data=b"1\n"), File(data=b"2\n")
    assert diff.judge(part, reader({"a": one, "b": two})) is Standing.BEFORE
    assert diff.judge(part, reader({"a": two, "b": one})) is Standing.AFTER


def test_a_link_may_not_lead_to_one_that_leaves_the_tree() -> None:
    """A new link to a link goes where that one goes: inside it is fine, outside it is refused."""
    patch = diff.parse(
        b"diff --git a/new b/new\nnew file mode 120000\n--- /dev/null\n+++ b/new\n"
        b"@@ -0,0 +1 @@\n+old\n\\ No newline at end of file\n"
    )
    inside, outside = (File(data=data, mode=Mode.SYMLINK) for data in (b"f", b"../f"))
    assert diff.run(patch, reader({"old": inside})).state is diff.State.APPLIED
    with pytest.raises(PatchError, match="leaves the tree"):
        diff.run(patch, reader({"old": outside}))


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
