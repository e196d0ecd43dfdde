"""The content of a section: text hunks by their counts alone, and binary blocks. Pure, on bytes."""

from __future__ import annotations

import re

from patchtool.diff import binary
from patchtool.diff.cursor import Cursor
from patchtool.diff.model import Binary, Hunk, Payload
from patchtool.diff.place import skip_lines
from patchtool.errors import PatchError, Problem
from patchtool.files import blob_id

# Which sides, old and new, a line is on by its first byte; and runs of lines that start alike.
_SIDES = {b" ": (True, True), b"-": (True, False), b"+": (False, True)}
_RUNS = {start: rb"(?:[%b][^\n]*+\n)++" % start for start in _SIDES}
# Numbers of up to 15 digits: no file has more lines, and no arithmetic on them is slow.
_HEADER = rb"@@ -(\d{1,15})(?:,(\d{1,15}))? \+(\d{1,15})(?:,(\d{1,15}))? @@"
_FULL_INDEX = rb"([0-9a-f]{40})\.\.([0-9a-f]{40})(?: \d+)?"
_BLOCK = rb"(literal|delta) (\d{1,15})"


def read_hunks(cursor: Cursor) -> tuple[Hunk, ...]:
    """All the hunks that follow each other here."""
    hunks: list[Hunk] = []
    shift = end = 0
    while cursor.starts(b"@@"):
        if hunks and hunks[-1].ends_file:
            raise cursor.refuse("a hunk behind one that ends the file without newline")
        line = cursor.line
        hunk, counts = _read_hunk(cursor, shift, is_first=not hunks)
        if hunk.old_first < end:
            what = "hunks out of order or on top of each other"
            raise PatchError(Problem(kind="hunk-order", what=what, line=line))
        end = hunk.old_first + counts[0]
        shift += counts[1] - counts[0]
        hunks.append(hunk)
    return tuple(hunks)


def _read_hunk(cursor: Cursor, shift: int, *, is_first: bool) -> tuple[Hunk, tuple[int, int]]:
    """One hunk, and how many lines its two sides have."""
    line = cursor.line
    match = re.compile(_HEADER).match(cursor.data, cursor.offset)
    if match is None:
        raise cursor.refuse("a hunk header that is not '@@ -line,count +line,count @@'")
    start, old_count, new_start, new_count = (1 if n is None else int(n) for n in match.groups())
    if start == 0 and old_count:
        raise cursor.refuse("a hunk with lines that starts at line 0")
    cursor.take_header(b"@@")
    body = _Body(cursor, old_count, new_count)
    body.read()
    # An empty side stands behind the line that its header names. Some writers (jj, older jsdiff)
    # name the line where it would be: then the first hunk's new side is at that line as well.
    is_line_itself = old_count > 0 or (is_first and start == new_start > 0)
    first = start - 1 if is_line_itself else start
    old, new = (b"".join(texts) for texts in body.texts)
    hunk = Hunk(
        line=line,
        old_first=first,
        old=old,
        new_first=first + shift,
        new=new,
        leading=body.leading,
        trailing=body.trailing,
        context=body.context,
    )
    return hunk, (old_count, new_count)


class _Body:
    """The lines of one hunk, taken by the header's counts until both are used up."""

    def __init__(self, cursor: Cursor, old_count: int, new_count: int) -> None:
        self._cursor = cursor
        self._left = [old_count, new_count]
        self._closed = [False, False]
        self.texts: tuple[list[bytes], list[bytes]] = ([], [])
        self.leading = self.trailing = self.context = 0
        self._changes = False

    def read(self) -> None:
        cursor = self._cursor
        while self._left[0] or self._left[1]:
            start = cursor.data[cursor.offset : cursor.offset + 1]
            if start in _SIDES:
                self._take_run(start)
            elif cursor.starts((b"\n", b"\r\n")):
                # A blank context line whose leading space an editor has stripped.
                self._add(cursor.data[cursor.offset : cursor.next_line()], 1, (True, True))
                cursor.skip_line()
                start = b" "
            elif cursor.at_end:
                raise cursor.refuse("the patch file ends inside a hunk: cut off?")
            else:
                raise cursor.refuse("fewer lines than the hunk header counts")
            if cursor.starts(b"\\ "):
                self._end_file(_SIDES[start])
                cursor.skip_line()
        if not self._changes:
            raise cursor.refuse("a hunk that changes nothing")

    def _take_run(self, start: bytes) -> None:
        """Take all lines that start alike, as far as the counts go: large hunks are few runs."""
        cursor, sides = self._cursor, _SIDES[start]
        match = re.compile(_RUNS[start]).match(cursor.data, cursor.offset)
        if match is None:
            raise cursor.refuse("the patch file ends inside a hunk: cut off?")
        end, lines = match.end(), cursor.data.count(b"\n", cursor.offset, match.end())
        room = min(left for left, side in zip(self._left, sides, strict=True) if side)
        if lines > room > 0:
            lines, end = room, skip_lines(cursor.data, cursor.offset, room) or end
        text = cursor.data[cursor.offset + 1 : end].replace(b"\n" + start, b"\n")
        self._add(text, lines, sides)
        cursor.offset = end
        cursor.line += lines

    def _add(self, text: bytes, lines: int, sides: tuple[bool, bool]) -> None:
        for side in (0, 1):
            if not sides[side]:
                continue
            if not self._left[side]:
                raise self._cursor.refuse("more lines than the hunk header counts")
            if self._closed[side]:
                raise self._cursor.refuse("a line after one that ends the file without newline")
            self._left[side] -= lines
            self.texts[side].append(text)
        if all(sides):
            self.context += lines
            self.trailing += lines
            self.leading += 0 if self._changes else lines
        else:
            self._changes = True
            self.trailing = 0

    def _end_file(self, sides: tuple[bool, bool]) -> None:
        """The line before, which is on these sides, is the last of its file and has no LF.

        The marker's words are in the language of who made the patch; its first two bytes count.
        """
        for side in (0, 1):
            if sides[side]:
                text = self.texts[side][-1][:-1]
                if text.endswith(b"\n") or not text:
                    raise self._cursor.refuse("an empty line that ends without newline")
                self.texts[side][-1] = text
                self._closed[side] = True


def read_binary(cursor: Cursor, index: bytes | None) -> Binary:
    """The one or two blocks of git's binary patch; the second leads back."""
    match = re.fullmatch(_FULL_INDEX, index or b"")
    if match is None:
        raise cursor.refuse("a binary patch needs full blob ids in its index line (--full-index)")
    cursor.take_header(b"GIT binary patch")
    forward = _read_block(cursor, match[2])
    backward = None
    if cursor.starts((b"literal ", b"delta ")):
        backward = _read_block(cursor, match[1])
    if re.fullmatch(_BLOCK, cursor.text(limit=64)):
        raise cursor.refuse("a binary patch of more than two blocks")
    return Binary(forward=forward, backward=backward)


def _read_block(cursor: Cursor, blob: bytes) -> Payload:
    match = re.fullmatch(_BLOCK, cursor.text(limit=64))
    if match is None:
        raise cursor.refuse("a binary block that is neither literal nor delta")
    is_delta, size = match[1] == b"delta", int(match[2])
    first = cursor.line
    cursor.skip_line()
    pieces = []
    try:
        # A blank line ends the block; without it the patch file was cut off.
        while line := cursor.take_header(b""):
            pieces.append(binary.decode_line(line))
        data = binary.inflate(b"".join(pieces), size)
    except binary.BadBinary as error:
        raise cursor.refuse(f"damaged binary patch: {error}") from None
    gone = not data and not blob.strip(b"0")
    if not is_delta and not gone and blob_id(data).encode("ascii") != blob:
        what = "damaged binary patch: its content has another blob id than its index line says"
        raise PatchError(Problem(kind="parse", what=what, line=first))
    return Payload(data=data, is_delta=is_delta)
