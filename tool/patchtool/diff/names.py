"""Which file a `diff --git` section is about: several lines say it, and must agree. Pure."""

from __future__ import annotations

from patchtool.diff import paths
from patchtool.diff.header import Header
from patchtool.diff.model import Change
from patchtool.diff.stamp import says_absent
from patchtool.errors import PatchError


def git_names(header: Header, change: Change) -> tuple[str, str]:
    """The two paths, from whichever lines have them; all that have them must agree."""
    pairs = paths.header_pairs(header.names)
    found: list[tuple[str, str]] = []
    for kind in ("rename", "copy"):
        if f"{kind} from" in header.extended:
            count = max(0, header.strip - 1)
            ends = (_unquoted(header.extended[f"{kind} {end}"]) for end in ("from", "to"))
            old, new = (paths.strip_components(name, count, header.line) for name in ends)
            found.append((old, new))
    if header.sides is not None:
        found.append(_names_of_sides(header, header.sides, change))
    if not found:
        found.append(_equal_names(header, pairs))
    if any(names != found[0] for names in found):
        raise header.refuse("path-mismatch", "its header lines name different files", found[0][1])
    old, new = found[0]
    if not any(_means(pair, found[0], header) for pair in pairs):
        what = "the 'diff --git' line names another file than the lines below it"
        raise header.refuse("path-mismatch", what, new)
    if old != new and change not in (Change.RENAME, Change.COPY):
        what = f"{old} and {new}: neither a rename nor one file"
        raise header.refuse("path-mismatch", what, new)
    return old, new


def _unquoted(text: bytes) -> bytes:
    quoted = paths.split_quoted(text)
    return text if quoted is None else quoted[0]


def _names_of_sides(header: Header, sides: tuple[bytes, bytes], change: Change) -> tuple[str, str]:
    """The paths of the `---` and `+++` lines, of which `/dev/null` takes the other's.

    Subversion has the name on both, and says behind it that there is no such file.
    """
    names, stamps = zip(*map(paths.split_date, sides), strict=True)
    wanted = [change is Change.CREATE, change is Change.DELETE]
    absent = [
        name == paths.DEV_NULL or (gone and says_absent(stamp))
        for name, stamp, gone in zip(names, stamps, wanted, strict=True)
    ]
    if absent != wanted:
        what = f"its ---/+++ lines do not fit a section that says {change.value}"
        raise header.refuse("path-mismatch", what)
    there = [header.stripped(name) for name in names if name != paths.DEV_NULL]
    return there[0], there[-1]


def _equal_names(header: Header, pairs: list[tuple[bytes, bytes]]) -> tuple[str, str]:
    """The name that both halves of the `diff --git` line have; the line has no other order."""
    found = {}
    for first, second in pairs:
        halves = [half.split(b"/", header.strip) for half in (first, second)]
        if all(len(half) > header.strip for half in halves) and halves[0][-1] == halves[1][-1]:
            found[halves[0][-1]] = (first, second)
    if not found:
        raise header.refuse("parse", "cannot tell the name of the file from the header line")
    even = [first for first, second in found.values() if len(first) == len(second)]
    if len(found) > 1 and len(even) != 1:
        raise header.refuse("parse", "more than one way to read the names in the header line")
    half = even[0] if even else next(iter(found.values()))[0]
    name = header.stripped(half)
    return name, name


def _means(pair: tuple[bytes, bytes], names: tuple[str, str], header: Header) -> bool:
    """Whether this reading of the `diff --git` line gives these names."""
    for half, name in zip(pair, names, strict=True):
        try:
            if half != paths.DEV_NULL and name != header.stripped(half):
                return False
        except PatchError:
            return False
    return True
