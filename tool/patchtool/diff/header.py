"""What stands above the hunks of a `diff --git` section: its change, modes, blob ids. Pure."""

from __future__ import annotations

import re

from patchtool.diff import paths
from patchtool.diff.model import Change
from patchtool.errors import PatchError, Problem
from patchtool.files import Mode
from patchtool.values import dataclass, field

# The lines between `diff --git` and the content, by how they start (git-diff, "Generating patch
# text with -p"). Those with None say nothing that is not said elsewhere.
EXTENDED: dict[bytes, str | None] = {
    b"old mode ": "old mode",
    b"new mode ": "new mode",
    b"deleted file mode ": "deleted file mode",
    b"new file mode ": "new file mode",
    b"copy from ": "copy from",
    b"copy to ": "copy to",
    b"rename from ": "rename from",
    b"rename to ": "rename to",
    b"rename old ": "rename from",
    b"rename new ": "rename to",
    b"similarity index ": None,
    b"dissimilarity index ": None,
    b"index ": "index",
}
# What stands for an id may be no number at all: whoever writes a patch by hand makes one up.
_INDEX = rb"([!-\-/-~]{1,64})\.\.([!-\-/-~]{1,64})(?: ([0-7]+))?[ \t]*"
# How the blob id of an empty file begins.
_EMPTY = b"e69de29"
# Subversion leaves a zero out.
_MODE = rb"(?:([0-7]{6})|10(644|755))[ \t]*"


@dataclass(slots=True, kw_only=True)
class Header:
    """The header lines of one section: the `diff --git` line's names, the `---`/`+++` texts."""

    line: int
    strip: int
    names: bytes = b""
    extended: dict[str, bytes] = field(default_factory=dict)
    sides: tuple[bytes, bytes] | None = None

    @property
    def is_of_empty_file(self) -> bool:
        """Whether an empty file comes or goes, by the blob id on the index line."""
        is_whole = "new file mode" in self.extended or "deleted file mode" in self.extended
        return is_whole and _EMPTY in self.extended.get("index", b"")

    def refuse(self, kind: str, what: str, path: str | None = None) -> PatchError:
        """An error about this section."""
        return PatchError(Problem(kind=kind, what=what, path=path, line=self.line))

    def stripped(self, name: bytes) -> str:
        """The path that a name with its prefix means."""
        return paths.strip_components(name, self.strip, self.line)


def change_of(header: Header) -> Change:
    """What the section says that it does."""
    kinds = [
        (Change.CREATE, "new file mode" in header.extended),
        (Change.DELETE, "deleted file mode" in header.extended),
        (Change.RENAME, "rename from" in header.extended),
        (Change.COPY, "copy from" in header.extended),
    ]
    said = [change for change, is_said in kinds if is_said]
    if len(said) > 1:
        raise header.refuse("parse", f"says both {said[0].value} and {said[1].value}")
    for kind in ("rename", "copy"):
        if (f"{kind} from" in header.extended) != (f"{kind} to" in header.extended):
            raise header.refuse("parse", f"only one of '{kind} from' and '{kind} to'")
    if said:
        return said[0]
    # Written by hand or by other tools than git: /dev/null says it as well. Where git's index line
    # is, its mode line has been lost, and with it what the file is to be.
    minus, plus = (paths.split_date(side)[0] for side in header.sides or (b"", b""))
    if paths.DEV_NULL not in (minus, plus):
        return Change.EDIT
    if "index" in header.extended:
        raise header.refuse("parse", "no 'new file mode' or 'deleted file mode' line: lost?")
    return Change.CREATE if minus == paths.DEV_NULL else Change.DELETE


def modes_of(header: Header) -> tuple[Mode | None, Mode | None]:
    """The modes that the section's own lines say, before and after."""
    modes = {
        name: _mode(header, header.extended[name])
        for name in ("old mode", "new mode", "deleted file mode", "new file mode")
        if name in header.extended
    }
    if ("old mode" in modes) != ("new mode" in modes):
        raise header.refuse("parse", "only one of 'old mode' and 'new mode'")
    old = modes.get("old mode", modes.get("deleted file mode"))
    new = modes.get("new mode", modes.get("new file mode"))
    if None not in (old, new) and Mode.SYMLINK in (old, new) and old is not new:
        raise header.refuse("parse", "a mode change from or to a symlink")
    return old, new


def _mode(header: Header, text: bytes) -> Mode:
    """The mode git keeps for what the octal number says: of the permissions, the owner's x."""
    match = re.fullmatch(_MODE, text)
    number = 0 if match is None else int(match[1] or b"100" + match[2], 8)
    if number == 0o120000:
        return Mode.SYMLINK
    if number & ~0o777 == 0o100000:
        return Mode.EXECUTABLE if number & 0o100 else Mode.REGULAR
    what = "a submodule" if number == 0o160000 else f"mode {text.decode('latin-1')}"
    raise header.refuse("parse", f"{what} is nothing that a package's patch can hold")


def index_of(header: Header) -> tuple[str | None, str | None, Mode | None]:
    """The blob ids of the index line, None for "no file", and its mode."""
    if "index" not in header.extended:
        return None, None, None
    match = re.fullmatch(_INDEX, header.extended["index"])
    if match is None:
        raise header.refuse("parse", "an index line that is not two blob ids and a mode")
    blobs = [match[side].lower().decode("ascii") for side in (1, 2)]
    old, new = (blob if blob.strip("0") else None for blob in blobs)
    return old, new, _mode(header, match[3]) if match[3] else None
