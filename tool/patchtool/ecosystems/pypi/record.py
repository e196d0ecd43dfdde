"""Keeps a RECORD true: the list of an installed package's files, with their hashes and sizes.

Pure, on bytes. The format is that of the packaging specifications ("Recording installed
projects"): one line of CSV for each file.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io

from patchtool.files import File, Files


def update(record: bytes, changes: Files) -> bytes:
    """`record` after `changes`, whose paths start where those in it do; None deletes.

    Lines of other files stay as they are, byte for byte. A file that is new gets its line before
    the first that sorts behind it, so that a deletion and its reverse give the same bytes again.
    """
    lines = [(_path(line), line) for line in record.splitlines(keepends=True)]
    end = b"\r\n" if record.partition(b"\n")[0].endswith(b"\r") else b"\n"
    if lines and not lines[-1][1].endswith(b"\n"):
        lines[-1] = (lines[-1][0], lines[-1][1] + end)
    listed = {path for path, _ in lines}
    kept = [
        (path, _line(path, changes[path], end) if path in changes else line) for path, line in lines
    ]
    for path in sorted(changes.keys() - listed):
        place = next((at for at, (other, _) in enumerate(kept) if other > path), len(kept))
        kept.insert(place, (path, _line(path, changes[path], end)))
    return b"".join(line for _, line in kept)


def _path(line: bytes) -> str:
    """The path in a line, with `/` between its parts on every system; "" if there is none."""
    try:
        fields = next(csv.reader([line.decode("utf-8", "surrogateescape")]), [])
    except csv.Error:
        return ""
    return fields[0].replace("\\", "/") if fields else ""


def _line(path: str, file: File | None, end: bytes) -> bytes:
    if file is None:
        return b""
    digest = base64.urlsafe_b64encode(hashlib.sha256(file.data).digest()).rstrip(b"=").decode()
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow((path, f"sha256={digest}", len(file.data)))
    return text.getvalue().encode("utf-8", "surrogateescape") + end
