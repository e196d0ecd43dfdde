"""A patch as frozen data, and its reverse.

Owns what a patch says, once it is read. It knows nothing of patch text (`parse` does) and nothing
of trees (`run` does).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from patchtool.files import Mode, blob_id
from patchtool.values import dataclass, replace

_EMPTY_BLOB = blob_id(b"")
# What can be wrong with a patch, or between a patch and a tree: the kinds of a PatchError.
KINDS = frozenset(
    {
        "ambiguous",  # a hunk fits at several places, none of them the stated one
        "ambiguous-order",  # sections that mean one thing at once and another one by one
        "binary",  # a binary change without its bytes, or with the wrong ones
        "case-collision",  # two names that are one on a disk that folds case
        "empty",  # nothing to apply
        "encoding",  # the patch file is UTF-16 or the like
        "exists",  # something stands where a file is to be made
        "hunk-order",  # hunks out of order or on top of each other
        "missing",  # the file to change is not there
        "no-context",  # a hunk without context, and no blob id to say that this is its place
        "no-match",  # the file is not what the patch was made from
        "offset",  # fits, but at another place than stated
        "parse",  # not a whole, well-formed unified diff
        "partial",  # some of the patch is in, some is not
        "path-mismatch",  # the patch names its file in two ways that differ
        "type",  # a link, directory or special file instead of a file, or the other way round
        "undecidable",  # the tree could be before or after the patch
        "unsafe-path",  # leaves the tree, or would
    }
)


class Change(Enum):
    """What a section does to its paths."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"
    # The reverse of a copy; no patch file says this.
    UNCOPY = "uncopy"


_REVERSED = {
    Change.EDIT: Change.EDIT,
    Change.CREATE: Change.DELETE,
    Change.DELETE: Change.CREATE,
    Change.RENAME: Change.RENAME,
    Change.COPY: Change.UNCOPY,
    Change.UNCOPY: Change.COPY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One text hunk: its two sides as bytes, and where they stand.

    `old_first` and `new_first` count whole lines above the side, so 0 is the top of the file.
    `new_first` follows from the hunks before it, not from the header: that is where the new side
    will stand. `leading` and `trailing` are the context lines at the ends, `context` all of them.
    A side that ends without LF ends the file.
    """

    line: int
    old_first: int
    old: bytes
    new_first: int
    new: bytes
    leading: int
    trailing: int
    context: int

    @property
    def ends_file(self) -> bool:
        """Whether a side says that the file has no newline at its end."""
        return any(side and not side.endswith(b"\n") for side in (self.old, self.new))


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a block of a binary patch holds: the whole content, or git's delta to make it."""

    data: bytes
    is_delta: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """A binary change. A block that the patch leaves out is None: there is no way in there."""

    forward: Payload | None
    backward: Payload | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a patch does to one file (a rename or copy: to two paths).

    Modes are None where the patch does not say; equal ones mean no change. `old_blob` and
    `new_blob` are the ids of the `index` line, often shortened; None for "no file" or unsaid.
    `crlf` says that every line of the section ends so in the patch file.
    """

    line: int
    change: Change
    old_path: str
    new_path: str
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    hunks: tuple[Hunk, ...] = ()
    binary: Binary | None = None
    crlf: bool = False

    @property
    def taken(self) -> str | None:
        """The path whose content the section uses up, if any."""
        return None if self.change in (Change.CREATE, Change.COPY) else self.old_path

    @property
    def made(self) -> str | None:
        """The path whose content the section makes, if any."""
        return None if self.change in (Change.DELETE, Change.UNCOPY) else self.new_path

    @property
    def changes_mode(self) -> bool:
        """Whether the section turns one mode into another."""
        return None not in (self.old_mode, self.new_mode) and self.old_mode is not self.new_mode

    @property
    def lacks_content(self) -> bool:
        """Whether a file comes or goes that has content, by its blob id, and none of it is here.

        `git diff --irreversible-delete` leaves out what a file had.
        """
        blob = {Change.CREATE: self.new_blob, Change.DELETE: self.old_blob}.get(self.change)
        is_bare = not self.hunks and self.binary is None
        return is_bare and blob is not None and not _EMPTY_BLOB.startswith(blob)

    @property
    def has_effect(self) -> bool:
        """Whether anything differs after the section."""
        return (
            self.change is not Change.EDIT
            or self.changes_mode
            or self.binary is not None
            or any(hunk.old != hunk.new for hunk in self.hunks)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The smallest piece of a patch that can stand alone: sections tied by their paths.

    Nearly always one section. The sections of one step happen at once, on the tree as it was
    before the step; steps come one after the other.
    """

    steps: tuple[tuple[Section, ...], ...]

    @property
    def sections(self) -> Iterator[Section]:
        """All sections, in order."""
        return (section for step in self.steps for section in step)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the part may change, sorted."""
        paths = {path for s in self.sections for path in (s.taken, s.made) if path is not None}
        return tuple(sorted(paths))


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A whole patch file. Its parts do not touch each other's paths."""

    parts: tuple[Part, ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        """All sections, in the order of the patch file."""
        return tuple(sorted((s for p in self.parts for s in p.sections), key=lambda s: s.line))

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the patch may change, sorted."""
        return tuple(sorted(path for part in self.parts for path in part.paths))


def reverse(patch: Patch) -> Patch:
    """The patch that takes `patch` out again."""
    return Patch(parts=tuple(reverse_part(part) for part in patch.parts))


def reverse_part(part: Part) -> Part:
    """The part, last step first, each section turned round."""
    return Part(
        steps=tuple(
            tuple(reverse_section(section) for section in reversed(step))
            for step in reversed(part.steps)
        )
    )


def reverse_section(section: Section) -> Section:
    """The section with its two sides exchanged."""
    binary = section.binary
    if binary is not None:
        binary = Binary(forward=binary.backward, backward=binary.forward)
    return replace(
        section,
        change=_REVERSED[section.change],
        old_path=section.new_path,
        new_path=section.old_path,
        old_mode=section.new_mode,
        new_mode=section.old_mode,
        old_blob=section.new_blob,
        new_blob=section.old_blob,
        hunks=tuple(reverse_hunk(hunk) for hunk in section.hunks),
        binary=binary,
    )


def reverse_hunk(hunk: Hunk) -> Hunk:
    """The hunk with its two sides exchanged."""
    return replace(
        hunk,
        old_first=hunk.new_first,
        old=hunk.new,
        new_first=hunk.old_first,
        new=hunk.old,
    )
