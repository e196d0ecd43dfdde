"""Makes patches for tests: each file is replaced as a whole, with exact blob ids."""

from __future__ import annotations

from collections.abc import Mapping

from patchtool import diff
from patchtool.files import File, Mode, blob_id

# What a patch does to one path: the file before and after; None is no file.
Edit = tuple[File | None, File | None]


def file(text: str | bytes, mode: Mode = Mode.REGULAR) -> File:
    """A file from text."""
    return File(data=text.encode() if isinstance(text, str) else text, mode=mode)


def patch_text(edits: Mapping[str, Edit], prefix: str = "") -> bytes:
    """A patch that does these edits, with `prefix` in front of each path."""
    return b"".join(_section(prefix + path, *edit) for path, edit in edits.items())


def patch(edits: Mapping[str, Edit]) -> diff.Patch:
    """The same, read."""
    return diff.parse(patch_text(edits))


def rename_text(old: str, new: str) -> bytes:
    """A patch that renames a file and changes nothing in it."""
    return (
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
    ).encode()


def _section(path: str, old: File | None, new: File | None) -> bytes:
    lines = [f"diff --git a/{path} b/{path}"]
    if old is None and new is not None:
        lines.append(f"new file mode {new.mode.value}")
    if new is None and old is not None:
        lines.append(f"deleted file mode {old.mode.value}")
    if old is not None and new is not None and old.mode is not new.mode:
        lines += [f"old mode {old.mode.value}", f"new mode {new.mode.value}"]
    before, after = (each.data if each else b"" for each in (old, new))
    if before == after:
        return _joined(lines)
    lines.append(f"index {_id(old)}..{_id(new)}")
    lines.append(f"--- a/{path}" if old is not None else "--- /dev/null")
    lines.append(f"+++ b/{path}" if new is not None else "+++ /dev/null")
    lines.append(f"@@ -{_range(before)} +{_range(after)} @@")
    return _joined(lines) + _marked(b"-", before) + _marked(b"+", after)


def _joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _id(each: File | None) -> str:
    return blob_id(each.data) if each else "0" * 40


def _range(data: bytes) -> str:
    count = data.count(b"\n")
    return f"{1 if count else 0},{count}"


def _marked(sign: bytes, data: bytes) -> bytes:
    assert data[-1:] in (b"", b"\n"), "these patches are of whole lines"
    return b"".join(sign + line + b"\n" for line in data.split(b"\n")[:-1])
