"""The names in a patch: unquoted, stripped, and held inside the tree. Pure, on bytes."""

from __future__ import annotations

import posixpath
import re

from patchtool.errors import PatchError, Problem

DEV_NULL = b"/dev/null"
# No system opens a longer path, and no name has more blanks: bounds on hostile header lines, each
# of whose blanks may be the one between its two names.
_LONGEST_PATH, _MOST_BLANKS = 4096, 256

_ESCAPES = {
    ord(letter): value for letter, value in zip('abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True)
}
_ESCAPE = rb"(?s)\\(?:([0-3][0-7][0-7])|(.))"
_QUOTED = rb'(?s)"((?:[^"\\]|\\.)*)"'
_DRIVE = r"[A-Za-z]:(?:$|\\)"
# Names that reach git's own directory on some disk: case is folded, trailing dots and blanks are
# dropped, and git~1 is the short form (git's own verify_path has the same list).
_GIT_DIRECTORY = r"(?i)(?:\.git|git~1)[. ]*"
# What a Mac's disk leaves out of a name.
_IGNORED = "[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]"


class BadName(ValueError):
    """A name that cannot be read; the text says why."""


def decode(path: bytes) -> str:
    """A path as `files.Files` spells it; bytes that are not UTF-8 survive."""
    return path.decode("utf-8", "surrogateescape")


def split_quoted(text: bytes) -> tuple[bytes, bytes] | None:
    """The unquoted name at the start of `text` and what follows it; None if none is quoted there.

    The quoting is C's, as git writes it (git-config, core.quotePath).
    """
    if not text.startswith(b'"'):
        return None
    match = re.match(_QUOTED, text)
    if match is None:
        raise BadName("a quoted name without its closing quote")
    return re.sub(_ESCAPE, _unescape, match[1]), text[match.end() :]


def _unescape(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8)])
    if match[2][0] not in _ESCAPES:
        raise BadName(f"unknown escape \\{match[2].decode('latin-1')} in a quoted name")
    return bytes([_ESCAPES[match[2][0]]])


def split_date(text: bytes) -> tuple[bytes, bytes]:
    """The name in a `---` or `+++` line, and what stands behind it after a tab."""
    quoted = split_quoted(text)
    if quoted is not None:
        return quoted[0], quoted[1].removeprefix(b"\t")
    if text.startswith(DEV_NULL + b" "):
        # Blanks where the tab was, or at the end of the line; no file's name is absolute.
        return DEV_NULL, text[len(DEV_NULL) :].strip()
    name, _, date = text.partition(b"\t")
    return name, date


def header_pairs(text: bytes) -> list[tuple[bytes, bytes]]:
    """Every way to read what follows `diff --git ` as two names."""
    if text.count(b" ") > _MOST_BLANKS:
        raise BadName("a header line with too many blanks")
    quoted = split_quoted(text)
    if quoted is not None:
        first, rest = quoted
        if not rest.startswith(b" "):
            raise BadName("only one name in the header line")
        second = split_quoted(rest[1:])
        return [(first, second[0] if second else rest[1:])]
    pairs = []
    blank = text.find(b" ")
    while blank != -1:
        first, rest = text[:blank], text[blank + 1 :]
        if not rest.startswith(b'"'):
            pairs.append((first, rest))
        elif (second := split_quoted(rest)) is not None and not second[1]:
            pairs.append((first, second[0]))
        blank = text.find(b" ", blank + 1)
    return pairs


def squash_slashes(name: bytes) -> bytes:
    """The name with one slash for several in a row."""
    return re.sub(rb"//+", b"/", name) if b"//" in name else name


def is_cut_in_slashes(name: bytes, count: int) -> bool:
    """Whether the name, without its first `count` components, starts with a slash.

    To git every slash counts, so that `d//f` without one component is `/f`, without two `f`.
    """
    parts = name.split(b"/", count)
    return len(parts) > count and parts[count].startswith(b"/")


def strip_components(name: bytes, count: int, line: int) -> str:
    """The name without its first `count` components, checked to stay inside the tree.

    As git reads it: every slash counts, and of what is left, several in a row are one.
    """
    if name.startswith(b"/"):
        raise _unsafe(decode(name), "is absolute", line)
    parts = name.split(b"/", count)
    if len(parts) <= count:
        raise PatchError(
            Problem(
                kind="parse",
                what=f"the name has fewer than {count} leading directories to strip",
                path=decode(name),
                line=line,
            )
        )
    if len(name) > _LONGEST_PATH:
        what = "the name is longer than any path can be"
        raise PatchError(Problem(kind="parse", what=what, line=line))
    if is_cut_in_slashes(name, count):
        deeper = count + len(parts[count]) - len(parts[count].lstrip(b"/"))
        what = f"is absolute without its first {count}: every slash counts, strip {deeper}"
        raise _unsafe(decode(name), what, line)
    path = decode(squash_slashes(parts[count]))
    while path.startswith("./"):
        path = path[2:]
    if (reason := hazard(path)) is not None:
        raise _unsafe(path, reason, line)
    if any(part == b".." for part in parts[:count]):
        raise _unsafe(path, "has .. in it", line)
    return path


def _unsafe(path: str, reason: str, line: int) -> PatchError:
    return PatchError(Problem(kind="unsafe-path", what=f"the path {reason}", path=path, line=line))


def hazard(path: str) -> str | None:
    """Why no file of a package has this path, or None."""
    if "\0" in path:
        return "has a NUL in it"
    if path.startswith("/"):
        return "is absolute"
    if ":" in path and re.match(_DRIVE, path.partition("/")[0]):
        return "names a drive"
    for component in path.split("/"):
        if component in ("", "."):
            return "has an empty component"
        # A backslash is a letter here and a slash on another system: safe on both, or refused.
        for piece in component.split("\\"):
            if piece == "..":
                return "has .. in it"
            if _is_git_directory(piece):
                return "is inside .git"
    return None


def _is_git_directory(name: str) -> bool:
    if name.isascii() and "~" not in name and not name.startswith("."):
        return False  # nearly every name; to compile the patterns takes longer than to match them
    return re.fullmatch(_GIT_DIRECTORY, re.sub(_IGNORED, "", name)) is not None


def link_leaves(path: str, target: str) -> bool:
    """Whether a symlink at `path` that reads `target` would lead out of the tree.

    `..` is believed only at the front, where the directories above `path` are real ones; behind
    another name it may go up from wherever that name leads.
    """
    if target.startswith(("/", "\\")) or "\0" in target or re.match(_DRIVE, target):
        return True
    parts = [part for part in target.split("/") if part not in ("", ".")]
    ups = 0
    while ups < len(parts) and parts[ups] == "..":
        ups += 1
    return ups > path.count("/") or ".." in parts[ups:]


def link_target(path: str, target: str) -> str:
    """The path inside the tree that such a link leads to (only where it does not leave)."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def parents(path: str) -> list[str]:
    """The directories above a path, outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
