"""Unpacks archives in memory: bytes in, files out. Pure; writes nothing, runs nothing.

An archive is foreign input even when its hash is right. Whatever an unpacking tool could be
tricked with is refused as a whole, before anybody sees a file of it.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator

from patchtool.errors import CannotTell, Problem
from patchtool.files import File, Mode

# The largest packages on npm and PyPI have some ten thousand files and a few hundred megabytes.
MEMBERS = 100_000
EXPANDED = 512 * 1024 * 1024
# Program text shrinks to a tenth, tables of zeros to a hundredth; deflate can reach a thousandth.
# Small archives may do what they like.
RATIO = 100
SMALL = 16 * 1024 * 1024

_STEP = 1024 * 1024

# What the readers of the standard library raise on damaged input.
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    RuntimeError,
    ValueError,
)


def unpack_tarball(data: bytes, *, subject: str) -> dict[str, File]:
    """The files of a gzipped tar archive, without the first directory of each path.

    Links that stay inside are left out, as npm leaves them out. `CannotTell` says why an archive
    is refused; `subject` names it.
    """
    unpacking = _Unpacking(subject)
    try:
        return unpacking.gather(_tar_members(_gunzip(data, unpacking), unpacking))
    except _DAMAGE as error:
        raise unpacking.refused(f"is damaged: {error}") from error


def unpack_zip(data: bytes, *, subject: str) -> dict[str, File]:
    """The files of a zip archive, such as a wheel. `CannotTell` says why one is refused."""
    unpacking = _Unpacking(subject)
    try:
        return unpacking.gather(_zip_members(data, unpacking))
    except _DAMAGE as error:
        raise unpacking.refused(f"is damaged: {error}") from error


class _Unpacking:
    """The rules that hold for every archive, and the messages that name it."""

    def __init__(self, subject: str) -> None:
        self.subject = subject

    def refused(self, what: str, path: str | None = None) -> CannotTell:
        problem = Problem(
            kind="archive", what=f"the archive {what}", subject=self.subject, path=path
        )
        return CannotTell(problem)

    def path(self, name: str) -> str:
        """The path of a member in plain form; refused if it could lead anywhere else."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
            raise self.refused("has a path that leads out of it", name)
        return "/".join(parts)

    def gather(self, members: Iterator[tuple[str, File]]) -> dict[str, File]:
        """The members by path; refused if two would be one file, here or on another system."""
        files: dict[str, File] = {}
        folded: dict[str, str] = {}
        for path, file in members:
            if path in files:
                raise self.refused("has a path twice", path)
            files[path] = file
            twin = folded.setdefault(_fold(path), path)
            if twin != path:
                raise self.refused(f"has two paths that differ only in case: {twin}", path)
        for path in files:
            parent = posixpath.dirname(path)
            while parent:
                if parent in files:
                    raise self.refused("has a file where it has a directory", parent)
                parent = posixpath.dirname(parent)
        return files

    def limit(self, compressed: int) -> int:
        """The most bytes an archive of this size may expand to."""
        return min(EXPANDED, max(SMALL, RATIO * compressed))


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path.casefold())


def _gunzip(data: bytes, unpacking: _Unpacking) -> bytes:
    limit = unpacking.limit(len(data))
    stream = zlib.decompressobj(wbits=31)
    expanded = bytearray()
    start = 0
    while start < len(data) and not stream.eof:
        expanded += stream.decompress(data[start : start + _STEP], limit - len(expanded) + 1)
        if len(expanded) > limit:
            raise unpacking.refused(f"expands to more than {limit} bytes")
        start += _STEP
    if not stream.eof:
        raise unpacking.refused("is truncated")
    # Zeros are padding to a block, as some writers do.
    if stream.unused_data.strip(b"\0") or data[start:].strip(b"\0"):
        raise unpacking.refused("has data after its end")
    return bytes(expanded)


def _tar_members(data: bytes, unpacking: _Unpacking) -> Iterator[tuple[str, File]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:", encoding="utf-8") as tar:
        for count, member in enumerate(tar, 1):
            if count > MEMBERS:
                raise unpacking.refused(f"has more than {MEMBERS} members")
            if member.size < 0:
                raise unpacking.refused("has a member of negative size", member.name)
            path = unpacking.path(member.name)
            top, _, inner = path.partition("/")
            if member.issym() or member.islnk():
                base = "" if member.islnk() else posixpath.dirname(path)
                target = posixpath.normpath(posixpath.join(base, member.linkname))
                if target.partition("/")[0] != top:
                    raise unpacking.refused("has a link that leads out of it", member.name)
            if member.isdir() or member.issym() or member.islnk():
                continue
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                raise unpacking.refused("has a member that is no plain file", member.name)
            content = tar.extractfile(member)
            if inner and content:
                executable = member.mode & 0o100
                mode = Mode.EXECUTABLE if executable else Mode.REGULAR
                yield inner, File(data=content.read(), mode=mode)
        # tarfile takes a damaged header for the end.
        if data[tar.offset :].strip(b"\0"):
            raise unpacking.refused("has data after its end")


def _zip_members(data: bytes, unpacking: _Unpacking) -> Iterator[tuple[str, File]]:
    if not data.startswith(b"PK\3\4"):
        raise unpacking.refused("is no zip file")
    # Before zipfile makes an object of each: those in an archive within count as well.
    if data.count(b"PK\1\2") > MEMBERS:
        raise unpacking.refused(f"has more than {MEMBERS} members")
    left = unpacking.limit(len(data))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            path = unpacking.path(member.filename)
            if member.is_dir():
                continue
            kind = member.external_attr >> 16 & 0o170000
            if kind not in (0, 0o100000):
                raise unpacking.refused("has a member that is no plain file", path)
            with archive.open(member) as file:
                content = file.read(left + 1)
            left -= len(content)
            if left < 0:
                raise unpacking.refused("expands to more bytes than its size explains")
            executable = member.external_attr >> 16 & 0o111
            mode = Mode.EXECUTABLE if executable else Mode.REGULAR
            yield path, File(data=content, mode=mode)
