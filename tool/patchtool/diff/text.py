"""The text around the sections of a patch: steps over it, and refuses a lost piece of one. Pure.

Prose may stand before the first section, behind a mail's signature, and behind a section as soon as
a line shows that no hunk goes on. It knows nothing of what a section holds.
"""

from __future__ import annotations

import re
from enum import Enum

from patchtool.diff.cursor import Cursor
from patchtool.errors import PatchError, Problem

_LONGEST = 1 << 14
_LONGEST_SHOWN = 80
_NORMAL = rb"\d+(?:,\d+)?[acd]\d+(?:,\d+)?"
_BINARY_STUB = (
    rb"Binary files (?:.+ and .+ )?differ|Files .+ and .+ differ|Binary file .+ has changed|"
    rb"Cannot display: file marked as a binary type\.|\(\.\.\. files differ \.\.\.\)"
)
_WIDE_DIFF = rb"\0*d\0+i\0+f\0+f\0+ \0+-\0"
_MAIL = (b"From ", b"From: ", b"Subject: ")
_SIGNATURES = (b"-- ", b"--")
# Where a mail says what stands between its parts (RFC 2046, section 5.1.1). Its header is folded a
# few times at most; to look at any number of lines could take memory for each.
_BOUNDARY = (
    rb"(?im)^content-type: multipart/[^\n]*(?:\n[ \t][^\n]*){0,9}?boundary=\"?([^\"\r\n;]{1,70})"
)
# What begins the next of several commits: in an mbox, in what `git log -p`, `hg export`,
# `hg log -p` and `svn log --diff` print.
_COMMIT = (
    rb"(?:(?>From \S+ .*?\d\d:\d\d:\d\d ).*|commit [0-9a-f]{7,64}(?: .*)?|# HG changeset patch|"
    rb"changeset: +\d+:[0-9a-f]+|-{72}(?=\r?\n(?:r\d+ \||\s*\Z)))\r?\n"
)
# What only a section that starts with `diff --git` can say: to pass over it where that line is not
# there loses a mode, a link, a name or bytes. A file of the usual mode comes and goes without it,
# but for an empty one, which has no `---` line either.
_LOST = (
    rb"(?:GIT binary patch|(?:old|new) mode [0-7]{5,6}|"
    rb"(?:new|deleted) file mode (?!100?644)[0-7]{5,6})[ \t]*\r?(?:\n|\Z)|"
    rb"(?:new|deleted) file mode 100?644[ \t]*\r?(?:\n|\Z)"
    rb"(?:index [^\n]*+(?:\n|\Z))?+(?!--- )|"
    rb"rename (?:from|old) [^\n]++\nrename (?:to|new) |copy from [^\n]++\ncopy to "
)

# A mode, a link, a name, a type or a submodule in the words of Subversion, Bazaar, git or GNU diff.
# Properties of Subversion that no file shows are text.
_IN_WORDS = (
    rb"(?:Added|Modified|Deleted|Name): svn:(?:executable|special)\r?\n|=== renamed \w+ '|"
    rb"=== [^\n]*\(properties changed: |Submodule [^\n]* [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}[: ]|"
    rb"Symbolic links [^\n]* differ\r?\n|File [^\n]* is an? [a-z ]{4,40} while file "
)


class _Where(Enum):
    """Where the reader stands, if not in a section."""

    # Any text may stand here.
    PROSE = "prose"
    # And here even what looks like a hunk, until the `---` that ends the message.
    MAIL = "mail"
    # Right behind a section, whose last hunk may be longer than it says.
    WAKE = "wake"
    # Behind a section and a line that no hunk has.
    BETWEEN = "between"


# What may say something anywhere, here or to the reader of sections; and what may besides, by where
# it stands. All else is passed over unread, since a patch file may be large and hold no diff at
# all. With the LF before a line, so that the search runs from LF to LF.
_OF_NOTE = (
    rb"diff --(?:git|cc|combined) |--- [^\n]*+\n\+\+\+ |@@@ -|\*\*\* [^\n]*+\n--- |"
    rb"\d++(?:,\d++)?[acd]\d[^\n]*+\n[<>] |"
    rb"Files [^\n]* differ|Binary file[^\n]* (?:differ|changed)|Cannot display: file |"
    rb"\(\.\.\. files differ |"
) + b"|".join((_WIDE_DIFF, _COMMIT, _LOST, _IN_WORDS))
_OF_NOTE_IN = {
    _Where.PROSE: rb"\n(?:@@ -|From[ :]|Subject: |%b)" % _OF_NOTE,
    _Where.MAIL: rb"\n(?:---\r?\n|%b)" % _OF_NOTE,
    _Where.WAKE: rb"\n(?!\r?\n)",
    _Where.BETWEEN: rb"\n(?:@@|-- ?\r?\n|From |%b)" % _OF_NOTE,
}


class Text:
    """Steps over the lines between sections.

    `commits` has the number of each line at which another commit begins.
    """

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._where = _Where.PROSE
        self.commits: list[int] = []
        self._part_ends: set[bytes] | None = None

    @property
    def in_mail(self) -> bool:
        """Whether this is the message of a mail, which may show pieces of a diff."""
        return self._where is _Where.MAIL

    @property
    def _is_behind(self) -> bool:
        return self._where in (_Where.WAKE, _Where.BETWEEN)

    def leave_section(self) -> None:
        """A section ends here."""
        self._where = _Where.WAKE

    def skip_lines(self) -> None:
        """Step over a line that is no part of a section, or refuse it, and what is of no note."""
        self._skip_line()
        self._cursor.skip_to(_OF_NOTE_IN[self._where])

    def _skip_line(self) -> None:
        self.refuse_stub()
        self._refuse_other_formats()
        cursor, where, behind = self._cursor, self._where, self._is_behind
        text = cursor.text(limit=_LONGEST)
        if cursor.matches(_COMMIT):
            self.commits.append(cursor.line)
            self._where = _Where.BETWEEN if behind else where
        elif text.startswith(b"@@"):
            self._refuse_lost_hunk(text)
        elif where is not _Where.MAIL and cursor.matches(_LOST):
            shown = text[:_LONGEST_SHOWN].decode("utf-8", "backslashreplace")
            raise self._refuse("parse", f"'{shown}' without its 'diff --git' line")
        elif behind and (text in _SIGNATURES or self._ends_part(text)):
            self._where = _Where.PROSE
            if cursor.next_starts((b"+", b"-", b"@@")):
                cursor.skip_line()
                raise self._surplus()
        elif where is _Where.WAKE and text.startswith((b"+", b"-", b" ", b"\\")):
            raise self._surplus()
        elif where is _Where.MAIL and text == b"---":
            self._where = _Where.PROSE
        elif where is _Where.WAKE and text:
            self._where = _Where.BETWEEN
        if text.startswith(_MAIL) and (not behind or text.startswith(b"From ")):
            self._where = _Where.MAIL
        cursor.skip_line()

    def _ends_part(self, text: bytes) -> bool:
        """Whether a part of the mail ends here: `git format-patch --attach` has the diff in one."""
        if not text.startswith(b"--"):
            return False
        if self._part_ends is None:
            found = re.findall(_BOUNDARY, self._cursor.data)
            self._part_ends = {b"--" + each + end for each in found for end in (b"", b"--")}
        return text in self._part_ends

    def refuse_stub(self) -> None:
        """Refuse the line that stands for the bytes of a binary file."""
        text = self._cursor.text(limit=_LONGEST)
        if text[:1] in (b"B", b"F", b"C", b"(") and re.fullmatch(_BINARY_STUB, text):
            what = "a binary file without its bytes; make the patch with git diff --binary"
            raise self._refuse("binary", what)

    def _refuse(self, kind: str, what: str) -> PatchError:
        return PatchError(Problem(kind=kind, what=what, line=self._cursor.line))

    def _surplus(self) -> PatchError:
        return self._refuse("parse", "more lines than the hunk header counts")

    def _refuse_lost_hunk(self, text: bytes) -> None:
        if self.in_mail:
            return
        if self._where is not _Where.PROSE or text.startswith(b"@@ -"):
            raise self._refuse("parse", "a hunk without a file to go with it")

    def _refuse_other_formats(self) -> None:
        cursor = self._cursor
        name = None
        if cursor.starts((b"d\0", b"\0")) and cursor.matches(_WIDE_DIFF):
            raise self._refuse("encoding", "a part of the patch file is UTF-16; save it as UTF-8")
        if cursor.starts((b"diff --cc ", b"diff --combined ", b"@@@ -")):
            name = "a combined diff of a merge"
        elif cursor.starts(b"*** ") and cursor.next_starts(b"--- "):
            name = "a context diff"
        elif cursor.next_starts((b"< ", b"> ")) and re.fullmatch(_NORMAL, cursor.text(limit=64)):
            name = "a diff in the normal format"
        elif not self.in_mail and cursor.matches(_IN_WORDS):
            name = "a mode, link, name, type or submodule in other words than a diff's"
        if name is not None:
            what = f"{name}; only unified diffs of files are read (diff -u, git diff)"
            raise self._refuse("parse", what)
