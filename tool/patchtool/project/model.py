"""What a project's files say, as values: its fixes, their pins and guards. Reads nothing."""

from __future__ import annotations

from itertools import chain

from patchtool.errors import Problem, UsageError
from patchtool.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from patchtool.files import Identity
    from patchtool.package import Package
    from patchtool.project.patch_name import PatchFile, PatchName


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The tests that say whether a fix is needed.

    `path` is what they are in, under the root; `command` runs them, None for pytest on `path`;
    `timeout` is in seconds, for one run; `parallel` says that runs may go on at once.
    """

    path: Path
    command: tuple[str, ...] | None
    timeout: float
    parallel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One set of exact releases a fix is kept against, and the patches of them, in order.

    Installed copies of the versions in `leave_alone` may stay as they are if no patch fits.
    """

    packages: tuple[Package, ...]
    patches: tuple[PatchFile, ...]
    leave_alone: tuple[str, ...] = ()

    @property
    def lead(self) -> Package:
        """The release that leads."""
        return self.packages[0]

    @property
    def consumers(self) -> tuple[Package, ...]:
        """The releases that use the lead: the guard drives them, and they may be patched too."""
        return self.packages[1:]

    def patches_of(self, package: Package) -> tuple[PatchFile, ...]:
        """The patches of one of the releases."""
        return tuple(file for file in self.patches if file.package == package)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedMutant:
    """A change to what a patch adds that no guard can notice, and why that is so."""

    patch: PatchName
    original: str
    mutant: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One reason to patch.

    `bug` holds addresses; `forwarded` is in DEP-3's words: `no`, `not-needed`, or an address.
    """

    name: str
    summary: str
    bug: tuple[str, ...]
    forwarded: str
    delete_when: str
    guard: Guard | None
    pins: tuple[Pin, ...]
    accepted_mutants: tuple[AcceptedMutant, ...]

    @property
    def patches(self) -> tuple[PatchFile, ...]:
        """The patches of all pins."""
        return tuple(chain.from_iterable(pin.patches for pin in self.pins))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file of a package before and after a patch; None where there is no such file."""

    before: Identity | None
    after: Identity | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPatch:
    """A patch: its name, the SHA-256 of its file in hex, what it does to each path it touches."""

    name: PatchName
    sha256: str
    files: Mapping[str, Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPackage:
    """A pinned release: the registry's integrity of it, its patches in order.

    Copies of the versions in `leave_alone` may stay as they are if no patch fits.
    """

    package: Package
    integrity: str
    patches: tuple[LockedPatch, ...]
    leave_alone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The cases a guard has on a pin, by name and kind."""

    needed: tuple[str, ...]
    control: tuple[str, ...]
    boundary: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The whole lock.

    `manifest` is the SHA-256 of patches.toml, in hex; `guards` has the baselines by the name of
    the fix and the lead of the pin.
    """

    manifest: str
    packages: tuple[LockedPackage, ...]
    guards: Mapping[tuple[str, Package], Baseline]

    def package(self, package: Package) -> LockedPackage | None:
        """What is recorded for a release."""
        return next((each for each in self.packages if each.package == package), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """All that is known about the patches of one root.

    `directory` has the patch files; `digest` is the checksum of patches.toml; `lock` is
    None before the first `patchtool lock`.
    """

    root: Path
    directory: Path
    digest: str
    fixes: tuple[Fix, ...]
    lock: Lock | None

    def fix(self, name: str) -> Fix:
        """The fix of this name; `UsageError` tells which there are."""
        for fix in self.fixes:
            if fix.name == name:
                return fix
        raise UsageError(
            Problem(
                kind="fix",
                what="no such fix",
                subject=name,
                expected=" or ".join(fix.name for fix in self.fixes),
                remedy="patchtool status",
            )
        )
