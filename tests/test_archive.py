"""Hostile and odd archives, all made here: refused as a whole, or unpacked as npm does it."""

import gzip
import io
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable

import pytest

from archive_making import HOSTILE, member, tarball, zipped
from patchtool import archive
from patchtool.archive import unpack_tarball, unpack_zip
from patchtool.errors import CannotTell
from patchtool.files import File, Mode


def refusal(unpack: Callable[..., object], data: bytes) -> str:
    """What is said about an archive that is refused."""
    with pytest.raises(CannotTell) as caught:
        unpack(data, subject="evil@1.0.0")
    assert caught.value.problem.kind == "archive"
    assert caught.value.problem.subject == "evil@1.0.0"
    return caught.value.problem.what


def test_first_directory_is_stripped_and_modes_are_two() -> None:
    """Whatever the first directory is called it goes; a mode is 644, or 755 for x of the owner."""
    data = tarball(
        member("node v1/", type=tarfile.DIRTYPE),
        member("node v1/a.js", b"a", mode=0o600),
        member("node v1/bin/b", b"b", mode=0o711),
        member("node v1/bin/c", b"c", mode=0o666 | 0o011),
        member("./node v1/./d", b"d"),
        member("stray", b"has no directory to strip"),
    )
    assert unpack_tarball(data, subject="x") == {
        "a.js": File(data=b"a"),
        "bin/b": File(data=b"b", mode=Mode.EXECUTABLE),
        "bin/c": File(data=b"c"),
        "d": File(data=b"d"),
    }


def test_names_that_are_not_utf8_come_as_the_file_system_gives_them() -> None:
    """A Latin-1 name is the same text as os.fsdecode makes of it; a long name arrives whole."""
    long = "p/" + "d/" * 200 + "f"
    stream = io.BytesIO()
    with tarfile.open(
        fileobj=stream, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1"
    ) as tar:
        tar.addfile(*_opened(member("p/\xe9", b"1")))
        tar.addfile(*_opened(member(long, b"2")))
    files = unpack_tarball(gzip.compress(stream.getvalue()), subject="x")
    assert set(files) == {"\udce9", long[2:]}


def _opened(pair: tuple[tarfile.TarInfo, bytes]) -> tuple[tarfile.TarInfo, io.BytesIO]:
    return pair[0], io.BytesIO(pair[1])


def test_links_inside_are_left_out() -> None:
    """Links that stay in the package vanish, as they do under npm install."""
    data = tarball(
        member("p/a", b"a"),
        member("p/d/soft", type=tarfile.SYMTYPE, linkname="../a"),
        member("p/hard", type=tarfile.LNKTYPE, linkname="p/a"),
    )
    assert set(unpack_tarball(data, subject="x")) == {"a"}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_members_are_refused(name: str) -> None:
    """Anything that is no plain file at a plain path of its own refuses the whole archive."""
    assert refusal(unpack_tarball, tarball(member("p/good", b"g"), *HOSTILE[name]))


def test_negative_size_ends() -> None:
    """A header with a negative size is refused at once and sends nobody round in circles."""
    info, _ = member("p/a")
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (-1024).to_bytes(12, "big", signed=True)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    first = b"".join([member("p/b")[0].tobuf(), member("p/c")[0].tobuf(), bytes(header)])
    assert refusal(unpack_tarball, gzip.compress(first + b"\0" * 1024, mtime=0))


def test_damaged_header_is_not_the_end() -> None:
    """A member behind a damaged header is not silently left away."""
    whole = bytearray(gzip.decompress(tarball(member("p/a", b"a"), member("p/b", b"b"))))
    whole[1024 + 150] ^= 1
    assert "after its end" in refusal(unpack_tarball, gzip.compress(bytes(whole)))


def test_nested_extension_headers_end() -> None:
    """Ten thousand pax headers in a row are an error, not a recursion that kills the process."""
    info = tarfile.TarInfo("x")
    info.type = tarfile.XHDTYPE
    assert refusal(unpack_tarball, gzip.compress(info.tobuf() * 10_000))


def test_sparse_member_is_refused() -> None:
    """A file of mostly holes, which expands without any data, is refused."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info, data = member("p/hole", b"1\n0\n0\n" + b"\0" * 506)
        info.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "p/hole",
            "GNU.sparse.realsize": str(2**40),
        }
        tar.addfile(info, io.BytesIO(data))
    assert "no plain file" in refusal(unpack_tarball, gzip.compress(stream.getvalue()))


@pytest.mark.parametrize("cut", [0, 1, 9, 20, -9, -1])
def test_truncated_gzip_is_refused(cut: int) -> None:
    """An archive that stops anywhere is refused, also within its last eight bytes."""
    data = tarball(member("p/a", b"content" * 100))
    assert refusal(unpack_tarball, data[:cut])


def test_truncated_tar_in_a_whole_gzip_is_refused() -> None:
    """A tar that ends inside a member's data is refused."""
    data = gzip.decompress(tarball(member("p/a", b"content" * 1000)))
    assert refusal(unpack_tarball, gzip.compress(data[:2000], mtime=0))


def test_data_after_the_gzip_is_refused_and_padding_is_not() -> None:
    """Bytes behind the end are refused, wherever a read ends; zeros are padding."""
    data = tarball(member("p/a", b"a"))
    assert unpack_tarball(data + b"\0" * 100, subject="x")
    assert "after its end" in refusal(unpack_tarball, data + b"more")
    late = data + b"\0" * (2 * archive._STEP) + b"more"
    assert "after its end" in refusal(unpack_tarball, late)


def test_expansion_is_bounded() -> None:
    """A gigabyte of zeros in a megabyte is refused before it is there."""
    packer = zlib.compressobj(9, wbits=31)
    info, _ = member("p/zeros")
    info.size = 2**30
    piece = b"\0" * 2**20
    data = packer.compress(info.tobuf())
    data += b"".join(packer.compress(piece) for _ in range(200)) + packer.flush()
    started = time.monotonic()
    assert "expands" in refusal(unpack_tarball, data)
    assert time.monotonic() - started < 5


def test_members_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive with more members than the limit is refused, of either kind."""
    monkeypatch.setattr(archive, "MEMBERS", 3)
    names = [f"p/{number}" for number in range(4)]
    assert "members" in refusal(unpack_tarball, tarball(*(member(name) for name in names)))
    assert "members" in refusal(unpack_zip, zipped(*((name, b"") for name in names)))


def test_members_of_a_zip_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of the standard library makes an object of each: it must not see a million."""
    data = zipped(*((f"p/{number}", b"") for number in range(4)))
    monkeypatch.setattr(archive, "MEMBERS", 3)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "members" in refusal(unpack_zip, data)


@pytest.mark.parametrize(
    "data", [b"", b"<html>", b"\x1f\x8b", gzip.compress(b"no tar" * 200, mtime=0)]
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    """Bytes of any other kind get the same clear refusal, from both readers."""
    assert refusal(unpack_tarball, data)
    assert refusal(unpack_zip, data)


def test_zip_gives_files_with_modes() -> None:
    """A wheel's files come out with their paths unchanged, executable where the archive says so."""
    data = zipped(("pkg/a.py", b"a"), ("pkg/", b""), ("pkg-1.dist-info/RECORD", b"r"))
    assert unpack_zip(data, subject="x") == {
        "pkg/a.py": File(data=b"a"),
        "pkg-1.dist-info/RECORD": File(data=b"r"),
    }
    data = zipped(("tool", b"t"), attributes=0o100755 << 16)
    assert unpack_zip(data, subject="x") == {"tool": File(data=b"t", mode=Mode.EXECUTABLE)}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_zips_are_refused() -> None:
    """Traversal, links, twins, a wrong checksum and a prefix refuse a zip as a whole."""
    assert "leads out" in refusal(unpack_zip, zipped(("../x", b"x")))
    assert "leads out" in refusal(unpack_zip, zipped(("/x", b"x")))
    assert "plain file" in refusal(unpack_zip, zipped(("l", b"/etc"), attributes=0o120777 << 16))
    assert "twice" in refusal(unpack_zip, zipped(("a", b"1"), ("a", b"2")))
    assert "case" in refusal(unpack_zip, zipped(("a", b"1"), ("A", b"2")))
    good = zipped(("a", b"content"))
    assert refusal(unpack_zip, b"#!/bin/sh\n" + good)
    assert refusal(unpack_zip, good[:-30])
    assert "expands" in refusal(unpack_zip, zipped(("zeros", b"\0" * (archive.SMALL + 1))))
