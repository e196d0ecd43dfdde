"""One run at a time in a directory: a lock that leaves no file and dies with its owner."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from patchtool.errors import CannotTell, Problem
from patchtool.tree.disk import cannot

_SAY_AFTER = 1.0
_LIMIT = 120.0
_PAUSE = 0.02
# Some network file systems cannot lock a directory; there is nothing better to do than to go on.
_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@contextmanager
def exclusive(
    base: Path, *, limit: float = _LIMIT, say: Callable[[str], None] = _say
) -> Iterator[None]:
    """Hold the directory's lock for a block.

    Waits for another run, and says so after a second; CannotTell after `limit` seconds. The lock
    is the kernel's (flock on the directory itself), so a killed run leaves none.
    """
    try:
        handle = os.open(os.path.realpath(base), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise cannot(error, "cannot open the directory", str(base)) from None
    try:
        _acquire(handle, base, limit, say)
        yield
    finally:
        os.close(handle)


def _acquire(handle: int, base: Path, limit: float, say: Callable[[str], None]) -> None:
    start = time.monotonic()
    said = False
    while not _try(handle, base):
        waited = time.monotonic() - start
        if waited > limit:
            what = f"another run holds the directory for more than {limit:g} seconds"
            raise CannotTell(Problem(kind="locked", what=what, path=str(base)))
        if waited > _SAY_AFTER and not said:
            say(f"{base}: waiting for another run to finish")
            said = True
        time.sleep(_PAUSE)


def _try(handle: int, base: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return True
        raise cannot(error, "cannot lock the directory", str(base)) from None
    return True
