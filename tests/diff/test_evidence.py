"""Blob ids in index lines: what they settle, and what is said where they are wrong."""

from __future__ import annotations

import pytest

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.files import File, blob_id

OLD, NEW, MIXED = b"a\nb\n", b"a\nx\nb\n", b"a\nx\r\nb\n"
HUNK = b"@@ -1,0 +2 @@\n+x\n"


def patch(old: bytes, new: bytes, *, hunk: bytes = HUNK, digits: int = 7) -> bytes:
    """An insertion whose index line has the ids of these contents."""
    ids = "..".join(blob_id(data)[:digits] for data in (old, new))
    return f"diff --git a/f b/f\nindex {ids} 100644\n--- a/f\n+++ b/f\n".encode() + hunk


def outcome(text: bytes, data: bytes, *, backward: bool = False) -> tuple[bytes, list[str]]:
    """What becomes of the file, and the warnings."""
    result = diff.run(diff.parse(text), reader({"f": File(data=data)}), backward=backward)
    assert all(warning.kind == "index-line" and warning.path == "f" for warning in result.warnings)
    made = result.changes["f"]
    assert made is not None
    return made.data, [warning.what for warning in result.warnings]


@pytest.mark.parametrize("digits", [7, 12, 40])
def test_ids_settle_what_a_patch_in_crlf_adds(digits: int) -> None:
    """Only additions show no line of the file: the reading whose id is right is taken, silently."""
    text = patch(OLD, NEW, digits=digits).replace(b"\n", b"\r\n")
    assert outcome(text, OLD) == (NEW, [])
    assert outcome(text, NEW, backward=True) == (OLD, [])
    text = patch(OLD, MIXED, digits=digits).replace(b"\n", b"\r\n")
    assert outcome(text, OLD) == (MIXED, [])


def test_ids_that_fit_no_reading_are_a_warning() -> None:
    """The patch is taken as it stands, and somebody is told which id was expected and found."""
    text = patch(OLD, b"other").replace(b"\n", b"\r\n")
    made, warnings = outcome(text, OLD)
    assert made == MIXED
    assert warnings == [
        "the patch file has CRLF endings, and the blob id in the index line is of other content "
        "than the patch makes"
    ]
    (warning,) = diff.run(diff.parse(text), reader({"f": File(data=OLD)})).warnings
    assert (warning.expected, warning.found) == (blob_id(b"other")[:7], blob_id(MIXED))


def test_short_ids_settle_nothing() -> None:
    """Four digits may be right by chance; where they are right they are no lie either."""
    text = patch(b"", b"x\n", hunk=b"@@ -0,0 +1 @@\n+x\n", digits=4)
    assert outcome(text, b"") == (b"x\n", [])
    assert outcome(text.replace(b"\n", b"\r\n"), b"")[0] == b"x\r\n"


def test_a_wrong_new_id_is_a_warning() -> None:
    """Somebody has edited the hunks and left the index line."""
    made, warnings = outcome(patch(OLD, b"other"), OLD)
    assert made == NEW
    assert warnings == ["the blob id in the index line is of other content than the patch makes"]


def test_a_wrong_old_id_says_all() -> None:
    """The new id of a patch for another file is wrong as well; one warning is enough."""
    hunk = b"@@ -1,2 +1,3 @@\n a\n+x\n b\n"
    made, warnings = outcome(patch(b"other", b"another", hunk=hunk), OLD)
    assert made == NEW
    assert len(warnings) == 1
    assert "is of another file" in warnings[0]


@pytest.mark.parametrize("ids", [(OLD, NEW), (b"other", NEW)])
@pytest.mark.parametrize(
    ("header", "tree"),
    [
        (b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", {"f": OLD}),
        (b"diff --git a/e b/f\nsimilarity index 90%\nrename from e\nrename to f\n", {"e": OLD}),
        (b"diff --git a/e b/f\nsimilarity index 90%\ncopy from e\ncopy to f\n", {"e": OLD}),
    ],
)
def test_a_change_of_content_without_a_hunk_is_a_warning(
    ids: tuple[bytes, bytes], header: bytes, tree: dict[str, bytes]
) -> None:
    """Git writes two ids where content changes; its options leave out hunks of whitespace alone."""
    text = header + b"index %b..%b\n" % tuple(blob_id(data)[:7].encode() for data in ids)
    files = {path: File(data=data) for path, data in tree.items()}
    result = diff.run(diff.parse(text), reader(files))
    (warning,) = result.warnings
    assert "there is no hunk" in warning.what
    assert (warning.path, warning.expected) == ("f", blob_id(NEW)[:7])
    made = result.changes["f"]
    assert made is not None
    assert made.data == OLD


def test_one_id_twice_is_no_change_of_content() -> None:
    """Some writers have an index line above a change of mode as well."""
    text = b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 1234567..1234567\n"
    assert outcome(text, OLD) == (OLD, [])


def test_ids_of_a_sequence_are_of_what_its_steps_make() -> None:
    """The second diff of one file starts from what the first has made: no id there is wrong."""
    first = patch(OLD, b"a\nB\n", hunk=b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n")
    second = patch(b"a\nB\n", b"A\nB\n", hunk=b"@@ -1,2 +1,2 @@\n-a\n+A\n B\n")
    assert outcome(first + second, OLD) == (b"A\nB\n", [])


def test_a_created_file_has_an_id_too() -> None:
    """A creation whose content is not what its index line says is warned of."""
    text = (
        b"diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n"
        b"+++ b/f\n@@ -0,0 +1 @@\n+x\n"
    )
    result = diff.run(diff.parse(text), reader({}))
    assert [warning.expected for warning in result.warnings] == ["1234567"]


@pytest.mark.parametrize(
    "ids", [b"1234567..abcdefg", b"xxxxxxx..yyyyyyy", b"<old>..<new>", b"abc..d"]
)
@pytest.mark.parametrize("mode", [b"", b" 100644", b" 100644 "])
def test_made_up_ids_are_a_warning(ids: bytes, mode: bytes) -> None:
    """Whoever writes a patch by hand has none; where they are needed they are no evidence."""
    text = b"diff --git a/f b/f\nindex " + ids + mode + b"\n--- a/f\n+++ b/f\n"
    made, warnings = outcome(text + b"@@ -1,2 +1,3 @@\n a\n+x\n b\n", OLD)
    assert made == NEW
    assert len(warnings) == 1
    with pytest.raises(PatchError) as caught:
        outcome(text + HUNK, OLD)
    assert caught.value.problem.kind == "no-context"


@pytest.mark.parametrize(
    "index", [b"", b"1234567", b"1..2 rw", b"1..2 644", b"1.. 100644", b"1 2..3"]
)
def test_an_index_line_of_another_form_is_refused(index: bytes) -> None:
    """It is not an index line, and what it was to say is lost."""
    text = b"diff --git a/f b/f\nindex " + index + b"\n--- a/f\n+++ b/f\n" + HUNK
    with pytest.raises(PatchError) as caught:
        diff.parse(text)
    assert caught.value.problem.kind == "parse"
