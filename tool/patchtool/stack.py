"""Stacks on disk: a laid-out tree is published once, then copied by hard links and changed.

A published stack is never written to again. A file of a copy is changed by replacement, because
its bytes are shared. It knows no ecosystem: whoever lays a stack out says what it holds.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

from patchtool.errors import CannotTell, Problem
from patchtool.files import File, Files, Mode
from patchtool.store import Store

# Written last: a stack's digest, and what its files held when it was whole.
_RECORD = "stack.json"

# Changes to a stack: for the directory of a package, files by their path in it; None deletes.
Changes = Mapping[Path, Files]


def find(lock: bytes, store: Store) -> Path | None:
    """The published stack of this lockfile, or None if there is none that is still whole."""
    stack = _home(lock, store)
    return None if changed(stack) else stack


def publish(directory: Path, lock: bytes, store: Store) -> Path:
    """Make `directory`, laid out from `lock`, the published stack; it moves, in one step."""
    for path, entry in _walk(directory):
        if not entry.is_symlink():
            # Nothing may be written through a link by accident.
            Path(path).chmod(entry.stat().st_mode & ~0o222)
    stack = _home(lock, store)
    return _move(directory, stack, stack.name)


def variant(base: Path, changes: Changes, store: Store) -> Path:
    """A copy of the stack `base` with `changes`, kept in the cache by its content.

    Raises `CannotTell` if it has to be made of a base that is not whole.
    """
    identity = digest(base, changes)
    place = store.cache.directory / "variants" / identity
    if not changed(place):
        return place
    if changed(base):
        raise _not_whole(base)
    with store.cache.scratch() as scratch:
        made = scratch / "variant"
        copy(base, made)
        change(made, {made / path.relative_to(base): files for path, files in changes.items()})
        return _move(made, place, identity)


def copy(base: Path, into: Path) -> None:
    """Copy the stack `base` to `into`, which must not be there: directories anew, files linked.

    Node.js follows links to directories and would then leave the copy: so none are made.
    """
    into.mkdir(parents=True)
    with os.scandir(base) as entries:
        for entry in entries:
            target = into / entry.name
            if entry.is_dir(follow_symlinks=False):
                copy(Path(entry.path), target)
            else:
                _link(entry.path, target)


def change(stack: Path, changes: Changes) -> None:
    """Replace, make or delete files in a copy of a stack; the files it shares keep their bytes."""
    for directory, files in changes.items():
        for name, file in files.items():
            path = directory / name
            if not path.parent.resolve().is_relative_to(stack.resolve()):
                raise ValueError(f"{path} is not in {stack}")
            path.unlink(missing_ok=True)
            if file is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if file.mode is Mode.SYMLINK:
                path.symlink_to(os.fsdecode(file.data))
            else:
                path.write_bytes(file.data)
                path.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)


def changed(stack: Path) -> tuple[str, ...]:
    """The files of a published stack that are not as they were then: changed, gone or new.

    By content: a write can leave size and time as they were. That takes 0.1 s for 5000 files.
    """
    try:
        recorded = dict(json.loads((stack / _RECORD).read_bytes())["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return (_RECORD,)
    try:
        found = _files(stack)
    except OSError as error:
        return (os.fsdecode(error.filename),)
    names = sorted({*recorded, *found})
    return tuple(name for name in names if recorded.get(name) != found.get(name))


def digest(stack: Path, changes: Changes | None = None) -> str:
    """What identifies the content of a stack, with `changes` if any: 64 hex digits.

    It stands for the lockfile the stack was laid out from, and every file changed since.
    """
    try:
        base: str = json.loads((stack / _RECORD).read_bytes())["digest"]
    except (OSError, ValueError, KeyError) as error:
        raise _not_whole(stack) from error
    lines = sorted(_line(stack, changes or {}))
    return hashlib.sha256("\n".join([base, *lines]).encode()).hexdigest() if lines else base


def _not_whole(stack: Path) -> CannotTell:
    return CannotTell(
        Problem(kind="stack", what="is not a stack that was laid out whole", path=str(stack))
    )


def _line(stack: Path, changes: Changes) -> Iterator[str]:
    for directory, files in changes.items():
        for name, file in files.items():
            path = (directory / name).relative_to(stack)
            content = f"{file.mode.value} {file.identity.blob}" if isinstance(file, File) else "-"
            yield f"{content} {os.fsencode(path).hex()}"


def _home(lock: bytes, store: Store) -> Path:
    return store.cache.directory / "stacks" / hashlib.sha256(lock).hexdigest()


def _files(stack: Path) -> dict[str, str]:
    """Each file by its path in the stack, with its mode and the hash of its bytes."""
    start = len(str(stack)) + 1  # `relpath` would take as long as all the rest
    return {
        path[start:]: _content(path, entry)
        for path, entry in _walk(stack)
        if path[start:] != _RECORD
    }


def _content(path: str, entry: os.DirEntry[str]) -> str:
    mode = entry.stat(follow_symlinks=False).st_mode
    data = b""
    if stat.S_ISLNK(mode):
        data = os.fsencode(Path(path).readlink())
    elif stat.S_ISREG(mode):
        # A Path takes two thirds longer, and a buffer another third.
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            data = file.read()
    return f"{mode:o} {hashlib.sha256(data).hexdigest()}"


def _walk(directory: Path | str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path)
            else:
                yield entry.path, entry


def _link(source: str, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EMLINK, errno.EPERM, errno.ENOTSUP):
            raise
        shutil.copy2(source, target, follow_symlinks=False)


def _move(made: Path, place: Path, identity: str) -> Path:
    """Record a finished directory and move it to its place, unless a whole one stands there.

    One that is damaged makes room.
    """
    record = made / _RECORD
    record.unlink(missing_ok=True)
    record.write_text(json.dumps({"digest": identity, "files": _files(made)}))
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists() and changed(place):
        old = made.with_name(uuid.uuid4().hex)
        place.rename(old)
        shutil.rmtree(old)
    try:
        made.rename(place)
    except OSError:
        if changed(place):  # else another run was faster, with the same content
            raise
    return place
