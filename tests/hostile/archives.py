"""Hostile archives: as the origin of a vendored package, as a tarball of npm, as a wheel."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from archive_making import HOSTILE, member, tarball, zipped
from npm_registry import sri
from npm_registry import tarball as npm_tarball
from pypi_index import make_wheel

from .input import Input
from .world import World

KIND = "archive"
_OTHER = {"package.json": b'{"name": "other", "version": "1.0.0"}'}
_GOOD = npm_tarball({"index.js": b"old\n", "package.json": b'{"name":"evil","version":"1.0.0"}'})


def inputs() -> Iterator[Input]:
    """All of them."""
    yield from _members()
    yield from _streams()
    yield from _sizes()
    yield from _of_registries()


def _members() -> Iterator[Input]:
    for name, members in HOSTILE.items():
        yield _origin(name, partial(tarball, member("p/good"), *members), "archive")
    for name, path in {"traversal": "../x", "absolute": "/x", "backslash": "a\\..\\x"}.items():
        yield _origin(f"zip, {name}", partial(zipped, (path, b"x")), "leads out")
    links = 0o120777 << 16
    yield _origin("zip, link", lambda: zipped(("l", b"/etc"), attributes=links), "no plain file")
    yield _origin(
        "zip, case twins", lambda: zipped(("a", b"1"), ("A", b"2")), "differ only in case"
    )
    yield _origin("zip, twice", lambda: zipped(("a/b", b"1"), ("a//b", b"2")), "twice")


def _streams() -> Iterator[Input]:
    plain = gzip.decompress(_GOOD)
    streams = {
        "empty": (b"", "truncated"),
        "no archive": (b"<html>", "damaged"),
        "truncated": (_GOOD[:-20], "truncated"),
        "truncated in its last bytes": (_GOOD[:-1], "truncated"),
        "truncated tar in a whole gzip": (gzip.compress(plain[:700]), "damaged"),
        "data after the end": (_GOOD + b"more", "data after its end"),
        "a second stream after the end": (_GOOD + _GOOD, "data after its end"),
        "wrong checksum": (_GOOD[:-8] + bytes(4) + _GOOD[-4:], "damaged"),
        "damaged header": (gzip.compress(b"x" * 4096), "damaged|after its end"),
    }
    for name, (data, says) in streams.items():
        yield _origin(name, partial(bytes, data), says)


def _sizes() -> Iterator[Input]:
    """Little that becomes much: the small form has enough of it to reach the limits."""
    yield _origin("a gigabyte of zeros", lambda: _zeros(1 << 30), "expands")
    yield _origin("a gigabyte of zeros, zip", lambda: _zipped_zeros(1 << 30), "expands")
    yield _origin("half a gigabyte in many files", _many_zeros, "expands", is_long=True)
    for count, pack, megabytes, is_long in (
        (110_000, _members_of_zip, 150, False),
        (110_000, _members_of_tar, 300, True),
        (1_000_000, _members_of_zip, 300, True),
        (1_000_000, _members_of_tar, 1100, True),
    ):
        yield _origin(
            f"{count} members, {pack.__name__[-3:]}",
            partial(pack, count),
            "more than 100000 members",
            megabytes=megabytes,
            seconds=60,
            is_long=is_long,
        )


def _of_registries() -> Iterator[Input]:
    """Some of them as a registry has them, with the integrity that it says they have."""
    traversal = tarball(*HOSTILE["traversal"])
    link = zipped(("evil/x", b"/etc"), attributes=0o120777 << 16)
    yield _npm("npm, traversal", lambda: traversal, "leads out", is_long=False)
    yield _npm("npm, a gigabyte of zeros", lambda: _zeros(1 << 30), "expands")
    yield _npm("npm, another package", lambda: npm_tarball(_OTHER), "of another release")
    yield _npm("npm, no package.json", lambda: npm_tarball({"x": b""}), "of another release")
    yield _npm("npm, other bytes", lambda: _GOOD, "not the release", integrity=sri(b"other"))
    yield _wheel("wheel, link", lambda: link, "no plain file", is_long=False)
    yield _wheel("wheel, a gigabyte of zeros", lambda: _zipped_zeros(1 << 30), "expands")
    yield _wheel("wheel, another package", lambda: make_wheel("other", "1.0.0"), "another release")
    yield _wheel("wheel, no wheel", lambda: zipped(("x", b"")), "of another release")
    yield _wheel("wheel, other bytes", lambda: link, "not the release", sha256="0" * 64)
    yield _wheel("wheel, truncated", lambda: make_wheel("evil", "1.0.0")[:-30], "damaged")


def _origin(name: str, make: Callable[[], bytes], says: str, **bounds: Any) -> Input:
    """An archive at an address, which `lock` unpacks."""

    def lay_out(world: World) -> Sequence[str]:
        world.pin_archive(make())
        return world.words("lock")

    return Input(name=name, lay_out=lay_out, code=3, says=says, **bounds)


def _npm(
    name: str, make: Callable[[], bytes], says: str, integrity: str = "", *, is_long: bool = True
) -> Input:
    def lay_out(world: World) -> Sequence[str]:
        data = make()
        world.npm.publish("evil", "1.0.0")
        dist = world.npm.document("evil")["versions"]["1.0.0"]["dist"]
        world.server.answer("/npm/evil.tgz", data)
        dist |= {"tarball": f"{world.npm.url}evil.tgz", "integrity": integrity or sri(data)}
        world.npm.serve()
        world.pin("pkg:npm/evil@1.0.0")
        return world.words("lock")

    return Input(name=name, lay_out=lay_out, code=3, says=says, is_long=is_long)


def _wheel(
    name: str, make: Callable[[], bytes], says: str, sha256: str = "", *, is_long: bool = True
) -> Input:
    def lay_out(world: World) -> Sequence[str]:
        facts = {"hashes": {"sha256": sha256}} if sha256 else {}
        world.index.publish("evil-1.0.0-py3-none-any.whl", make(), **facts)
        world.index.serve()
        world.pin("pkg:pypi/evil@1.0.0")
        return world.words("lock")

    return Input(name=name, lay_out=lay_out, code=3, says=says, is_long=is_long)


def _zeros(size: int) -> bytes:
    """A tarball of one file of so many zeros."""
    packer = zlib.compressobj(9, wbits=31)
    info, _ = member("p/zeros")
    info.size = size
    piece = bytes(1 << 20)
    parts = [packer.compress(info.tobuf())]
    parts += [packer.compress(piece) for _ in range(size >> 20)]
    return b"".join([*parts, packer.compress(bytes(1024)), packer.flush()])


def _many_zeros() -> bytes:
    """A tarball of files of zeros, each of them small."""
    packer = zlib.compressobj(9, wbits=31)
    parts = []
    for number in range(600):
        info, _ = member(f"p/{number}")
        info.size = 1 << 20
        parts.append(packer.compress(info.tobuf() + bytes(info.size)))
    return b"".join([*parts, packer.compress(bytes(1024)), packer.flush()])


def _zipped_zeros(size: int) -> bytes:
    """A zip archive of one file of so many zeros."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros", "w", force_zip64=True) as opened,
    ):
        for _ in range(size >> 20):
            opened.write(bytes(1 << 20))
    return stream.getvalue()


def _members_of_tar(count: int) -> bytes:
    """A tarball of so many empty files."""
    packer = zlib.compressobj(1, wbits=31)
    first = bytearray(member("p/0000000")[0].tobuf())
    first[148:156] = b" " * 8
    rest = sum(first) - sum(b"0000000")
    parts = []
    for number in range(count):
        name = b"%07d" % number
        first[2:9] = name
        first[148:156] = b"%06o\0 " % (rest + sum(name))
        parts.append(packer.compress(bytes(first)))
    return b"".join([*parts, packer.compress(bytes(1024)), packer.flush()])


def _members_of_zip(count: int) -> bytes:
    """A zip archive of so many empty files, in the form that has no limit of members."""
    local, central, at = [], [], 0
    for number in range(count):
        name = b"%07d" % number
        local.append(b"PK\3\4" + struct.pack("<5H3L2H", 20, 0, 0, 0, 33, 0, 0, 0, 7, 0) + name)
        head = struct.pack("<6H3L5H2L", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, 0, 0, 0, 0, 0, at)
        central.append(b"PK\1\2" + head + name)
        at += len(local[-1])
    size = sum(map(len, central))
    record = struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, count, count, size, at)
    end = b"PK\6\6" + record + b"PK\6\7" + struct.pack("<LQL", 0, at + size, 1)
    last = b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    return b"".join([*local, *central, end, last])
