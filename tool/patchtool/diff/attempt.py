"""One way through a part of a patch, in memory: every check that can refuse it. Pure.

`attempt` says what a part makes of a tree, or refuses. It does not say why at length; `explain`
does, once the other way has failed too.
"""

from __future__ import annotations

from collections.abc import Sequence

from patchtool.diff import binary, paths, place
from patchtool.diff.evidence import as_meant, is_blob
from patchtool.diff.model import Binary, Change, Hunk, Part, Section, reverse_section
from patchtool.diff.search import searched
from patchtool.diff.view import View
from patchtool.files import File, Hindrance, Mode, Obstacle, Read, blob_id
from patchtool.values import dataclass


class Refusal(Exception):
    """Why a part does not go this way; cheap to make, as every second run makes one per file."""

    def __init__(
        self,
        kind: str,
        what: str,
        section: Section,
        path: str,
        file: File | None = None,
        hunk: Hunk | None = None,
    ) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.section = section
        self.path = path
        self.file = file
        self.hunk = hunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A hunk that went on at another line than stated (both counted from 1)."""

    path: str
    stated: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a part makes of a tree: the paths that differ afterwards, None for "gone"."""

    changes: dict[str, File | None]
    moved: tuple[Moved, ...]


def attempt(part: Part, read: Read, *, search: bool = False, probe: bool = False) -> Outcome:
    """Run the part over the tree; Refusal if anything does not fit.

    With `search`, hunks that are not at their stated place may go to the only other one. With
    `probe` nobody wants the content: what the patch has no bytes for counts as empty, and a link
    may lead where it likes.
    """
    run = _Attempt(View(read), search, probe)
    for step in part.steps:
        run.step(step)
    return Outcome(changes=run.view.net_changes(), moved=tuple(run.moved))


class _Attempt:
    """One run of one part: the tree as it goes along."""

    def __init__(self, view: View, search: bool, probe: bool) -> None:
        self.view = view
        self.moved: list[Moved] = []
        self._search = search
        self._probe = probe

    def step(self, step: Sequence[Section]) -> None:
        """Let all sections of a step happen: read everything, then remove, then make."""
        view = self.view
        sources = {s.line: source_file(s, view) for s in step if s.change is not Change.CREATE}
        made = [(s, self._content(s, sources.get(s.line))) for s in step if s.made is not None]
        for section in step:
            if section.change is Change.DELETE:
                _check_deleted(section, sources[section.line])
            if section.taken is not None:
                view.put(section.taken, None)
        for section, file in made:
            self._claim(section, file)
        for section in step:
            if section.change is Change.UNCOPY:
                self._check_copy(section, sources[section.line])

    def _content(self, section: Section, source: File | None) -> File:
        """What the section makes of its source."""
        section = as_meant(section, None if source is None else source.data)
        if source is None:
            data = self._new_content(section)
            return File(data=data, mode=section.new_mode or Mode.REGULAR)
        if section.changes_mode and source.mode is not section.old_mode:
            raise Refusal("no-match", "has another mode", section, section.old_path, source)
        mode = section.new_mode if section.changes_mode else source.mode
        return File(data=self._new_data(section, source), mode=mode or source.mode)

    def _new_content(self, section: Section) -> bytes:
        if section.binary is not None:
            return self._unpack(section, section.binary, b"", section.new_path)
        if section.lacks_content and not self._probe:
            raise Refusal("parse", "its content is missing", section, section.new_path)
        return section.hunks[0].new if section.hunks else b""

    def _new_data(self, section: Section, source: File) -> bytes:
        data, path = source.data, section.old_path
        if section.binary is not None:
            if blob_id(data) != section.old_blob:
                raise Refusal("no-match", "is another file", section, path, source)
            return self._unpack(section, section.binary, data, path)
        if not section.hunks:
            return data
        offsets = place.stated(section.hunks, data, lambda: is_blob(data, section.old_blob))
        if isinstance(offsets, list):
            return place.splice(data, section.hunks, offsets)
        hunk, fit = offsets
        if self._search and fit is place.Fit.DIFFERS:
            found = searched(section.hunks, data)
            if isinstance(found, list):
                lines = zip(section.hunks, place.lines_at(data, found), strict=True)
                moved = ((hunk.old_first + 1, line) for hunk, line in lines)
                self.moved += (
                    Moved(path=path, stated=old, line=new) for old, new in moved if old != new
                )
                return place.splice(data, section.hunks, found)
        kind = "no-context" if fit is place.Fit.UNSUPPORTED else "no-match"
        raise Refusal(kind, "does not have the lines of the hunk", section, path, source, hunk)

    def _unpack(self, section: Section, change: Binary, source: bytes, path: str) -> bytes:
        if change.forward is None:
            if self._probe:
                return b""
            raise Refusal("binary", "the patch has no bytes for the way back", section, path)
        try:
            data = binary.content(change.forward, source)
        except binary.BadBinary as error:
            raise Refusal(
                "binary", f"its binary patch is damaged: {error}", section, path
            ) from None
        if section.made is not None and blob_id(data) != section.new_blob:
            raise Refusal("binary", "its binary patch makes another file", section, path)
        return data

    def _claim(self, section: Section, file: File) -> None:
        """Put what the section makes where it belongs, which must be free."""
        path = section.new_path
        found = self.view.read(path)
        if isinstance(found, File):
            if found.mode is Mode.SYMLINK and paths.link_leaves(path, paths.decode(found.data)):
                raise Refusal("unsafe-path", "is a symlink that leaves the tree", section, path)
            raise Refusal("exists", "is there already, with other content", section, path, found)
        if isinstance(found, Obstacle):
            if found.kind is Hindrance.BELOW_LINK:
                raise Refusal("unsafe-path", f"goes through the symlink {found.at}", section, path)
            if found.kind is Hindrance.BELOW_FILE:
                what = f"needs a directory where the file {found.at} is"
                raise Refusal("type", what, section, path)
            raise Refusal("exists", f"is {found.kind.value}", section, path)
        if file.mode is Mode.SYMLINK and not self._probe:
            _check_link(section, paths.decode(file.data), self.view)
        self.view.put(path, file)

    def _check_copy(self, section: Section, copied: File) -> None:
        """A copy goes only if it is what the patch made of its source."""
        copy = reverse_section(section)
        origin = source_file(copy, self.view)
        copy_made = self._content(copy, origin)
        if copy_made != copied:
            what = "is not what the patch made when it copied"
            raise Refusal("no-match", what, section, section.old_path, copied)


def source_file(section: Section, view: View) -> File:
    """The file that the section reads; it must be there, and of the right type."""
    path = section.old_path
    found = view.read(path)
    if isinstance(found, File):
        # A rename or copy without any change says nothing about the type.
        is_any = section.old_mode is None and not section.hunks and section.binary is None
        wants_link = section.old_mode is Mode.SYMLINK
        if is_any or wants_link == (found.mode is Mode.SYMLINK):
            return found
        if found.mode is Mode.SYMLINK:
            if paths.link_leaves(path, paths.decode(found.data)):
                raise Refusal("unsafe-path", "is a symlink that leaves the tree", section, path)
            raise Refusal("type", "is a symlink, the patch has a file", section, path)
        raise Refusal("type", "is a file, the patch has a symlink", section, path)
    if isinstance(found, Obstacle) and found.kind is Hindrance.BELOW_LINK:
        raise Refusal("unsafe-path", f"goes through the symlink {found.at}", section, path)
    if isinstance(found, Obstacle) and found.kind is not Hindrance.BELOW_FILE:
        raise Refusal("type", f"is {found.kind.value}, the patch has a file", section, path)
    raise Refusal("missing", "is not there", section, path)


def _check_deleted(section: Section, source: File) -> None:
    """A file goes only if the patch has its whole content and its mode."""
    if section.lacks_content:
        what = "is to go, but the patch lacks its content, so that it could not come back"
        raise Refusal("no-match", what, section, section.old_path)
    section = as_meant(section, source.data)
    if section.binary is not None:
        fits = blob_id(source.data) == section.old_blob
    else:
        fits = source.data == (section.hunks[0].old if section.hunks else b"")
    hunk = section.hunks[0] if section.hunks else None
    if not fits:
        what = "has other content than the patch removes"
        raise Refusal("no-match", what, section, section.old_path, source, hunk)
    if section.old_mode not in (None, source.mode):
        raise Refusal("no-match", "has another mode", section, section.old_path, source)


def _check_link(section: Section, target: str, view: View) -> None:
    """A new symlink stays in the tree, and does not pass through another one on its way."""
    path = section.new_path
    leaves = not target or paths.link_leaves(path, target)
    if not leaves:
        end = paths.link_target(path, target)
        found = view.read(end) if end not in (".", path) else None
        leaves = isinstance(found, Obstacle) and found.kind is Hindrance.BELOW_LINK
        if isinstance(found, File) and found.mode is Mode.SYMLINK:
            leaves = paths.link_leaves(end, paths.decode(found.data))
    if leaves:
        raise Refusal(
            "unsafe-path", f"would be a symlink that leaves the tree: {target}", section, path
        )
