"""The bytes of patch files: read, and held against what the lock has of them.

It must not know what a patch says.
"""

from __future__ import annotations

from hashlib import sha256

from patchtool.errors import Problem, UsageError
from patchtool.project.lock_bytes import with_lf
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
    if sha256(with_lf(data)).hexdigest() == locked.sha256:
        return _with_other_line_ends(file)
    return Problem(
        kind="stale",
        what="changed since the lock was written",
        subject=str(file.name),
        expected=f"SHA-256 {locked.sha256}",
        found=found,
        remedy="patchtool lock",
    )


def _with_other_line_ends(file: PatchFile) -> Problem:
    """The problem of a patch file with CRLF for the LF that it was locked with."""
    import shlex

    attributes, path = (
        shlex.quote(str(each)) for each in (file.path.with_name(".gitattributes"), file.path)
    )
    return Problem(
        kind="stale",
        what="has got CRLF line ends since the lock was written, as git's autocrlf makes them",
        subject=str(file.name),
        expected="LF, and an attribute that makes git keep them",
        remedy=f"echo '*.patch -text' >> {attributes} && perl -pi -e 's/\\r$//' -- {path}",
    )
