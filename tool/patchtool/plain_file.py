"""Reads a plain file, and no more of it than is asked for.

What a project or a package has at a path may be a pipe that nobody writes to, or a device that
never ends. Runs at every install, so it imports nothing slow.
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


def read(path: Path | str, most: int = LARGE) -> bytes:
    """The file's first bytes, at most so many; OSError if it cannot be read, or is no such file."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", os.fspath(path))
        with open(handle, "rb", closefd=False) as file:
            return file.read(min(most, status.st_size))
    finally:
        os.close(handle)
