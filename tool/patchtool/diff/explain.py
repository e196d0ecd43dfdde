"""Why a patch is refused, and what would help. Pure; runs only once the refusal is certain."""

from __future__ import annotations

from patchtool.diff import place
from patchtool.diff.attempt import Refusal
from patchtool.diff.model import Hunk, reverse_hunk
from patchtool.diff.search import searched
from patchtool.errors import PatchError, Problem
from patchtool.files import File

# A hunk is shown beside the file only so far; the message names one line.
_SHOWN_LINES = 1000
_SHOWN_BYTES = 1 << 20
_LONGEST = 120

# How the sentence begins about a patch file that has been through a program that ends lines so.
CRLF_PATCH = "the patch file has CRLF endings"


def explain(refusal: Refusal, *, backward: bool) -> PatchError:
    """The refusal as an error with everything a person wants to know.

    `backward` says that the patch was to be taken out.
    """
    section, hunk, file = refusal.section, refusal.hunk, refusal.file
    line = section.line if hunk is None else hunk.line
    kind, what = refusal.kind, refusal.what
    expected = found = None
    if hunk is not None and file is not None and kind == "no-match":
        kind, what, hunk = _other_places(section.hunks, file.data, hunk, backward)
        line = hunk.line
        if kind == "no-match":
            what, expected, found = _difference(hunk, file.data)
    elif file is not None and refusal.what == "has another mode":
        expected, found = section.old_mode and section.old_mode.value, file.mode.value
    elif kind == "no-match" and file is not None:
        expected, found = section.old_blob, file.identity.blob
    elif kind == "missing" and section.hunks and not any(h.old for h in section.hunks):
        what = "is not there; if the patch is to make it, its old name is /dev/null"
    elif kind == "no-context":
        what = (
            "the hunk has no context lines, and no blob id in the index line says that this is its "
            "place; make the patch with context (diff -U3)"
        )
    return PatchError(
        Problem(kind=kind, what=what, path=refusal.path, line=line, expected=expected, found=found)
    )


def _other_places(
    hunks: tuple[Hunk, ...], data: bytes, first: Hunk, backward: bool
) -> tuple[str, str, Hunk]:
    """Whether the hunks would go on at other places: a kind, a sentence, the hunk in question."""
    found = searched(hunks, data)
    if isinstance(found, list):
        pairs = zip(hunks, place.lines_at(data, found), strict=True)
        hunk, line = next((hunk, line) for hunk, line in pairs if line != hunk.old_first + 1)
        what = f"fits at line {line}, the only place, not at line {hunk.old_first + 1}"
        return "offset", what, hunk
    hunk, places = found
    if len(places) > 1:
        lines = " and ".join(map(str, place.lines_at(data, places)))
        what = f"fits not at line {hunk.old_first + 1} but at several others ({lines})"
        return "ambiguous", what, hunk
    back = searched([reverse_hunk(hunk) for hunk in hunks], data)
    if isinstance(back, list):
        line = next(place.lines_at(data, back))
        state, way = ("out", "go on") if backward else ("in", "come off")
        what = f"is {state} already, but at line {line}, the only place where it would {way}"
        return "offset", what, hunks[0]
    return "no-match", "", first


def _difference(hunk: Hunk, data: bytes) -> tuple[str, str | None, str | None]:
    """How the file differs from the hunk at the stated place: a sentence, both first lines."""
    if b"\r" in data and b"\n" not in data and b"\n" in hunk.old:
        return "the file has CR line ends alone, the patch has LF", None, None
    offset = place.skip_lines(data, 0, hunk.old_first)
    if offset is None:
        return f"the file ends before line {hunk.old_first + 1}", None, None
    wanted = _lines(hunk.old)
    there = _lines(data[offset : offset + len(hunk.old) + _SHOWN_BYTES])[: len(wanted)]
    for number, line in enumerate(wanted):
        other = there[number] if number < len(there) else b""
        if line != other:
            what = f"{_how(wanted, there)} at line {hunk.old_first + number + 1}"
            return what, _shown(line), _shown(other)
    return "the hunk was made at the end of the file, but the file goes on", None, None


def _lines(data: bytes) -> list[bytes]:
    lines = data[:_SHOWN_BYTES].split(b"\n", _SHOWN_LINES)[:_SHOWN_LINES]
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _how(wanted: list[bytes], there: list[bytes]) -> str:
    """In what the two runs of lines differ: in as little as can be said."""
    if _ending(wanted) == b"\r\n" and _ending(there) == b"\n":
        return f"{CRLF_PATCH}, the file has LF: differs"
    if _ending(wanted) == b"\n" and _ending(there) == b"\r\n":
        return "the file has CRLF endings, the patch has LF: differs"
    if [line.removesuffix(b"\n") for line in wanted] == [
        line.removesuffix(b"\n") for line in there
    ]:
        return "differs only in the newline at the end of the file"
    if [line.rstrip() for line in wanted] == [line.rstrip() for line in there]:
        return "differs only in trailing whitespace"
    if [line.split() for line in wanted] == [line.split() for line in there]:
        return "differs only in whitespace"
    if there and there[0] == b"\xef\xbb\xbf" + wanted[0]:
        return "the file starts with a byte order mark, the patch does not: differs"
    return "differs"


def _ending(lines: list[bytes]) -> bytes:
    return next((b"\r\n" if line.endswith(b"\r\n") else b"\n" for line in lines), b"")


def _shown(line: bytes) -> str:
    """A line as text, control characters and line end visible."""
    text = repr(line[:_LONGEST].decode("utf-8", "backslashreplace"))
    return text if len(line) <= _LONGEST else f"{text}…"


def mixture(hunks: tuple[Hunk, ...], file: File) -> set[bool] | None:
    """Which of {in, not in} the file's hunks are; None if some hunk is neither."""
    states = set()
    shift = offset = line = 0
    for hunk in hunks:
        first = max(hunk.old_first + shift, 0)
        start = place.skip_lines(file.data, offset, first - line)
        if start is None:
            return None
        offset, line = start, first
        old, new = (_stands_at(side, offset, file.data) for side in (hunk, reverse_hunk(hunk)))
        if not old and not new:
            return None
        if new and not old:
            shift += hunk.new.count(b"\n") - hunk.old.count(b"\n")
        if old is not new:
            states.add(new)
    return states


def _stands_at(hunk: Hunk, offset: int, data: bytes) -> bool:
    return place.fit(hunk, data, offset, lambda: False) is place.Fit.FITS
