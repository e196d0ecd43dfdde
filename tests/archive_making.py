"""Makes archives for tests, with members as no packaging tool would make them."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile


def member(
    name: str, data: bytes = b"", *, type: bytes = tarfile.REGTYPE, **fields: object
) -> tuple[tarfile.TarInfo, bytes]:
    """One member of a tar archive, with any field set as the test wants it."""
    info = tarfile.TarInfo(name)
    info.type = type
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def tarball(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A gzipped tar archive of the members."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)


def zipped(*members: tuple[str, bytes], attributes: int = 0o100644 << 16) -> bytes:
    """A zip archive of the members, all with the same external attributes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes
            out.writestr(info, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


# Members that refuse a whole archive, by what is wrong with them.
HOSTILE = {
    "traversal": [member("p/../../etc/passwd", b"x")],
    "traversal inside": [member("p/a/../b", b"x")],
    "absolute": [member("/etc/passwd", b"x")],
    "backslash": [member("p\\..\\x", b"x")],
    "absolute link": [member("p/l", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
    "link out": [member("p/d/l", type=tarfile.SYMTYPE, linkname="../../x")],
    "hard link out": [member("p/l", type=tarfile.LNKTYPE, linkname="../x")],
    "hard link absolute": [member("p/l", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
    "fifo": [member("p/f", type=tarfile.FIFOTYPE)],
    "device": [member("p/f", type=tarfile.CHRTYPE, devmajor=1, devminor=5)],
    "block device": [member("p/f", type=tarfile.BLKTYPE)],
    "contiguous": [member("p/f", b"x", type=tarfile.CONTTYPE)],
    "twice": [member("p/a", b"1"), member("p/a", b"2")],
    "twice by another spelling": [member("p/a", b"1"), member("p/./a", b"2")],
    "twice by another first directory": [member("p/a", b"1"), member("q/a", b"2")],
    "case twins": [member("p/Read.me", b"1"), member("p/READ.ME", b"2")],
    "accent twins": [member("p/\u00e9", b"1"), member("p/e\u0301", b"2")],
    "file and directory": [member("p/a", b"1"), member("p/a/b", b"2")],
}
