import base64
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchtool.ecosystems.pypi.record import update
from patchtool.files import File


def line(path: str, data: bytes, end: str = "\n") -> bytes:
    """A true line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}{end}".encode()


RECORD = line("a/b.py", b"b") + line("a/d.py", b"d") + b"a-1.dist-info/RECORD,,\n"


def test_a_changed_file_has_its_new_hash_and_size() -> None:
    """The line of a changed file is true again, and no other line changes."""
    expected = RECORD.replace(line("a/b.py", b"b"), line("a/b.py", b"other"))
    assert update(RECORD, {"a/b.py": File(data=b"other")}) == expected


def test_a_deleted_file_is_not_listed() -> None:
    """The line of a deleted file goes."""
    assert update(RECORD, {"a/d.py": None}) == RECORD.replace(line("a/d.py", b"d"), b"")


def test_a_new_file_is_listed_in_order() -> None:
    """A new file gets a line where it sorts."""
    expected = line("a/b.py", b"b") + line("a/c.py", b"c") + RECORD[len(line("a/b.py", b"b")) :]
    assert update(RECORD, {"a/c.py": File(data=b"c")}) == expected


def test_a_deletion_of_what_is_not_listed_changes_nothing() -> None:
    """A file that RECORD does not know may go."""
    assert update(RECORD, {"a/x.py": None}) == RECORD


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_stay(end: str) -> None:
    """A RECORD with CRLF, as pip writes it, keeps CRLF; one with LF, LF."""
    record = line("a.py", b"a", end) + line("c.py", b"c", end)
    changed = update(record, {"a.py": File(data=b"x"), "b.py": File(data=b"b")})
    assert changed == line("a.py", b"x", end) + line("b.py", b"b", end) + line("c.py", b"c", end)


def test_a_last_line_without_an_end_gets_one_before_more() -> None:
    """Lines do not run together."""
    record = line("a.py", b"a").rstrip(b"\n")
    assert update(record, {"b.py": File(data=b"b")}) == line("a.py", b"a") + line("b.py", b"b")


def test_an_empty_record_takes_lines() -> None:
    """A RECORD may be empty."""
    assert update(b"", {"a.py": File(data=b"a")}) == line("a.py", b"a")


def test_quoted_paths_and_backslashes_are_read() -> None:
    """A path with a comma is quoted, and Windows may write backslashes."""
    record = b'"a,b.py",,\n' + b"c\\d.py,,\n"
    changed = update(record, {"a,b.py": File(data=b"1"), "c/d.py": None})
    assert changed == line('"a,b.py"', b"1")


@settings(deadline=None)
@given(
    st.dictionaries(st.text('abc/.,é"', min_size=1, max_size=6), st.binary(max_size=4)),
    st.dictionaries(st.text('abc/.,é"', min_size=1, max_size=6), st.none() | st.binary(max_size=4)),
)
def test_the_reverse_gives_the_same_bytes(
    before: dict[str, bytes], after: dict[str, bytes | None]
) -> None:
    """Changes and their reverse leave a true and sorted RECORD as it was, byte for byte."""
    record = update(b"", {path: File(data=data) for path, data in before.items()})
    changes = {path: None if data is None else File(data=data) for path, data in after.items()}
    reverse = {path: File(data=before[path]) if path in before else None for path in changes}
    assert update(update(record, changes), reverse) == record


def test_a_line_that_is_no_csv_stays_as_it_is() -> None:
    """A field that is longer than any reader takes is nobody's line."""
    odd = b"x" * 200_000 + b"\n"
    changed = update(RECORD + odd, {"a/d.py": None})
    assert changed == RECORD.replace(line("a/d.py", b"d"), b"") + odd
