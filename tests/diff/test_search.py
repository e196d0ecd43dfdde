"""Where all hunks of a file go that are not at their stated places."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.diff import Hunk, place, search
from patchtool.files import File

# Few different lines, some of which end like others, so that much stands at several places.
LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"ba\n", b"c\r\n", b"\n"]), max_size=30)


def hunk(old: bytes, first: int, **fields: int) -> Hunk:
    """A hunk with this old side behind `first` lines."""
    context = {"leading": 1, "trailing": 1, "context": 2} | fields
    return Hunk(line=1, old_first=first, old=old, new_first=first, new=b"new\n", **context)


def one_by_one(hunks: list[Hunk], data: bytes) -> list[int] | tuple[Hunk, list[int]]:
    """What must come of it, by looking through the whole file for each hunk."""
    offsets: list[int] = []
    end = 0
    for each in hunks:
        places = place.elsewhere(each, data)
        if len(places) != 1:
            return each, places
        if places[0] < end:
            return each, []
        offsets += places
        end = places[0] + len(each.old)
    return offsets


@given(lines=LINES, data=st.data(), cut=st.booleans())
@pytest.mark.parametrize("look", [0, 10, 1 << 20])
def test_all_at_once_is_what_one_by_one_gives(
    lines: list[bytes], data: st.DataObject, cut: bool, look: int
) -> None:
    """Whether places are looked at or the file is looked through, and whatever ends it."""
    hunks = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(lines)))
        old = b"".join(lines[start : start + data.draw(st.integers(1, 12))]) or b"a\n"
        trailing = data.draw(st.sampled_from([0, 1, 1, 1]))
        first = data.draw(st.sampled_from([0, 5, 5, 5]))
        hunks.append(hunk(old, first, trailing=trailing))
    file = b"".join(lines).removesuffix(b"\n" if cut else b"")
    with patch.multiple(search, _FEW=0, _LINES=4, _LOOK=look):
        assert search.searched(hunks, file) == one_by_one(hunks, file)


def many(count: int) -> tuple[bytes, bytes]:
    """A file, and a patch of so many hunks that are all one line off."""
    file, text = [], [b"--- a/f\n+++ b/f\n"]
    for number in range(count):
        file.append(b"same\nold %d\nsame\n\n" % number)
        text.append(b"@@ -%d,3 +%d,3 @@\n" % (4 * number + 2, 4 * number + 2))
        text.append(b" same\n-old %d\n+new %d\n same\n" % (number, number))
    return b"".join(file), b"".join(text)


def test_very_many_hunks_take_one_look_at_the_file() -> None:
    """The file is looked through for a few of them at most, however many there are."""
    file, text = many(1000)
    looks = 0

    def counted(data: bytes, wanted: bytes) -> Iterator[int]:
        nonlocal looks
        looks += 1
        return occurrences(data, wanted)

    occurrences = place.occurrences
    with patch.object(place, "occurrences", counted):
        result = diff.run(diff.parse(text), reader({"f": File(data=file)}), allow_offset=True)
    assert result.changes == {"f": File(data=file.replace(b"old", b"new"))}
    assert [moved.line for moved in result.moved] == [4 * number + 1 for number in range(1000)]
    assert looks < 100


def test_hunks_without_a_rare_line_are_all_found() -> None:
    """Lines that are common one by one are not when taken together: the file is read once."""
    alike = [b"same\n"] * 9
    lines = [
        alike + [b"%d\n" % (number >> 2 * at & 3) for at in range(6)] for number in range(4**6)
    ]
    file = b"".join(b"".join(each) + b"end\n" for each in lines)
    hunks = [hunk(b"".join(each) + b"end\n", 5) for each in lines[64:]]
    with patch.object(search, "_LIMIT", 50 * len(file)):
        offsets = search.searched(hunks, file)
    assert offsets == [len(hunks[0].old) * number for number in range(64, 4**6)]


def test_a_hunk_without_any_old_line_is_no_other_hunks_place() -> None:
    """It stands nowhere, and does not let another stand twice."""
    hunks = [hunk(b"a\nb\n", 5), hunk(b"", 5, leading=0, trailing=0, context=0)]
    with patch.object(search, "_FEW", 0):
        assert search.searched(hunks, b"a\nb\n" + b"c\n" * 1000) == (hunks[1], [])


def test_hunks_that_begin_alike_are_looked_for_up_to_a_limit() -> None:
    """Where the file would have to be looked through for ever, nothing is found."""
    file = b"a\n" * 1000 + b"b\n" * 1000 + b"a\n" * 1000
    hunks = [hunk(b"a\n" * 16 + b"b\n", 5), hunk(b"b\n" * 16 + b"a\n", 5)]
    with patch.multiple(search, _FEW=0, _LIMIT=2 * len(file)):
        assert search.searched(hunks, file) == [1968, 3968]
    with patch.multiple(search, _FEW=0, _LIMIT=2 * len(file) - 1):
        assert search.searched(hunks, file) == (hunks[1], [])
