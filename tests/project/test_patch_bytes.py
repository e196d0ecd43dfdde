"""The bytes of patch files, beside what the lock has of them."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from patch_making import patch_text
from patchtool.errors import UsageError
from patchtool.project import LockedPatch
from patchtool.project.patch_bytes import changed_since_lock, read_bytes
from test_patch_file import EDITS, PREFIX, patch_file


def test_a_patch_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Gone, or a directory: wrong usage, with the path."""
    with pytest.raises(UsageError) as caught:
        read_bytes(patch_file(directory=tmp_path))
    assert caught.value.problem.path == str(tmp_path / "@s+lead+1.0.0.patch")


def test_one_changed_byte_is_seen() -> None:
    """The lock has the SHA-256 of the whole file, preamble and all."""
    data = b"Why: reasons\n\n" + patch_text(EDITS, PREFIX)
    each = patch_file()
    locked = LockedPatch(name=each.name, sha256=hashlib.sha256(data).hexdigest(), files={})
    assert changed_since_lock(data, each, locked) is None
    problem = changed_since_lock(data.replace(b"reasons", b"seasons"), each, locked)
    assert problem is not None
    assert (problem.kind, problem.subject) == ("stale", "@s+lead+1.0.0.patch")
    assert problem.remedy == "patchtool lock"


def test_changed_line_ends_are_told_with_the_command_that_mends_them(tmp_path: Path) -> None:
    """Git's autocrlf makes CRLF of each LF: then nothing is to be locked anew."""
    data = patch_text(EDITS, PREFIX)
    each = patch_file(directory=tmp_path / "it's")
    locked = LockedPatch(name=each.name, sha256=hashlib.sha256(data).hexdigest(), files={})
    each.path.parent.mkdir()
    each.path.write_bytes(data.replace(b"\n", b"\r\n"))
    problem = changed_since_lock(read_bytes(each), each, locked)
    assert problem is not None
    assert "autocrlf" in problem.what
    assert problem.remedy is not None
    subprocess.run(["sh", "-c", problem.remedy], check=True, timeout=10)
    assert read_bytes(each) == data
    assert (each.path.parent / ".gitattributes").read_text() == "*.patch -text\n"
    mixed = data.replace(b"\n", b"\r\n", 1).replace(b"new", b"gnu")
    problem = changed_since_lock(mixed, each, locked)
    assert problem is not None
    assert problem.remedy == "patchtool lock"
