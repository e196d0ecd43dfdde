"""Which patches `apply` puts on: by the lock if there is a manifest, else by their names alone.

The manifest itself is read only where fixes are named, or the lock was not written for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from patchtool.commands.options import chosen
from patchtool.errors import UsageError
from patchtool.installed import Series, bare_series, locked_series
from patchtool.project.load import DIRECTORY, MANIFEST, bare, current_lock, is_there
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from patchtool.project import Lock, Project


def selected(root: Path, patches: Path | None, fixes: Sequence[str]) -> tuple[Series, ...]:
    """The patches of the project's packages: of those that `fixes` pin, or of all.

    `patches` is the directory with the patch files, if it is not the usual one. Raises `UsageError`
    if it has none, if the lock is stale, or if a fix is none.
    """
    directory = root / DIRECTORY if patches is None else patches
    if fixes:
        project, lock = _current(root, patches)
        pins = [pin for fix in chosen(project, fixes) for pin in fix.pins]
        pinned = {package for pin in pins for package in pin.packages}
        return tuple(each for each in locked_series(lock, directory) if each.package in pinned)
    current = current_lock(directory)
    if current is not None:
        return locked_series(current, directory)
    if not is_there(directory / MANIFEST):
        return bare_series(bare(directory))
    _, lock = _current(root, patches)
    return locked_series(lock, directory)


def _current(root: Path, patches: Path | None) -> tuple[Project, Lock]:
    """The project, with a lock that was written for it as it stands."""
    from patchtool.project.load import load
    from patchtool.project.stale import stale

    project = load(root, patches, believe_lock=True)
    for problem in stale(project):
        raise UsageError(problem)
    assert project.lock is not None  # noqa: S101 - no lock is stale
    return project, project.lock
