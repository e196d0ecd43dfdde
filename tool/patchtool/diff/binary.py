"""Git's binary patches: base85, zlib and deltas, with bounds. Pure, on bytes.

The format is git's own (Documentation/gitformat-pack, "Deltified representation", and
diff.c:emit_binary_diff_body). Nothing is unpacked beyond the size that the patch states.
"""

from __future__ import annotations

import base64
import zlib

from patchtool.diff.model import Payload

# Far above any file that is kept as a patch; a bound so that a small patch cannot fill the memory.
LARGEST = 512 * 1024 * 1024


class BadBinary(ValueError):
    """A binary block that is not whole and well-formed; the text says why."""


def decode_line(line: bytes) -> bytes:
    """One line of git's base85: a letter for the length, then groups of five for four bytes."""
    length, text = line[:1], line[1:]
    if b"A" <= length <= b"Z":
        size = length[0] - ord("A") + 1
    elif b"a" <= length <= b"z":
        size = length[0] - ord("a") + 27
    else:
        raise BadBinary("a line that does not start with its length")
    if len(text) != (size + 3) // 4 * 5:
        raise BadBinary("a line of another length than stated")
    try:
        return base64.b85decode(text)[:size]
    except ValueError:
        raise BadBinary("a line that is not base85") from None


def inflate(packed: bytes, size: int) -> bytes:
    """The zlib stream's content, which must be whole and exactly `size` bytes."""
    if size > LARGEST:
        raise BadBinary(f"states {size} bytes, more than the {LARGEST} that are read")
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, size + 1)
        if not stream.eof:
            data += stream.decompress(stream.unconsumed_tail, 1)
    except zlib.error as error:
        raise BadBinary(f"damaged: {error}") from None
    if len(data) != size or not stream.eof or stream.unused_data:
        raise BadBinary("other content than its stated size")
    return data


def content(payload: Payload, source: bytes) -> bytes:
    """What the payload makes of `source`."""
    return _apply_delta(payload.data, source) if payload.is_delta else payload.data


def _apply_delta(delta: bytes, source: bytes) -> bytes:
    source_size, at = _read_size(delta, 0)
    result_size, at = _read_size(delta, at)
    if source_size != len(source):
        raise BadBinary("a delta against a file of another size")
    if result_size > LARGEST:
        raise BadBinary(f"makes {result_size} bytes, more than the {LARGEST} that are read")
    pieces: list[bytes] = []
    room = result_size
    while at < len(delta):
        code = delta[at]
        if code & 0x80:
            start, length, at = _read_copy(delta, at)
            piece = source[start : start + length]
        else:
            length = code
            piece = delta[at + 1 : at + 1 + length]
            at += 1 + length
        if length == 0 or len(piece) != length or length > room:
            raise BadBinary("a delta that reaches outside its files")
        room -= length
        pieces.append(piece)
    if room:
        raise BadBinary("a delta that ends too early")
    return b"".join(pieces)


def _read_size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while at < len(delta) and shift < 64:
        size |= (delta[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not delta[at - 1] & 0x80:
            return size, at
    raise BadBinary("a delta without its sizes")


def _read_copy(delta: bytes, at: int) -> tuple[int, int, int]:
    """A copy instruction's start and length, and where the next instruction is."""
    code = delta[at]
    at += 1
    fields = []
    for bits in (range(4), range(4, 7)):
        value = 0
        for place, bit in enumerate(bits):
            if code >> bit & 1:
                if at >= len(delta):
                    raise BadBinary("a delta that ends too early")
                value |= delta[at] << 8 * place
                at += 1
        fields.append(value)
    return fields[0], fields[1] or 0x10000, at
