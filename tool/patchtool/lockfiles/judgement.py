"""Compares what a lockfile says about a pinned package with what we pin. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from patchtool.errors import Problem
from patchtool.lockfiles.formats import FORMATS
from patchtool.lockfiles.resolution import Resolved, Source

if TYPE_CHECKING:
    from patchtool.package import Package


def judge(resolutions: Iterable[Resolved], pinned: Package, integrity: str) -> tuple[Problem, ...]:
    """The findings on the copies of `pinned.name` in the user's lockfiles.

    `integrity` is that of the release in patches.lock. Name and version do not fix the bytes: a
    copy of the pinned version, or of a version that the lockfile does not record, must come from
    the registry, and with our integrity where the lockfile has one. An archive from elsewhere
    that has our integrity has our bytes. Another release from the registry is no finding; nor is
    a bundled copy, whose bytes are fixed with those of the package around it.
    """
    found = (_problem(copy, pinned, integrity) for copy in resolutions)
    return tuple(problem for problem in found if problem)


def _problem(copy: Resolved, pinned: Package, integrity: str) -> Problem | None:
    if copy.source is Source.ALIAS:
        return _elsewhere(copy, pinned)
    if copy.source is Source.BUNDLED or copy.version not in ("", pinned.version):
        return None
    if copy.source is not Source.PATCH and integrity in copy.integrity:
        return None
    if copy.source is not Source.REGISTRY:
        return _elsewhere(copy, pinned)
    algorithm = integrity.partition("-")[0]
    comparable = [text for text in copy.integrity if text.partition("-")[0] == algorithm]
    if not comparable:  # an old lockfile, with SHA-1 or nothing
        return None
    return Problem(
        kind="lockfile-integrity",
        what=f"another integrity than patches.lock has ({copy.place})",
        subject=str(pinned),
        path=copy.lockfile,
        expected=integrity,
        found=" or ".join(comparable),
        remedy=f"git log -p -S {comparable[0]} -- {shlex.quote(copy.lockfile)}",
    )


def _elsewhere(copy: Resolved, pinned: Package) -> Problem:
    take = FORMATS[pinned.ecosystem].get(copy.lockfile.rpartition("/")[2])
    return Problem(
        kind="lockfile-source",
        what=f"the lockfile takes the package from elsewhere ({copy.place})",
        subject=str(pinned),
        path=copy.lockfile,
        expected=Source.REGISTRY.value,
        found=copy.source.value,
        remedy=take.take.format(name=pinned.name, version=pinned.version)
        if take and take.take
        else None,
    )
