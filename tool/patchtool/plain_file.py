"""Reads a plain file as a whole, or not at all.

What a project or a package has at a path may be a pipe that nobody writes to, a device that never
ends, or a file that no memory holds. Runs at every install, so it imports nothing slow.
"""

from __future__ import annotations

import errno
import os
import stat

from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The largest manifests, lockfiles and records of packages have some tens of megabytes.
LARGE = 64 * 1024 * 1024


class TooLarge(OSError):
    """The file has more bytes than its reader takes; of a part of it nobody could say the truth."""


def read(path: Path | str, most: int = LARGE) -> bytes:
    """The file's bytes.

    OSError if it cannot be read, or is no plain file; `TooLarge` if it has more than `most` bytes.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", os.fspath(path))
        if status.st_size > most:
            raise TooLarge(errno.EFBIG, f"too large: more than {most} bytes", os.fspath(path))
        with open(handle, "rb", closefd=False) as file:
            return file.read(status.st_size)
    finally:
        os.close(handle)
