"""Where the hunks of a file go that are not at their stated places. Pure, on bytes.

Owns that very many hunks take one look at the file and not one each. What makes a place is
`place`'s to say.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import islice

from patchtool.diff import place
from patchtool.diff.model import Hunk

# Up to how many hunks it is quicker to look through the whole file for each.
_FEW = 8
# How many of a text's lines are looked up together: nearly always all of them.
_LINES = 16
# How many bytes are passed over in the time of one look at a place.
_LOOK = 256
# How many bytes may be looked through for the hunks of one file: a bound on time, so that a hostile
# patch of very many hunks that begin alike ends.
_LIMIT = 1 << 32


def searched(hunks: Sequence[Hunk], data: bytes) -> list[int] | tuple[Hunk, list[int]]:
    """The only place of each hunk in all of `data`, or the first that has none or several.

    Once one hunk has moved, a stated place proves nothing for the others: each must be the only
    one of its kind.
    """
    look_up = None
    end = 0
    offsets: list[int] = []
    for hunk in hunks:
        if len(offsets) == _FEW:
            look_up = _Index((hunk.old for hunk in hunks[_FEW:]), data).look_up
        places = place.elsewhere(hunk, data, look_up)
        if len(places) != 1 or places[0] < end:
            return hunk, places if len(places) != 1 else []
        offsets.append(places[0])
        end = places[0] + len(hunk.old)
    return offsets


class _Index:
    """Where some texts may stand in a file: where their first lines do, all of them together.

    One by one the lines may all be common, as in generated code.
    """

    def __init__(self, texts: Iterable[bytes], data: bytes) -> None:
        self._data = data
        self._left = _LIMIT
        self._offsets: dict[tuple[bytes, ...], list[int]] = {}
        self._offsets.update((_head(text), []) for text in texts if text)
        wanted = {line for head in self._offsets for line in head}
        counts = sorted({len(head) for head in self._offsets})
        recent: tuple[bytes, ...] = ()
        end = 0
        for line in BytesIO(data):
            end += len(line)
            recent = (*recent, line)[-_LINES:] if line in wanted else ()
            for count in counts[: bisect(counts, len(recent))]:
                head = recent[-count:]
                if head in self._offsets:
                    self._offsets[head].append(end - sum(map(len, head)))

    def look_up(self, text: bytes) -> Iterable[int]:
        """The offsets of one of the texts, which is whole lines; nothing behind the limit."""
        data, offsets = self._data, self._offsets[_head(text)]
        looks = len(offsets) * (len(text) + _LOOK)
        self._left -= min(looks, len(data))
        if self._left < 0:
            return ()
        if looks > len(data):
            return place.occurrences(data, text)
        return (offset for offset in offsets if data.startswith(text, offset))


def _head(text: bytes) -> tuple[bytes, ...]:
    return tuple(islice(BytesIO(text), _LINES))
