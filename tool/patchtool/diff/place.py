"""Where the hunks of a file go. Pure, on bytes; whole files are never split into lines.

The stated place is the only one that `stated` knows. `elsewhere` looks at all others, to report
them or because the user asked; `search` does so for all hunks of a file. There is no fuzz anywhere:
a side stands at a place byte for byte.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice

from patchtool.diff.model import Hunk, reverse_hunk

_BLOCK = 1 << 16


class Fit(Enum):
    """How a hunk's old side meets one place."""

    FITS = "fits"
    DIFFERS = "differs"
    # The bytes are there, but nothing says that this is the place: no context, no blob id.
    UNSUPPORTED = "unsupported"


def skip_lines(data: bytes, offset: int, lines: int) -> int | None:
    """The offset behind `lines` more LFs; None if there are fewer."""
    block = _BLOCK
    while lines > 64 and block > 64:
        end = min(offset + block, len(data))
        count = data.count(b"\n", offset, end)
        if count > lines:
            block //= 4
            continue
        if end == len(data) and count < lines:
            return None
        lines -= count
        offset = end
        if not lines:
            # `end` may be in the middle of a line: go back to the LF that was counted last.
            return data.rfind(b"\n", 0, end) + 1
    for _ in range(lines):
        offset = data.find(b"\n", offset) + 1
        if not offset:
            return None
    return offset


def fit(hunk: Hunk, data: bytes, offset: int, identified: Callable[[], bool]) -> Fit:
    """How the hunk's old side meets the line that starts at `offset`.

    Without trailing context the hunk was made at the end of a file and is tied to it; without any
    context it must be the whole file. Both are waived where `identified` says, by its blob id,
    that `data` is the very file the patch was made from.
    """
    end = offset + len(hunk.old)
    if not data.startswith(hunk.old, offset):
        return Fit.DIFFERS
    at_end = end == len(data)
    if hunk.ends_file and not at_end:
        return Fit.DIFFERS
    at_its_end = hunk.trailing > 0 or at_end
    anchored = at_its_end if hunk.context else offset == 0 and at_end
    if anchored or identified():
        return Fit.FITS
    return Fit.DIFFERS if hunk.context else Fit.UNSUPPORTED


def stated(
    hunks: Iterable[Hunk], data: bytes, identified: Callable[[], bool]
) -> list[int] | tuple[Hunk, Fit]:
    """The offset of each hunk's old side at its stated line, or the first that is not there."""
    identified = functools.cache(identified)
    offset = line = 0
    offsets: list[int] = []
    for hunk in hunks:
        start = skip_lines(data, offset, hunk.old_first - line)
        found = Fit.DIFFERS if start is None else fit(hunk, data, start, identified)
        if start is None or found is not Fit.FITS:
            return hunk, found
        offset, line = start, hunk.old_first
        offsets.append(offset)
    return offsets


def splice(data: bytes, hunks: Sequence[Hunk], offsets: Sequence[int]) -> bytes:
    """`data` with each hunk's old side, which stands at its offset, replaced by the new one."""
    pieces: list[bytes] = []
    end = 0
    for hunk, offset in zip(hunks, offsets, strict=True):
        pieces += (data[end:offset], hunk.new)
        end = offset + len(hunk.old)
    pieces.append(data[end:])
    return b"".join(pieces)


def elsewhere(
    hunk: Hunk, data: bytes, look_up: Callable[[bytes], Iterable[int]] | None = None
) -> list[int]:
    """Offsets where the hunk's old side stands by its own strength; two mean "several".

    A hunk at line 1 is tied to the start, one without trailing context to the end, and one
    without any context has no strength. `look_up` is a quicker way to a text's `occurrences`.
    """
    if hunk.old_first == 0 or not hunk.context:
        return []
    if not hunk.trailing or hunk.ends_file:
        offset = len(data) - len(hunk.old)
        stands = offset >= 0 and data.endswith(hunk.old)
        return [offset] if stands and _starts_line(data, offset) else []
    offsets = occurrences(data, hunk.old) if look_up is None else look_up(hunk.old)
    return list(islice((offset for offset in offsets if _starts_line(data, offset)), 2))


def occurrences(data: bytes, text: bytes) -> Iterator[int]:
    """Every offset in `data` where the text is."""
    offset = data.find(text)
    while offset != -1:
        yield offset
        offset = data.find(text, offset + 1)


def _starts_line(data: bytes, offset: int) -> bool:
    return offset == 0 or data[offset - 1] == ord("\n")


def lines_at(data: bytes, offsets: Iterable[int]) -> Iterator[int]:
    """The numbers of the lines that start at these offsets, which ascend; counted from 1."""
    line, counted = 1, 0
    for offset in offsets:
        line += data.count(b"\n", counted, offset)
        counted = offset
        yield line


def other_place(hunk: Hunk, data: bytes) -> int | None:
    """The line (from 1) of the only place where the hunk would go on, or None."""
    places = elsewhere(hunk, data)
    return next(lines_at(data, places)) if len(places) == 1 else None


def hunk_is_in(hunk: Hunk, data: bytes) -> bool:
    """Whether `data` already has this one hunk: its new side stands somewhere, its old nowhere."""
    return bool(_stands(reverse_hunk(hunk), data)) and not _stands(hunk, data)


def _stands(hunk: Hunk, data: bytes) -> bool:
    if hunk.old_first:
        return bool(elsewhere(hunk, data))
    # Tied to the start: that is the only place there is.
    return fit(hunk, data, 0, lambda: False) is Fit.FITS
