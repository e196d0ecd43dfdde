"""Patch text to `Patch`: finds the sections, refuses by name what it cannot read. Pure, on bytes.

A line ends at LF; a CR before it belongs to a line of content and to no header. Text may stand
before the first section, after a mail signature and between sections; what looks like a lost piece
of a hunk may not.
"""

from __future__ import annotations

import re

from patchtool.diff import order
from patchtool.diff.header import EXTENDED, Header
from patchtool.diff.hunks import Cursor, read_binary, read_hunks
from patchtool.diff.model import Hunk, Patch, Section
from patchtool.diff.section import git_section, plain_section
from patchtool.errors import PatchError, Problem

_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0d\0i\0f\0f", b"d\0i\0f\0f\0", b"\0-\0-\0-", b"-\0-\0-\0 ")
_BINARY_STUB = (
    rb"Binary files .+ and .+ differ|Files .+ and .+ differ|Binary file .+ has changed|"
    rb"Cannot display: file marked as a binary type\."
)
_NORMAL = rb"\d+(?:,\d+)?[acd]\d+(?:,\d+)?"
_SCRIPT = rb"(?m)^(?:\d+(?:,\d+)?[acd]|[ad]\d+ \d+|\*\*\* Begin Patch)\r?$"
_MAIL = (b"From ", b"From: ", b"Subject: ")
_SIGNATURES = (b"-- ", b"--")


def parse(data: bytes, *, strip: int = 1) -> Patch:
    """Read a patch file; `strip` leading components go from each name, as in `patch -p`.

    PatchError with the line in the patch file if it is not, from first to last byte, a unified
    diff whose every change is understood.
    """
    if data.startswith(_WIDE[:2]) or any(data[: 1 << 12].find(mark) != -1 for mark in _WIDE[2:]):
        raise _refuse("encoding", "the patch file is UTF-16; save it as UTF-8", 1)
    reader = _Reader(Cursor(data.removeprefix(_BOM)), strip)
    sections = reader.read()
    if not sections:
        raise _nothing(data)
    for section in sections:
        if not section.has_effect:
            what = "the section changes nothing"
            raise _refuse("empty", what, section.line, section.new_path)
    return Patch(parts=order.arrange(sections))


def _refuse(kind: str, what: str, line: int | None, path: str | None = None) -> PatchError:
    return PatchError(Problem(kind=kind, what=what, line=line, path=path))


def _nothing(data: bytes) -> PatchError:
    if re.search(_SCRIPT, data):
        return _refuse("parse", "an edit script; only unified diffs are read (diff -u)", None)
    what = "the patch file is empty" if not data.strip() else "there is no diff in the patch file"
    return _refuse("empty", what, None)


class _Reader:
    """Finds the sections of a patch, and looks at what stands between them."""

    def __init__(self, cursor: Cursor, strip: int) -> None:
        self._cursor = cursor
        self._strip = strip
        # Whether any text may stand here, and whether it is the message of a mail.
        self._in_prose = True
        self._in_mail = False

    def read(self) -> list[Section]:
        sections = []
        while not self._cursor.at_end:
            if self._cursor.starts(b"diff --git "):
                sections.append(self._read_git_section())
            elif self._at_plain_section():
                sections.append(self._read_plain_section())
            else:
                self._skip_text()
                continue
            self._in_prose = self._in_mail = False
        return sections

    def _at_plain_section(self) -> bool:
        cursor = self._cursor
        if not cursor.starts(b"--- ") or not cursor.next_starts(b"+++ "):
            return False
        return not self._in_mail or cursor.next_starts(b"@@ -", lines=2)

    def _read_git_section(self) -> Section:
        cursor = self._cursor
        header = Header(line=cursor.line, strip=self._strip)
        header.names = cursor.take_header(b"diff --git ")
        while (start := cursor.first_of(EXTENDED)) is not None:
            name = EXTENDED[start]
            text = cursor.take_header(start)
            if name in header.extended:
                raise _refuse("parse", f"a second '{name}' line", cursor.line - 1)
            if name is not None:
                header.extended[name] = text
        self._refuse_stub()
        if cursor.starts(b"GIT binary patch"):
            return git_section(header, (), read_binary(cursor, header.extended.get("index")))
        header.sides, hunks = self._read_text()
        return git_section(header, hunks, None)

    def _read_plain_section(self) -> Section:
        header = Header(line=self._cursor.line, strip=self._strip)
        sides, hunks = self._read_text()
        return plain_section(header, sides or (b"", b""), hunks)

    def _read_text(self) -> tuple[tuple[bytes, bytes] | None, tuple[Hunk, ...]]:
        """What stands on the `---` and `+++` lines, if they are there, and the hunks."""
        cursor, line = self._cursor, self._cursor.line
        if not cursor.starts(b"--- "):
            return None, read_hunks(cursor)
        minus = cursor.take_header(b"--- ")
        if not cursor.starts(b"+++ "):
            raise _refuse("parse", "no +++ line after the --- line", cursor.line)
        plus = cursor.take_header(b"+++ ")
        self._refuse_stub()
        hunks = read_hunks(cursor)
        if not hunks:
            raise _refuse("parse", "no hunk after the ---/+++ lines: cut off?", line)
        return (minus, plus), hunks

    def _refuse_stub(self) -> None:
        text = self._cursor.text(limit=1 << 14)
        if text[:1] in (b"B", b"F", b"C") and re.fullmatch(_BINARY_STUB, text):
            what = "a binary file without its bytes; make the patch with git diff --binary"
            raise _refuse("binary", what, self._cursor.line)

    def _skip_text(self) -> None:
        """Step over one line that is no part of a section, or refuse it."""
        self._refuse_stub()
        self._refuse_other_formats()
        text = self._cursor.text(limit=1 << 14)
        if text.startswith(b"@@"):
            self._refuse_lost_hunk(text)
        elif text in _SIGNATURES and not self._in_prose:
            self._cursor.skip_line()
            self._in_prose = True
            if self._cursor.starts((b"+", b"-", b"@@")):
                raise self._surplus()
            return
        elif text.startswith((b"+", b"-", b" ", b"\\")) and not self._in_prose:
            raise self._surplus()
        elif text.startswith(_MAIL) and (self._in_prose or text.startswith(b"From ")):
            self._in_prose = self._in_mail = True
        self._cursor.skip_line()

    def _surplus(self) -> PatchError:
        what = "more lines than the hunk header counts"
        return _refuse("parse", what, self._cursor.line)

    def _refuse_lost_hunk(self, text: bytes) -> None:
        if self._in_mail:
            return
        in_body = self._cursor.next_starts((b" ", b"+", b"-"))
        if not self._in_prose or (text.startswith(b"@@ -") and in_body):
            raise _refuse("parse", "a hunk without a file to go with it", self._cursor.line)

    def _refuse_other_formats(self) -> None:
        cursor = self._cursor
        name = None
        if cursor.starts((b"diff --cc ", b"diff --combined ", b"@@@ -")):
            name = "a combined diff of a merge"
        elif cursor.starts(b"*** ") and cursor.next_starts(b"--- "):
            name = "a context diff"
        elif cursor.next_starts((b"< ", b"> ")) and re.fullmatch(_NORMAL, cursor.text(limit=64)):
            name = "a diff in the normal format"
        elif cursor.starts((b"Property changes on: ", b"Submodule ")) and not self._in_prose:
            name = "a change of Subversion properties or of a submodule"
        if name is not None:
            what = f"{name}; only unified diffs of files are read (diff -u, git diff)"
            raise _refuse("parse", what, cursor.line)
