"""The few ways in which a directory is written to, by paths relative to it.

Every call of the system that changes something is here, so that tests can let each one fail.
"""

# Paths are bytes here, which pathlib does not have.
# ruff: noqa: PTH101, PTH103, PTH105, PTH106, PTH108, PTH118, PTH120, PTH211
from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from patchtool.files import File, Mode, Read
from patchtool.tree.disk import encode
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

# Why a file cannot be hard-linked though it can be copied.
_NO_LINK = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
# Up to how many files are seen to one by one, since threads take longer to start than these take;
# and how many at a time where there are more.
ONE_BY_ONE, _AT_ONCE = 48, 8
# How many are open meanwhile; a process may have 256 on some systems.
_OPEN = 128
# What a file system says that cannot wait for this kind of file; there is nothing better to do.
_NO_SYNC = {errno.EINVAL, errno.ENOTSUP}
# What says that nothing is at a path, be it because there cannot be anything.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}
# What says that a directory cannot go because it is in use.
_IN_USE = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY}


class Directory:
    """A directory that is written to; `path` arguments are relative, with "" for itself."""

    def __init__(self, base: Path) -> None:
        self._root = os.path.realpath(os.fsencode(base))

    def _full(self, path: str) -> bytes:
        return os.path.join(self._root, encode(path))

    def has(self, path: str) -> bool:
        """Whether anything is there, be it a link to nowhere."""
        return os.path.lexists(self._full(path))

    def is_directory(self, path: str) -> bool:
        """Whether a real directory is there."""
        try:
            return stat.S_ISDIR(os.lstat(self._full(path)).st_mode)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise
            return False

    def nearest(self, path: str) -> str:
        """The innermost directory above the path that is there; "" is the top."""
        parent = path.rpartition("/")[0]
        while parent and not self.is_directory(parent):
            parent = parent.rpartition("/")[0]
        return parent

    def create(self, path: str, data: bytes, mode: int = 0o600) -> None:
        """Write a new file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        full = self._full(path)
        handle = _over(full, lambda full: os.open(full, flags, mode))
        with _about(full):
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(handle, rest) :]
            finally:
                os.close(handle)

    def write(self, path: str, file: File, like: str | None) -> None:
        """Write a file or link; with the owner and the permissions of `like`, if given."""
        if file.mode is Mode.SYMLINK:
            _over(self._full(path), lambda full: os.symlink(file.data, full))
            return
        executable = file.mode is Mode.EXECUTABLE
        self.create(path, file.data, 0o777 if executable else 0o666)
        if like is None:
            return
        full = self._full(path)
        old, new = os.lstat(self._full(like)), os.lstat(full)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.chown(full, old.st_uid, old.st_gid)
        os.chmod(full, _permissions(stat.S_IMODE(old.st_mode), executable))

    def keep(self, path: str, kept: str, read: Read) -> None:
        """Give the file at `path` a second name: a hard link, or a copy where there are none."""
        source = self._full(path)
        try:
            _over(self._full(kept), lambda full: os.link(source, full, follow_symlinks=False))
        except OSError as error:
            file = read(path)
            if error.errno not in _NO_LINK or not isinstance(file, File):
                raise
            self.write(kept, file, like=path)
            if file.mode is not Mode.SYMLINK:
                self.sync(kept)

    def move(self, source: str, path: str) -> None:
        """Let what is at `source` take the place of what is at `path`, in one step."""
        os.replace(self._full(source), self._full(path))

    def make_parents(self, path: str) -> None:
        """Make the directories above the path."""
        os.makedirs(os.path.dirname(self._full(path)), exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there; a directory in its place stays."""
        try:
            os.unlink(self._full(path))
        except OSError as error:
            if error.errno not in _ABSENT and not self.is_directory(path):
                raise

    def remove_all(self, paths: Iterable[str]) -> None:
        """Remove all of these; to free the space of a file can take as long as to write it."""
        _for_each(sorted(set(paths)), self.remove)

    def prune(self, path: str) -> None:
        """Remove the directories above the path, as far as they are empty."""
        parent = path.rpartition("/")[0]
        while parent:
            try:
                os.rmdir(self._full(parent))
            except OSError as error:
                if error.errno in _IN_USE:
                    return
                if error.errno not in _ABSENT:
                    raise
            parent = parent.rpartition("/")[0]

    def sync(self, path: str) -> None:
        """Wait until the file or directory is on the disk."""
        self.sync_all([path])

    def sync_all(self, paths: Iterable[str]) -> None:
        """Wait until all of these files and directories are on the disk.

        Many are waited for at once, as the disk then writes them together. Unlike sync(2) this
        waits for nobody else's files.
        """
        todo = sorted(set(paths))
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        for first in range(0, len(todo), _OPEN):
            handles: list[tuple[int, bytes]] = []
            try:
                for path in todo[first : first + _OPEN]:
                    full = self._full(path)
                    handles.append((os.open(full, flags), full))
                _for_each(handles, _sync)
            finally:
                for handle, _ in handles:
                    os.close(handle)

    def sync_above(self, paths: Iterable[str]) -> None:
        """Wait until the directories that hold these paths are on the disk."""
        self.sync_all(self.nearest(path) for path in paths)


def _sync(opened: tuple[int, bytes]) -> None:
    handle, full = opened
    try:
        with _about(full):
            os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


@contextlib.contextmanager
def _about(full: bytes) -> Iterator[None]:
    """Let an error of the block say which file it is about: by a handle the system does not."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or full
        raise


def _for_each(todo: Sequence[T], work: Callable[[T], None]) -> None:
    """Do the same to all of these, several at a time; the first error is raised in the end."""
    if len(todo) <= ONE_BY_ONE:
        for each in todo:
            work(each)
        return
    import threading  # most runs have no use for it; concurrent.futures takes far longer to import

    errors: list[BaseException] = []

    def do_some(first: int) -> None:
        try:
            for each in todo[first::_AT_ONCE]:
                work(each)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=do_some, args=(number,)) for number in range(_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def _over(full: bytes, make: Callable[[bytes], T]) -> T:
    """Make a file of ours.

    One that is there already was left by a run whose journal a loss of power took away; the lock
    says that nobody uses it.
    """
    try:
        return make(full)
    except FileExistsError:
        os.unlink(full)
        return make(full)


def _permissions(old: int, executable: bool) -> int:
    """The permissions of the old file, executable (by whom it can be read) or by nobody."""
    if executable == bool(old & stat.S_IXUSR):
        return old
    return old | (old & 0o444) >> 2 if executable else old & ~0o111
