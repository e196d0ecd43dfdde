"""The bytes of patch files: read, and held against what the lock has of them.

It must not know what a patch says.
"""

from __future__ import annotations

from hashlib import sha256

from patchtool.errors import Problem, UsageError
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from patchtool.project.model import LockedPatch
    from patchtool.project.patch_name import PatchFile


def read_bytes(file: PatchFile) -> bytes:
    """The file's bytes; `UsageError` if it cannot be read."""
    try:
        return file.path.read_bytes()
    except OSError as error:
        raise UsageError(
            Problem(
                kind="unreadable",
                what=f"cannot read the patch file: {error.strerror}",
                path=str(file.path),
            )
        ) from error


def changed_since_lock(data: bytes, file: PatchFile, locked: LockedPatch) -> Problem | None:
    """The problem of a patch file that is not the one in the lock, or None."""
    found = sha256(data).hexdigest()
    if found == locked.sha256:
        return None
    return Problem(
        kind="stale",
        what="changed since the lock was written",
        subject=str(file.name),
        expected=f"SHA-256 {locked.sha256}",
        found=found,
        remedy="patchtool lock",
    )
