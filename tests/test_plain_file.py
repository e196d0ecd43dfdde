"""What is read of a path where anything may stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from patchtool import plain_file


def test_a_file_is_read_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """All of it, through links as well; one that has more bytes than are taken is an error."""
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert plain_file.read(tmp_path / "file") == b"content"
    assert plain_file.read(str(tmp_path / "link"), 7) == b"content"
    with pytest.raises(plain_file.TooLarge, match="more than 6 bytes"):
        plain_file.read(tmp_path / "link", 6)
    os.truncate(tmp_path / "file", plain_file.LARGE + 1)
    with pytest.raises(plain_file.TooLarge):
        plain_file.read(tmp_path / "file")


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
