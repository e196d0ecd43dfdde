"""Patch text to `Patch`: finds the sections, refuses by name what it cannot read. Pure, on bytes.

A line ends at LF; a CR before it belongs to a line of content and to no header. What may stand
around the sections is `text`'s to say.
"""

from __future__ import annotations

import re

from patchtool.diff import order
from patchtool.diff.cursor import Cursor
from patchtool.diff.header import EXTENDED, Header
from patchtool.diff.hunks import read_binary, read_hunks
from patchtool.diff.model import Hunk, Patch, Section
from patchtool.diff.paths import DEV_NULL
from patchtool.diff.section import git_section, plain_section
from patchtool.diff.text import Text
from patchtool.errors import PatchError, Problem
from patchtool.values import replace

_BOM = b"\xef\xbb\xbf"
# UTF-16 or UTF-32 from the start: its mark, or letters that each have their zeros.
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_WIDE = rb"(?:[\t\n\r -~]\0){4}|(?:\0[\t\n\r -~]){4}|(?:[ -~]\0\0\0){2}|(?:\0\0\0[ -~]){2}"
_SCRIPT = rb"(?m:(?:\d+(?:,\d+)?[acd]|[ad]\d+ \d+|\*\*\* Begin Patch)\r?$)"
# The start of a diff whose lines end in CR alone, and of one that was pasted with all its lines
# indented, or quoted as in a mail.
_WITH_CR = rb"(?:\A|\r)(?:diff --git |--- [^\r]*+\r\+\+\+ )"
_INDENTED = rb"([ \t>]++)(?:diff --git |--- [^\n]*+\n\1\+\+\+ )"
# A file of which Subversion shows nothing but its properties.
_PROPERTIES = rb"[^\n]*+\n[^\n]*+\n\r?\nProperty changes on: "
# What comes behind the header of a git section, and what shows that a section goes on.
_CONTENT = (b"--- ", b"@@", b"GIT binary patch", b"diff --git ")
_PIECES = (*EXTENDED, b"@@ -", b"GIT binary patch")
# And what shows that something else begins.
_OTHERS = (b"diff ", b"Index: ", b"From ", b"commit ", b"-- ")
_LONGEST_SHOWN = 80


def parse(data: bytes, *, strip: int = 1) -> Patch:
    """Read a patch file; `strip` leading components go from each name, as in `patch -p`.

    PatchError with the line in the patch file if it is not, from first to last byte, a unified
    diff whose every change is understood.
    """
    if data.startswith(_MARKS) or (b"\0" in data[:4] and re.match(_WIDE, data)):
        raise _refuse("encoding", "the patch file is UTF-16; save it as UTF-8", 1)
    reader = _Reader(Cursor(data.removeprefix(_BOM)), strip)
    sections = reader.read()
    if not sections:
        raise _nothing(data)
    for section in sections:
        if not section.has_effect:
            what = "the section changes nothing"
            raise _refuse("empty", what, section.line, section.new_path)
    return Patch(parts=order.arrange(sections, reader.text.commits))


def _refuse(kind: str, what: str, line: int | None, path: str | None = None) -> PatchError:
    return PatchError(Problem(kind=kind, what=what, line=line, path=path))


def _nothing(data: bytes) -> PatchError:
    # With the LF before it the search runs from LF to LF, which is far quicker.
    if re.match(_SCRIPT, data) or re.search(b"\n" + _SCRIPT, data):
        return _refuse("parse", "an edit script; only unified diffs are read (diff -u)", None)
    if b"\n" not in data and re.search(_WITH_CR, data):
        what = "the patch file has CR line ends alone; save it with LF"
        return _refuse("empty", what, None)
    if indented := re.match(_INDENTED, data) or re.search(b"\n" + _INDENTED, data):
        what = f"the diff is indented: take {indented[1].decode()!r} from the start of each line"
        return _refuse("empty", what, data.count(b"\n", 0, indented.start(1)) + 1)
    what = (
        "the patch file is empty"
        if not data or data.isspace()
        else "there is no diff in the patch file"
    )
    return _refuse("empty", what, None)


def _names_at(sides: Cursor) -> list[bytes]:
    """The names on the `---` and `+++` lines here, as they are written."""
    cursor = sides.copy()
    names = [cursor.take_header(start).partition(b"\t")[0] for start in (b"--- ", b"+++ ")]
    return [name for name in names if name != DEV_NULL]


class _Reader:
    """Finds the sections of a patch, and reads them one by one."""

    def __init__(self, cursor: Cursor, strip: int) -> None:
        self._cursor = cursor
        self._strip = strip
        self.text = Text(cursor)

    def read(self) -> list[Section]:
        sections = []
        while not self._cursor.at_end:
            if self._cursor.starts(b"diff --git "):
                sections.append(self._read_git_section())
            elif self._at_plain_section():
                sections.append(self._read_plain_section())
            else:
                self.text.skip_lines()
                continue
            self.text.leave_section()
        return sections

    def _at_plain_section(self) -> bool:
        cursor = self._cursor
        if not cursor.starts(b"--- ") or not cursor.next_starts(b"+++ "):
            return False
        if cursor.matches(_PROPERTIES):
            return False
        return not self.text.in_mail or cursor.next_starts(b"@@ -", lines=2)

    def _read_git_section(self) -> Section:
        cursor = self._cursor
        start = cursor.offset
        header = Header(line=cursor.line, strip=self._strip)
        header.names = cursor.take_header(b"diff --git ")
        is_bare = not self._read_extended(header)
        self.text.refuse_stub()
        if not cursor.starts(_CONTENT) and self._is_cut_short(header, is_bare):
            return self._read_plain_section()
        if cursor.starts(b"GIT binary patch"):
            return git_section(header, (), read_binary(cursor, header.extended.get("index")))
        header.sides, hunks = self._read_text(is_empty=header.is_of_empty_file)
        section = git_section(header, hunks, None)
        return replace(section, crlf=True) if hunks and cursor.is_crlf_since(start) else section

    def _read_extended(self, header: Header) -> bool:
        """Read the lines that git has above the content; whether there are any."""
        cursor, first = self._cursor, self._cursor.line
        while (start := cursor.first_of(EXTENDED)) is not None:
            name = EXTENDED[start]
            text = cursor.take_header(start)
            if name in header.extended:
                raise _refuse("parse", f"a second '{name}' line", cursor.line - 1)
            if name is not None:
                header.extended[name] = text
        return cursor.line > first

    def _is_cut_short(self, header: Header, is_bare: bool) -> bool:
        """Whether unknown lines end the header, as to git, and a plain section starts behind them.

        Only a header that has said nothing but names may be lost like that; with another, what
        comes behind the unknown lines would be half a section, and is refused. So is a file that
        comes or goes: the unknown line may have said what type it is of.
        """
        rest = self._rest(header, is_bare)
        if rest is None:
            return False
        names = _names_at(rest) if is_bare and rest.starts(b"--- ") else []
        if len(names) < 2 or any(name not in header.names for name in names):
            text = self._cursor.text(limit=_LONGEST_SHOWN).decode("utf-8", "backslashreplace")
            what = f"{text!r} is no header line that is known" if text else "an empty line"
            raise _refuse("parse", f"{what}, and the section goes on behind it", self._cursor.line)
        self._cursor.move_to(rest)
        return True

    def _rest(self, header: Header, is_bare: bool) -> Cursor | None:
        """Where the section goes on behind such lines, if it does."""
        cursor = self._cursor.copy()
        is_near = True
        pieces = [start for start in _PIECES if not is_bare or start != b"index "]
        while not cursor.at_end and not cursor.starts(_OTHERS):
            if cursor.starts(b"--- ") and cursor.next_starts(b"+++ "):
                is_same = any(name in header.names for name in _names_at(cursor))
                return cursor if is_same else None
            if (is_near or is_bare) and cursor.starts(tuple(pieces)):
                return cursor
            is_near = is_near and (cursor.line == self._cursor.line or bool(cursor.text(limit=1)))
            cursor.skip_line()
        return None

    def _read_plain_section(self) -> Section:
        header = Header(line=self._cursor.line, strip=self._strip)
        sides, hunks = self._read_text()
        return plain_section(header, sides or (b"", b""), hunks)

    def _read_text(
        self, *, is_empty: bool = False
    ) -> tuple[tuple[bytes, bytes] | None, tuple[Hunk, ...]]:
        """What stands on the `---` and `+++` lines, if they are there, and the hunks.

        Only a file that comes or goes and `is_empty` may have these lines and nothing below them.
        """
        cursor, line = self._cursor, self._cursor.line
        if not cursor.starts(b"--- "):
            return None, read_hunks(cursor)
        minus = cursor.take_header(b"--- ")
        if not cursor.starts(b"+++ "):
            raise _refuse("parse", "no +++ line after the --- line", cursor.line)
        plus = cursor.take_header(b"+++ ")
        self.text.refuse_stub()
        hunks = read_hunks(cursor)
        if not hunks and not is_empty:
            raise _refuse("parse", "no hunk after the ---/+++ lines: cut off?", line)
        return (minus, plus), hunks
