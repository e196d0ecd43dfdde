"""Git's binary format against damage and absurd sizes."""

from __future__ import annotations

import base64
import contextlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool import diff
from patchtool.diff import Payload, binary
from patchtool.diff.binary import BadBinary
from patchtool.errors import PatchError
from patchtool.files import File, blob_id

SOURCE = bytes(range(200))


def delta(body: bytes, result: int, source: int = len(SOURCE)) -> Payload:
    """A delta with these sizes in front."""

    def size(number: int) -> bytes:
        if number < 128:
            return bytes([number])
        return bytes([number & 127 | 128]) + size(number >> 7)

    return Payload(data=size(source) + size(result) + body, is_delta=True)


def test_copies_and_insertions() -> None:
    """Pieces of the source and new bytes come out in order."""
    made = binary.content(delta(b"\x91\x05\x03\x02xy\x90\xc8", 205), SOURCE)
    assert made == SOURCE[5:8] + b"xy" + SOURCE


@pytest.mark.parametrize(
    "payload",
    [
        delta(b"", 1),
        delta(b"\x00", 1),
        delta(b"\x05abc", 5),
        delta(b"\x91\xc7\x02", 2),
        delta(b"\x91", 2),
        delta(b"\x01a\x01b", 1),
        delta(b"\x80" * 5, 10),
        delta(b"\x01a", 1, source=7),
        delta(b"", 1 << 40),
        Payload(data=b"\xff" * 20, is_delta=True),
        Payload(data=b"", is_delta=True),
    ],
)
def test_deltas_that_reach_too_far(payload: Payload) -> None:
    """Outside the source, outside the result, too short, for another file, absurd: refused."""
    with pytest.raises(BadBinary):
        binary.content(payload, SOURCE)


@given(body=st.binary(max_size=60), size=st.integers(0, 1000))
def test_any_delta_makes_its_size_or_is_refused(body: bytes, size: int) -> None:
    """No bytes whatever make anything else."""
    with contextlib.suppress(BadBinary):
        assert len(binary.content(delta(body, size), SOURCE)) == size


@given(line=st.binary(max_size=70))
def test_any_line_has_its_length_or_is_refused(line: bytes) -> None:
    """A line of base85 gives what its first letter says."""
    with contextlib.suppress(BadBinary):
        assert 1 <= len(binary.decode_line(line)) <= 52


@pytest.mark.parametrize(("promised", "goes"), [(b"x", True), (b"y", False)])
def test_a_delta_makes_the_file_of_its_index_line(promised: bytes, goes: bool) -> None:
    """A literal is checked when it is read; what a delta makes is known only once it is run."""
    old = File(data=b"a\n")
    packed = zlib.compress(delta(b"\x01x", 1, source=2).data)
    text = (
        f"diff --git a/f b/f\nindex {blob_id(old.data)}..{blob_id(promised)}\nGIT binary patch\n"
        f"delta 4\nL{base64.b85encode(packed).decode()}\n\n"
    )
    patch = diff.parse(text.encode())
    with contextlib.nullcontext() if goes else pytest.raises(PatchError, match="another file"):
        assert diff.run(patch, {"f": old}.get).changes == {"f": File(data=b"x")}


def test_a_bomb_is_not_unpacked() -> None:
    """Unpacking stops one byte behind the stated size."""
    bomb = zlib.compress(bytes(50_000_000), 9)
    with pytest.raises(BadBinary, match="stated size"):
        binary.inflate(bomb, 10)
    with pytest.raises(BadBinary, match="more than"):
        binary.inflate(bomb, 10**12)
