"""Compares a lock with the manifest and the patch files it was written for. Reads patch files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patchtool.errors import Problem
from patchtool.project import lock as locks
from patchtool.project.load import MANIFEST
from patchtool.project.lock_bytes import with_lf
from patchtool.project.model import LockedPackage, Project
from patchtool.project.patch_bytes import changed_since_lock, read_bytes
from patchtool.project.patch_name import PatchFile


def stale(project: Project) -> tuple[Problem, ...]:
    """What is no longer as the lock has it; every problem is of kind `stale`."""
    if project.lock is None:
        return (_problem("there is no lock", subject=locks.NAME),)
    pinned = {
        package: pin.patches_of(package)
        for fix in project.fixes
        for pin in fix.pins
        for package in pin.packages
    }
    locked = {each.package: each for each in project.lock.packages}
    problems: list[Problem] = []
    for package in sorted(pinned.keys() | locked.keys()):
        if package not in locked:
            problems.append(_problem("pinned, but not in the lock", subject=str(package)))
        elif package not in pinned:
            problems.append(_problem("in the lock, but no longer pinned", subject=str(package)))
        else:
            problems += _compare(locked[package], pinned[package])
    if not problems and project.lock.manifest != project.digest:
        return (
            _problem(
                "changed since the lock was written",
                subject=MANIFEST,
                expected=f"SHA-256 {project.lock.manifest}",
                found=project.digest,
            ),
        )
    return tuple(problems)


def altered(project: Project) -> tuple[Problem, ...]:
    """Whether the lock is what `patchtool lock` wrote; a problem of kind `stale`.

    To the byte, but for its line ends: git's autocrlf changes them, and JSON means the same.
    """
    path = project.directory / locks.NAME
    if project.lock is None or with_lf(path.read_bytes()) == locks.dump(project.lock):
        return ()
    return (_problem("changed by hand, or by a merge", subject=locks.NAME),)


def _compare(locked: LockedPackage, files: Sequence[PatchFile]) -> Iterator[Problem]:
    """What differs between the patches of one release and what is locked of them."""
    present = {file.name: file for file in files}
    recorded = {patch.name: patch for patch in locked.patches}
    for name in sorted(present.keys() | recorded.keys(), key=lambda name: name.order):
        if name not in recorded:
            yield _problem("a patch that is not in the lock", subject=str(name))
        elif name not in present:
            yield _problem("in the lock, but there is no such patch file", subject=str(name))
        else:
            data = read_bytes(present[name])
            if problem := changed_since_lock(data, present[name], recorded[name]):
                yield problem


def _problem(
    what: str, *, subject: str, expected: str | None = None, found: str | None = None
) -> Problem:
    return Problem(
        kind="stale",
        what=what,
        subject=subject,
        expected=expected,
        found=found,
        remedy="patchtool lock",
    )
