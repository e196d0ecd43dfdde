"""What stands behind a name in a `---` or `+++` line: a date or a revision. Pure."""

from __future__ import annotations

import re

from patchtool.diff.paths import split_date

# The tab before a stamp may have become blanks.
_STAMPED = (
    rb"(?s)(.+?) +(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: [+-]\d{4})?|"
    rb"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}(?: [+-]\d{4})?|"
    rb"\((?:revision \d+|working copy|nonexistent)\))"
)
_EPOCH = (
    rb"(?P<day>1970-01-01|1969-12-31) (?P<time>\d\d:\d\d):00(?:\.0+)?"
    rb"(?: (?P<zone>[+-]\d\d:?\d\d))?|"
    rb"(?:Thu Jan  ?0?1|Wed Dec 31) (?P<time2>\d\d:\d\d):00 (?P<year>1970|1969)"
    rb"(?: (?P<zone2>[+-]\d{4}))?"
)
# How many minutes the zones of the world are ahead of UTC.
_ZONES = range(-12 * 60, 14 * 60 + 1, 15)
# A file that is to be added has no revision yet; the word "revision" is in the user's language.
# Between two addresses, what follows the name is how each of them ends.
_NO_REVISION = rb"(?:\(\.\.\.[^\t]*\)\s+)?\((?:nonexistent|[^()\t]* 0)\)"


def undressed(text: bytes) -> tuple[bytes, bytes]:
    """The name and the stamp of a line that is the only one to say the name."""
    match = None if b"\t" in text else re.fullmatch(_STAMPED, text)
    return (match[1], match[2]) if match is not None else split_date(text)


def says_absent(stamp: bytes) -> bool:
    """Whether the stamp says that there is no such file: the epoch (`diff -N`), or no revision."""
    stamp = stamp.strip()
    return _is_epoch(stamp) or re.fullmatch(_NO_REVISION, stamp) is not None


def _is_epoch(date: bytes) -> bool:
    match = re.fullmatch(_EPOCH, date)
    if match is None:
        return False
    hours, minutes = map(int, (match["time"] or match["time2"]).split(b":"))
    day_before = b"1969" in (match["day"] or match["year"])
    ahead = hours * 60 + minutes - (24 * 60 if day_before else 0)
    zone = match["zone"] or match["zone2"]
    if zone is None:
        # BSD's diff, and so that of macOS, prints local time, in whatever zone that was.
        return ahead in _ZONES
    return ahead == int(zone[:1] + b"1") * (int(zone[1:3]) * 60 + int(zone[-2:]))
