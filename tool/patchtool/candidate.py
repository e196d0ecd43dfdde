"""Which releases a verdict is about: the candidate of the lead, and consumers that go with it.

Says which it took and why. Reads releases from the registry, installs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from patchtool import ecosystems, lockfiles
from patchtool.ecosystems import Release
from patchtool.errors import CannotTell, Problem
from patchtool.package import Package
from patchtool.project import Pin
from patchtool.store import Store
from patchtool.versions import is_exactly, newest, satisfies

LATEST = "latest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The packages of a pin at the releases in question, the lead first, and why these.

    `beside_pin` says that the project has both the candidate and the pin itself.
    """

    packages: tuple[Package, ...]
    reason: str
    beside_pin: bool = False

    @property
    def lead(self) -> Package:
        """The release the verdict is about."""
        return self.packages[0]


def choose(pin: Pin, *, root: Path, to: str | None, store: Store) -> Candidate:
    """The candidate of a pin: `to`, or what is installed under the root, or the newest release.

    Where that is what the project has, its consumers are those that the project has, too. Raises
    `CannotTell` when there is no such release, or no consumer release that depends on exactly it.
    """
    versions, where = _of_the_project(pin.lead, root, to, store)
    version, reason = _version(pin, versions, where, to=to, store=store)
    releases = ecosystems.of(pin.lead).releases(pin.lead.name, store)
    if version not in {release.version for release in releases}:
        raise CannotTell(
            Problem(
                kind="no-release",
                what="there is no such release",
                subject=pin.lead.name,
                expected=f"a published version, such as {_newest(pin.lead, releases)}",
                found=version,
                remedy=f"patchtool should-delete --to {LATEST}",
            )
        )
    lead = pin.lead.at(version)
    has_lead = version in versions
    consumers = tuple(
        (_own_consumer(package, lead, root, store) if has_lead else None)
        or _consumer(package, lead, store)
        for package in pin.consumers
    )
    return Candidate(
        packages=(lead, *consumers),
        reason=reason,
        beside_pin=has_lead and version != pin.lead.version and pin.lead.version in versions,
    )


def _version(
    pin: Pin, versions: set[str], where: str, *, to: str | None, store: Store
) -> tuple[str, str]:
    """The version in question, and why it is that one; a copy left alone is not in question."""
    lead = pin.lead
    if to is not None and to != LATEST:
        return to, f"--to {to}"
    if to is None:
        others = sorted(versions - {lead.version, *pin.leave_alone})
        if len(others) > 1:
            raise CannotTell(
                Problem(
                    kind="several-versions",
                    what=f"several other versions are {where}, so it is not clear which is meant",
                    subject=lead.name,
                    found=", ".join(others),
                    remedy=f"patchtool should-delete --to {newest(lead.ecosystem, others)}",
                )
            )
        if others:
            return others[0], f"{others[0]} is {where}"
    releases = ecosystems.of(lead).releases(lead.name, store)
    return _newest(lead, releases), "it is the newest release"


def _of_the_project(
    lead: Package, root: Path, to: str | None, store: Store
) -> tuple[set[str], str]:
    """As `_in_use`; what cannot be told there matters only if no release was asked for."""
    try:
        return _in_use(lead, root, store)
    except CannotTell:
        if to is None:
            raise
        return set(), ""


def _in_use(lead: Package, root: Path, store: Store) -> tuple[set[str], str]:
    """The versions that are installed, or where nothing is, those that lockfiles will give."""
    copies = ecosystems.of(lead).installed(root, [lead.name], store.environment)[lead.name]
    if copies:
        return {copy.version for copy in copies if not copy.linked}, "installed here"
    found = lockfiles.resolved(root, lead.ecosystem, lead.name)
    kept = [item for item in found if item.source is lockfiles.Source.REGISTRY]
    names = ", ".join(sorted({item.lockfile for item in kept}))
    return {item.version for item in kept}, f"what {names} will install here"


def _own_consumer(package: Package, lead: Package, root: Path, store: Store) -> Package | None:
    """The one release of a consumer that the project has and that takes the lead; None without any.

    A newer one could pass where this one does not. `CannotTell` unless exactly one of those that
    the project has takes the lead.
    """
    versions, where = _in_use(package, root, store)
    if not versions:
        return None
    fitting = [
        release.version
        for release in ecosystems.of(package).releases(package.name, store)
        if release.version in versions and _takes(release, lead)
    ]
    if len(fitting) == 1:
        return package.at(fitting[0])
    raise CannotTell(
        Problem(
            kind="no-consumer",
            what=f"what is {where} is not one release that depends on {lead}",
            subject=package.name,
            expected=f"one release with {lead.name} {lead.version} among its dependencies",
            found=", ".join(sorted(fitting or versions)),
            remedy=ecosystems.of(lead).install_command(
                _consumer(package, lead, store), root, store.environment
            ),
        )
    )


def _takes(release: Release, lead: Package) -> bool:
    wanted = release.dependencies.get(lead.name)
    return wanted is not None and (
        is_exactly(lead.ecosystem, wanted, lead.version)
        or satisfies(lead.ecosystem, lead.version, wanted)
    )


def _consumer(package: Package, lead: Package, store: Store) -> Package:
    """The newest release of a consumer whose own dependency on the lead is exactly it."""
    releases = ecosystems.of(package).releases(package.name, store)
    # Those that upstream stands by come first, finished ones before prereleases, and each newest
    # first: what a release depends on may have to be fetched, so no more are asked than need be.
    newest_first = releases[::-1]
    for release in sorted(newest_first, key=lambda each: (bool(each.deprecated), each.prerelease)):
        wanted = release.dependencies.get(lead.name)
        if wanted is not None and is_exactly(lead.ecosystem, wanted, lead.version):
            return package.at(release.version)
    raise CannotTell(
        Problem(
            kind="no-consumer",
            what=f"no release depends on exactly {lead}",
            subject=package.name,
            expected=f"a release with {lead.name} {lead.version} among its dependencies",
            found=f"none of {len(releases)} releases",
            remedy=f"patchtool should-delete --to {LATEST}",
        )
    )


def _newest(package: Package, releases: Sequence[Release]) -> str:
    """The newest version of these releases; `CannotTell` if not one can be read.

    One that upstream has withdrawn (deprecated, yanked) is none to move to while others are left.
    """
    kept = [release for release in releases if not release.deprecated]
    version = newest(package.ecosystem, [release.version for release in kept or releases])
    if version is None:
        raise CannotTell(Problem(kind="no-release", what="has no release", subject=package.name))
    return version
