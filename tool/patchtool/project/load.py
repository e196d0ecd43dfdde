"""Loads a project: finds its patch files, reads its manifest and its lock, compares the two.

Owns which files there are. What stands in them is read by `manifest` and `lock`.
"""

from __future__ import annotations

import os

from patchtool import plain_file
from patchtool.errors import Problem, UsageError
from patchtool.project import lock as locks
from patchtool.project.lock_bytes import manifest_checksum
from patchtool.project.model import Lock, Project
from patchtool.project.patch_name import PatchFile, PatchName, in_order, parse
from patchtool.project.reader import Source
from patchtool.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from pathlib import Path

# Where patches are when nobody says otherwise, and the manifest's name there.
DIRECTORY = "patches"
MANIFEST = "patches.toml"


def load(
    root: Path,
    patches: Path | None = None,
    *,
    ignore_lock: bool = False,
    believe_lock: bool = False,
) -> Project:
    """The project in `root`, with the patch files in `patches` or else in root's `patches`.

    `ignore_lock` is for who writes the lock anew and takes even a broken one for none;
    `believe_lock` for who goes by it, and has no use for one that was changed by hand.
    `UsageError` if there is no manifest, or anything is wrong in it, in the lock or in a name.
    """
    directory = root / DIRECTORY if patches is None else patches
    names = patch_names(directory)
    if not is_there(directory / MANIFEST):
        raise _no_manifest(directory, names)
    from patchtool.project import manifest as manifests  # `apply` goes by the lock

    manifest = manifests.read(directory, root=root, patches=names)
    lock = directory / locks.NAME
    return Project(
        root=root,
        directory=directory,
        digest=manifest.digest,
        fixes=manifest.fixes,
        lock=None if ignore_lock or not is_there(lock) else locks.read(lock, believed=believe_lock),
    )


def bare(directory: Path) -> tuple[PatchFile, ...]:
    """The patch files of a directory without a manifest, in order: what patch-package works with.

    There must be at least one: a directory that was named and patches nothing is a mistake.
    """
    names = patch_names(directory)
    if not names:
        raise _nothing_at(directory, "no patch files in the directory of patches")
    return tuple(
        PatchFile(name=name, path=directory / str(name), package=name.npm_release) for name in names
    )


def current_lock(directory: Path) -> Lock | None:
    """The lock, if it was written for the manifest and the patch files that are there; or None.

    Reads no TOML. A patch file's content is not compared: see `stale`. `UsageError` for a lock that
    cannot be read, or was changed by hand.
    """
    manifest, path = directory / MANIFEST, directory / locks.NAME
    if not (is_there(manifest) and is_there(path)):
        return None
    lock = locks.read(path, believed=True)
    locked = {patch.name for package in lock.packages for patch in package.patches}
    if lock.manifest != _digest(manifest) or locked != set(patch_names(directory)):
        return None
    return lock


def patch_names(directory: Path) -> tuple[PatchName, ...]:
    """The names of the patch files in a directory, in order; `UsageError` if it is not there."""
    try:
        paths = sorted(directory.iterdir())
    except OSError as error:
        raise _nothing_at(directory, "no directory of patches", found=error.strerror) from error
    for path in paths:
        if path.is_dir() and any(path.glob("*.patch")):
            import shlex

            raise UsageError(
                Problem(
                    kind="patch-name",
                    what="patch files in a subdirectory, where nothing reads them",
                    subject=str(path),
                    expected=f"patch files in {directory} itself",
                    remedy=f"mv {shlex.quote(str(path))}/*.patch {shlex.quote(str(directory))}",
                )
            )
    return in_order(_name(path) for path in paths if path.name.endswith(".patch"))


def _name(path: Path) -> PatchName:
    """What the name of a patch file says; `UsageError` has the command that shows what it is."""
    try:
        if path.is_file():
            return parse(path.name)
        problem = Problem(kind="patch-name", what="not a file", subject=str(path))
        command = "ls -ld"
    except UsageError as error:
        problem, command = error.problem, "grep '^+++ '"
    import shlex

    raise UsageError(replace(problem, remedy=f"{command} {shlex.quote(str(path))}"))


def is_there(path: Path) -> bool:
    """Whether anything is at the path, be it a link to nowhere: then it is meant to be there."""
    return os.path.lexists(path)


def _digest(path: Path) -> str:
    try:
        return manifest_checksum(plain_file.read(path))
    except OSError as error:
        source = Source(path=path, kind="manifest")
        raise source.error("cannot be read", found=error.strerror) from error


def _nothing_at(directory: Path, what: str, found: str | None = None) -> UsageError:
    return UsageError(
        Problem(
            kind="missing",
            what=what,
            path=str(directory),
            expected="a directory with patch files, such as name+1.2.3.patch",
            found=found,
            remedy=_above(directory) or "find . -name '*.patch' -not -path '*/node_modules/*'",
        )
    )


def _above(directory: Path) -> str | None:
    """The command for who stands in a subdirectory: about the nearest project above, if any."""
    if directory.name != DIRECTORY:
        return None
    for above in directory.absolute().parent.parents:
        kept = above / DIRECTORY
        if is_there(kept / MANIFEST) or any(kept.glob("*.patch")):
            import shlex

            return f"patchtool status --root {shlex.quote(os.path.relpath(above))}"
    return None


def _no_manifest(directory: Path, names: tuple[PatchName, ...]) -> UsageError:
    """The error of a directory without a manifest; its remedy writes the first one."""
    if not names:
        return _nothing_at(directory, "neither a manifest nor a patch file in this directory")
    from patchtool.project.starter import start_command

    path = directory / MANIFEST
    return UsageError(
        Problem(
            kind="missing",
            what="no manifest: it says which fix a patch belongs to, and when the fix can go",
            path=str(path),
            expected="a file that names the fix and the releases it is kept against",
            remedy=start_command(names, path),
        )
    )
