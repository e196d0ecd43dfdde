"""The fuzz targets: each takes any bytes, and only the documented errors may come of them.

A target raises whatever else its reader raises, and AssertionError where a promise is broken.
"""

from __future__ import annotations

import atexit
import gzip
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from patchtool import diff
from patchtool.archive import unpack_tarball, unpack_zip
from patchtool.diff.binary import BadBinary, content, decode_line, inflate
from patchtool.diff.model import Payload
from patchtool.errors import CannotTell, PatchError, UsageError
from patchtool.files import File
from patchtool.project import lock, manifest
from patchtool.project.patch_name import parse as parse_name

CORPUS = Path(__file__).parent / "corpus"

_TEXT = File(data=b"".join(b"%d\n" % number for number in range(1, 21)))
_PATCH_NAMES = ("left-pad+1.3.0.patch", "@scope+name+1.0.0.patch")


def patch(data: bytes) -> None:
    """The patch parser, and a run of what it read over a tree that has every file."""
    try:
        parsed = diff.parse(data)
        assert diff.reverse(diff.reverse(parsed)) == parsed
        for backward in (False, True):
            diff.run(parsed, lambda _: _TEXT, backward=backward, allow_offset=True)
    except PatchError as error:
        if error.problem.kind not in diff.KINDS:
            raise AssertionError(f"an unknown kind: {error.problem.kind}") from error


def binary_delta(data: bytes) -> None:
    """Git's base85, zlib and delta decoders, a byte saying where the delta begins."""
    source, delta = data[1 : data[0] + 1] if data else b"", data[data[0] + 1 :] if data else b""
    decoders: tuple[Callable[[], bytes], ...] = (
        lambda: content(Payload(data=delta, is_delta=True), source),
        lambda: decode_line(data),
        lambda: inflate(data[1:], data[0]) if data else b"",
    )
    for decode in decoders:
        try:
            decode()
        except BadBinary:
            continue


def lock_file(data: bytes) -> None:
    """patches.lock; what is read must be written as a lock that reads the same."""
    path = _directory() / lock.NAME
    path.write_bytes(data)
    try:
        read = lock.read(path)
    except UsageError:
        return
    path.write_bytes(lock.dump(read))
    assert lock.read(path) == read


def manifest_file(data: bytes) -> None:
    """patches.toml, beside two patch files and a guard."""
    directory = _directory()
    (directory / "guard").mkdir(exist_ok=True)
    (directory / manifest.NAME).write_bytes(data)
    names = tuple(parse_name(name) for name in _PATCH_NAMES)
    try:
        manifest.read(directory, root=directory, patches=names)
    except UsageError:
        return


def archive(data: bytes) -> None:
    """The archive readers: as it is, and as the tar inside a sound gzip stream."""
    readers: tuple[Callable[[], Mapping[str, File]], ...] = (
        lambda: unpack_zip(data, subject="fuzz"),
        lambda: unpack_tarball(data, subject="fuzz"),
        lambda: unpack_tarball(gzip.compress(data, compresslevel=0), subject="fuzz"),
    )
    for read in readers:
        try:
            files = read()
        except CannotTell:
            continue
        assert all(not path.startswith("/") and ".." not in path.split("/") for path in files)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "patch": patch,
    "binary-delta": binary_delta,
    "lock": lock_file,
    "manifest": manifest_file,
    "archive": archive,
}

_made: list[Path] = []


def _directory() -> Path:
    """A directory for the readers that want a file; it goes when the process ends."""
    if not _made:
        _made.append(Path(tempfile.mkdtemp(prefix="patchtool-fuzz-")))
        atexit.register(shutil.rmtree, _made[0], ignore_errors=True)
    return _made[0]
