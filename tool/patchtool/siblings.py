"""Other builds of patched code in the same package, which the patch leaves as they were. Pure.

A package often ships one source as several files (ESM, CommonJS, minified, another entry). A file
that holds a piece of code which the patch replaces elsewhere probably wants the patch too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from patchtool.errors import Problem

if TYPE_CHECKING:
    from patchtool.diff import Patch
    from patchtool.files import File

# Fewer bytes than this stand in two files by chance: a closing brace, a lone `return;`.
SHORTEST = 60


def unpatched_siblings(
    patch: Patch, files: Mapping[str, File], *, subject: str
) -> tuple[Problem, ...]:
    """A warning for each untouched file that holds the old side of one of the patch's hunks."""
    touched = set(patch.paths)
    pieces = [
        (section.old_path, hunk.old)
        for section in patch.sections
        for hunk in section.hunks
        if len(hunk.old) >= SHORTEST
    ]
    return tuple(_warnings(pieces, touched, files, subject))


def _warnings(
    pieces: list[tuple[str, bytes]], touched: set[str], files: Mapping[str, File], subject: str
) -> Iterator[Problem]:
    for path, file in files.items():
        origin = next((origin for origin, piece in pieces if piece in file.data), None)
        if path not in touched and origin is not None:
            yield Problem(
                kind="sibling",
                what=f"holds the same code as {origin}, and stays unpatched",
                subject=subject,
                path=path,
            )
