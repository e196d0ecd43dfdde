"""A place in the text of a patch, line by line. Pure, on bytes.

Owns how lines are told apart: a line ends at LF, and a header line has no CR before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from patchtool.errors import PatchError, Problem


class Cursor:
    """A place in the patch, always at the start of a line. Lines are counted from 1."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0
        self.line = 1

    def copy(self) -> Cursor:
        """Another one at the same place."""
        other = Cursor(self.data)
        other.move_to(self)
        return other

    def move_to(self, other: Cursor) -> None:
        """Step to where the other one is."""
        self.offset, self.line = other.offset, other.line

    @property
    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.offset >= len(self.data)

    def starts(self, start: bytes | tuple[bytes, ...]) -> bool:
        """Whether the line starts so."""
        return self.data.startswith(start, self.offset)

    def first_of(self, starts: Iterable[bytes]) -> bytes | None:
        """The one of `starts` that the line starts with."""
        return next((start for start in starts if self.starts(start)), None)

    def next_starts(self, start: bytes | tuple[bytes, ...], lines: int = 1) -> bool:
        """Whether the line that comes so many lines later starts so."""
        offset = self.offset
        for _ in range(lines):
            offset = self.data.find(b"\n", offset) + 1
            if not offset:
                return False
        return self.data.startswith(start, offset)

    def matches(self, pattern: bytes) -> bool:
        """Whether the pattern matches from the start of the line on."""
        return re.compile(pattern).match(self.data, self.offset) is not None

    def text(self, limit: int) -> bytes:
        """The line without its end, at most `limit` bytes of it."""
        end = self.data.find(b"\n", self.offset, self.offset + limit)
        end = min(self.offset + limit, len(self.data)) if end == -1 else end
        return self.data[self.offset : end].removesuffix(b"\r")

    def next_line(self) -> int:
        """Where the next line starts, or the data ends."""
        return self.data.find(b"\n", self.offset) + 1 or len(self.data)

    def skip_line(self) -> None:
        """Step to the next line."""
        self.offset = self.next_line()
        self.line += 1

    def skip_to(self, pattern: bytes) -> None:
        """Step to the first line from here on that the pattern, which starts with LF, matches.

        The LF is that of the line before, so this must not be the first. To the end, if none does.
        """
        match = re.compile(pattern).search(self.data, self.offset - 1)
        end = len(self.data) if match is None else match.start() + 1
        self.line += self.data.count(b"\n", self.offset, end)
        self.offset = end

    def take_header(self, start: bytes) -> bytes:
        """What follows `start` in a header line, without CR and LF; steps to the next line."""
        end = self.data.find(b"\n", self.offset)
        if end == -1:
            raise self.refuse("the patch file ends inside a line: cut off?")
        text = self.data[self.offset + len(start) : end].removesuffix(b"\r")
        self.offset = end + 1
        self.line += 1
        return text

    def is_crlf_since(self, offset: int) -> bool:
        """Whether every line from there on ended in CRLF."""
        data, end = self.data, self.offset
        if not data.endswith(b"\r\n", offset, end):
            return False
        return data.count(b"\n", offset, end) == data.count(b"\r\n", offset, end)

    def refuse(self, what: str) -> PatchError:
        """A parse error at this line."""
        return PatchError(Problem(kind="parse", what=what, line=self.line))
