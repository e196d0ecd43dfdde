"""What is read of a path where anything may stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from patchtool import plain_file


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    """All of it, or as many of its first bytes as are asked for; through links as well."""
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert plain_file.read(tmp_path / "file") == b"content"
    assert plain_file.read(str(tmp_path / "link"), 3) == b"con"


@pytest.mark.parametrize(
    ("path", "words"),
    [("pipe", "not a plain file"), ("endless", "not a plain file"), (".", "Is a directory"),
     ("missing", "No such file"), ("loop", "symbolic links")],
)  # fmt: skip
def test_what_is_no_file_is_an_error_at_once(tmp_path: Path, path: str, words: str) -> None:
    """A pipe that nobody writes to, a device without an end, a directory, nothing, a circle."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    with pytest.raises(OSError, match=words):
        plain_file.read(tmp_path / path)
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
