"""unidiff as the second reader of a patch: two independent readers must see the same lines.

Owns what is compared and what unidiff is known not to read. Decides nothing about a tree.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from patchtool.errors import Problem

if TYPE_CHECKING:
    from unidiff.patch import Hunk as OtherHunk
    from unidiff.patch import PatchedFile

    from patchtool.diff import Patch, Section


def disagreements(data: bytes, patch: Patch, *, subject: str) -> tuple[Problem, ...]:
    """Where unidiff reads other files, hunks or lines in `data` than `patch` has.

    Sections without text hunks (binary changes, modes, renames of whole files) are not compared:
    unidiff has no model of them.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    # Latin-1 keeps every byte, and a line ends at LF alone.
    text = io.StringIO(data.decode("latin-1"), newline="\n")
    try:
        others = [file for file in PatchSet(text) if len(file)]
    except UnidiffParseError as error:
        return (_problem(subject, "unidiff cannot read the patch", found=str(error)),)
    ours = [section for section in patch.sections if section.hunks]
    if len(ours) != len(others):
        return (
            _problem(
                subject,
                "unidiff sees another number of files with hunks",
                expected=str(len(ours)),
                found=str(len(others)),
            ),
        )
    return tuple(
        problem
        for section, other in zip(ours, others, strict=True)
        for problem in _compare(section, other, subject)
    )


def _compare(section: Section, other: PatchedFile, subject: str) -> Iterator[Problem]:
    path = section.new_path
    if len(section.hunks) != len(other):
        yield _problem(
            subject,
            "unidiff sees another number of hunks",
            path=path,
            expected=str(len(section.hunks)),
            found=str(len(other)),
        )
        return
    for hunk, other_hunk in zip(section.hunks, other, strict=True):
        for ours, theirs, side in (
            (hunk.old, _side(other_hunk, "-"), "old"),
            (hunk.new, _side(other_hunk, "+"), "new"),
        ):
            if ours != theirs:
                yield _problem(
                    subject,
                    f"unidiff reads another {side} side of a hunk",
                    path=path,
                    line=hunk.line,
                    expected=f"{len(ours)} bytes",
                    found=f"{len(theirs)} bytes",
                )


def _side(hunk: OtherHunk, sign: str) -> bytes:
    """One side of unidiff's hunk as bytes; a marker takes the LF off the line before it."""
    side: list[str] = []
    mine = False
    for line in hunk:
        if line.line_type == "\\":
            if mine:
                side[-1] = side[-1].removesuffix("\n")
            continue
        mine = line.line_type in (sign, " ", "\n")
        if mine:
            side.append(line.value)
    return "".join(side).encode("latin-1")


def _problem(
    subject: str,
    what: str,
    *,
    path: str | None = None,
    line: int | None = None,
    expected: str | None = None,
    found: str | None = None,
) -> Problem:
    return Problem(
        kind="second-reader",
        what=what,
        subject=subject,
        path=path,
        line=line,
        expected=expected,
        found=found,
    )
