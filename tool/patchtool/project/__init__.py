"""What a user's repository says: patch files, patches.toml and patches.lock, as frozen values.

Every key, path and reference is checked here, once. `apply` reads patch names and the lock at
every install: what this module imports must stay light.
"""

from patchtool.project.model import (
    AcceptedMutant,
    Baseline,
    Change,
    Fix,
    Guard,
    Lock,
    LockedPackage,
    LockedPatch,
    Pin,
    Project,
)
from patchtool.project.patch_name import PatchFile, PatchName

__all__ = [
    "AcceptedMutant",
    "Baseline",
    "Change",
    "Fix",
    "Guard",
    "Lock",
    "LockedPackage",
    "LockedPatch",
    "PatchFile",
    "PatchName",
    "Pin",
    "Project",
]
