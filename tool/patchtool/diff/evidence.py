"""What the blob ids of an index line prove about content, and where they contradict it. Pure.

The ids are evidence and often hand-made: they settle what nothing else does, and otherwise only
warn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from patchtool.diff import place
from patchtool.diff.model import Change, Hunk, Part, Section
from patchtool.errors import Problem
from patchtool.files import File, Found, Read, blob_id
from patchtool.values import replace

# Shorter ids are no evidence; git itself never shortens below this unless told to.
_SHORTEST = 7


def is_blob(data: bytes, blob: str | None) -> bool:
    """Whether the id, perhaps shortened, says that `data` is its content."""
    return blob is not None and len(blob) >= _SHORTEST and blob_id(data).startswith(blob)


def as_meant(section: Section, source: bytes | None) -> Section:
    """The section with LF for CRLF, if its blob ids prove that these are the lines it was made of.

    A patch file may have been turned into CRLF on its way. Lines that must be found in the file
    show it; where a section only adds lines, or only removes them, nothing but the ids does.
    `source` is the content that the section starts from, None for "no file".
    """
    if not section.crlf or any(hunk.context or (hunk.old and hunk.new) for hunk in section.hunks):
        return section
    meant = replace(section, crlf=False, hunks=tuple(_with_lf(hunk) for hunk in section.hunks))
    return meant if _is_proven(meant, source) else section


def _with_lf(hunk: Hunk) -> Hunk:
    old, new = (side.replace(b"\r\n", b"\n").removesuffix(b"\r") for side in (hunk.old, hunk.new))
    return replace(hunk, old=old, new=new)


def _is_proven(section: Section, source: bytes | None) -> bool:
    if section.change is Change.DELETE:
        return is_blob(b"".join(hunk.old for hunk in section.hunks), section.old_blob)
    if source is None:
        return is_blob(b"".join(hunk.new for hunk in section.hunks), section.new_blob)
    offsets = place.stated(section.hunks, source, lambda: is_blob(source, section.old_blob))
    if not isinstance(offsets, list):
        return False
    return is_blob(place.splice(source, section.hunks, offsets), section.new_blob)


def contradictions(part: Part, read: Read, made: Mapping[str, File | None]) -> Iterable[Problem]:
    """Ids in index lines that are wrong, though nothing needed them: made or edited by hand.

    `made` is what the part makes of the tree under `read`. At most one problem for each section.
    """
    if len(part.steps) > 1:
        return
    for section in part.sections:
        if section.binary is not None or section.change is Change.DELETE:
            continue
        for path, blob, found, what in _claims(section, read, made):
            if not isinstance(found, File) or blob is None or found.identity.blob.startswith(blob):
                continue
            yield Problem(
                kind="index-line",
                what=what,
                path=path,
                line=section.line,
                expected=blob,
                found=found.identity.blob,
            )
            break


def _claims(
    section: Section, read: Read, made: Mapping[str, File | None]
) -> Iterable[tuple[str, str | None, Found, str]]:
    """What the index line says of both ends: a path, an id, what is there, the words if it lies."""
    if not section.hunks:
        if section.old_blob != section.new_blob:
            what = "the index line says that the content changes, but there is no hunk: cut off?"
            yield section.new_path, section.new_blob, made.get(section.new_path), what
        return
    if section.old_blob is not None:
        what = "the blob id in the index line is of another file; the hunks fit all the same"
        yield section.old_path, section.old_blob, read(section.old_path), what
    what = "the blob id in the index line is of other content than the patch makes"
    if section.crlf:
        what = f"the patch file has CRLF endings, and {what}"
    yield section.new_path, section.new_blob, made.get(section.new_path), what
