"""What stands under a root: every copy of every patched package, and its state against its patches.

Reads installed files and writes nothing. Whether a patch fits is decided by content, not by the
version number; `apply` runs this at every install, so it imports nothing slow.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from patchtool import ecosystems, series
from patchtool.errors import PatchError, Problem
from patchtool.patch_file import parse_patch
from patchtool.project import PatchFile
from patchtool.project.patch_bytes import changed_since_lock, read_bytes
from patchtool.series import Plan, State, Step
from patchtool.tree import reader
from patchtool.values import TYPE_CHECKING, dataclass, replace

if TYPE_CHECKING:
    from patchtool.ecosystems import Copy, Ecosystem
    from patchtool.files import Read
    from patchtool.package import Package
    from patchtool.project import Lock, LockedPackage


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The patches of one pinned package in order, and what the lock knows of them, if there is one.

    `within` are the names of the packages around it, for patches of a nested copy alone.
    """

    package: Package
    within: tuple[str, ...]
    files: tuple[PatchFile, ...]
    locked: LockedPackage | None

    @property
    def names(self) -> str:
        """The names of the patch files, for messages."""
        return ", ".join(str(file.name) for file in self.files)

    def plan(self, read: Read, *, backward: bool) -> Plan:
        """The state of a tree, and what takes it to the wanted end.

        `PatchError` if a patch that has to be run cannot be read.
        """
        if self.locked is None:
            patches = [(str(file.name), parse_patch(read_bytes(file), file)) for file in self.files]
            return series.plan_by_content(patches, read, backward=backward)
        locked = {patch.name: patch for patch in self.locked.patches}
        steps = []
        for file in self.files:
            data = read_bytes(file)
            if problem := changed_since_lock(data, file, locked[file.name]):
                return Plan(state=State.FOREIGN, problems=(problem,))
            files = {
                path: (change.before, change.after)
                for path, change in locked[file.name].files.items()
            }
            steps.append(
                Step(name=str(file.name), files=files, patch=partial(parse_patch, data, file))
            )
        return series.plan(steps, read, backward=backward)


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """One copy of a patched package and its plan, or why there is no copy.

    `series` is the one whose known contents the copy has; of a foreign copy, the nearest.
    `left_alone` says why a foreign copy may stay as it is.
    """

    series: Series
    copy: Copy | None
    plan: Plan
    absent: str | None = None
    left_alone: str | None = None


def locked_series(lock: Lock, directory: Path) -> tuple[Series, ...]:
    """All series of a lock, with the patch files in `directory`."""
    return tuple(
        found
        for locked in lock.packages
        for found in _by_copy(
            (
                PatchFile(name=each.name, path=directory / str(each.name), package=locked.package)
                for each in locked.patches
            ),
            locked,
        )
    )


def bare_series(files: Iterable[PatchFile]) -> tuple[Series, ...]:
    """All series of a directory that has patch files and no lock."""
    by_package: dict[Package, list[PatchFile]] = {}
    for file in files:
        by_package.setdefault(file.package, []).append(file)
    return tuple(found for group in by_package.values() for found in _by_copy(group, None))


def _by_copy(files: Iterable[PatchFile], locked: LockedPackage | None) -> Iterator[Series]:
    groups: dict[tuple[str, ...], list[PatchFile]] = {}
    for file in files:
        groups.setdefault(file.name.packages[:-1], []).append(file)
    for within, group in groups.items():
        yield Series(package=group[0].package, within=within, files=tuple(group), locked=locked)


def survey(
    found: Sequence[Series],
    root: Path,
    environment: Mapping[str, str],
    *,
    backward: bool = False,
    only: Collection[Package] | None = None,
) -> tuple[Installed, ...]:
    """Look at every copy of every package that has a series, and plan for each.

    A copy is judged by the series whose known contents it has, whatever its version. `only` are
    the releases to tell of: what belongs to the series of others is left out. Raises `CannotTell`
    for a tree that cannot be read.
    """
    asked_for = {each.package for each in found} if only is None else only
    groups: dict[tuple[str, str], list[Series]] = {}
    for each in sorted(found, key=lambda each: each.package not in asked_for):
        key = (each.package.ecosystem, each.package.name)
        if key in groups or each.package in asked_for:
            groups.setdefault(key, []).append(each)
    asked: dict[Ecosystem, list[str]] = {}
    for (_, name), candidates in groups.items():
        asked.setdefault(ecosystems.of(candidates[0].package), []).append(name)
    looks = {each: each.installed(root, names, environment) for each, names in asked.items()}
    result: list[Installed] = []
    for (_, name), candidates in groups.items():
        copies = looks[ecosystems.of(candidates[0].package)][name]
        result += _without_others(
            [_judge(copy, meant, backward) for copy, meant in _meant_for(copies, candidates, root)],
            candidates,
        )
        if not copies:
            result.append(_missing(candidates, root, environment))
    return tuple(each for each in result if each.series.package in asked_for)


def _meant_for(
    copies: Sequence[Copy], candidates: Sequence[Series], root: Path
) -> Iterator[tuple[Copy, Sequence[Series]]]:
    """Each copy with the series that are meant for it; a copy that is meant by none is left out.

    The patches of a nested copy are for no other; unless there is none, because the package
    manager has put it further up.
    """
    nested = {
        copy: [each for each in candidates if each.within and _is_within(copy, each.within, root)]
        for copy in copies
    }
    placed = [each for found in nested.values() for each in found]
    others = [each for each in candidates if each not in placed]
    for copy in copies:
        if eligible := nested[copy] or others:
            yield copy, eligible


def _judge(copy: Copy, eligible: Sequence[Series], backward: bool) -> Installed:
    """Plan for one copy by the series that knows its content; its own version is asked first."""
    ordered = sorted(eligible, key=lambda each: each.package.version != copy.version)
    if copy.linked:
        why, nothing = "it is only linked, and outside of the project", Plan(state=State.FOREIGN)
        return Installed(series=ordered[0], copy=copy, plan=nothing, left_alone=why)
    read = reader(copy.directory)
    plans = [
        Installed(series=each, copy=copy, plan=_plan(each, read, backward)) for each in ordered
    ]
    return next((each for each in plans if each.plan.state is not State.FOREIGN), plans[0])


def _without_others(
    found: Sequence[Installed], candidates: Sequence[Series]
) -> Sequence[Installed]:
    """The copies of one package, the foreign ones left alone that may be.

    None may be while the patches are on no copy at all: then the package has moved on.
    """
    if all(each.plan.state is State.FOREIGN for each in found):
        return found
    return [
        replace(each, plan=Plan(state=State.FOREIGN), left_alone=why)
        if each.plan.state is State.FOREIGN and (why := _may_stay(each, candidates))
        else each
        for each in found
    ]


def _may_stay(each: Installed, candidates: Sequence[Series]) -> str | None:
    """Why a foreign copy may stay as it is: by its version, as a pin says or as none is there."""
    assert each.copy is not None  # noqa: S101 - a package without a copy has no other copies
    if each.copy.linked:
        return each.left_alone
    version = each.copy.version
    if each.series.locked is None:
        known = version in {candidate.package.version for candidate in candidates}
        return None if known else f"the patch does not fit version {version}"
    allowed = any(version in other.locked.leave_alone for other in candidates if other.locked)
    return f"the pin allows that for version {version}" if allowed else None


def _is_within(copy: Copy, packages: Sequence[str], root: Path) -> bool:
    """Whether a copy is installed inside these packages, the innermost last.

    Where the project stands, or what is linked, tells nothing: any directory may have such a name.
    """
    place = "/" + Path(os.path.relpath(copy.directory, os.path.realpath(root))).as_posix()
    positions = [place.rfind(f"/{name}/") for name in packages]
    return not copy.linked and min(positions) >= 0 and positions == sorted(positions)


def _plan(each: Series, read: Read, backward: bool) -> Plan:
    try:
        return each.plan(read, backward=backward)
    except PatchError as error:
        return Plan(state=State.FOREIGN, problems=(error.problem,))


def _missing(candidates: Sequence[Series], root: Path, environment: Mapping[str, str]) -> Installed:
    """The account of a package without any copy: absent by install mode, or a problem."""
    first, package = candidates[0], candidates[0].package
    absent = ecosystems.of(package).may_be_absent(root, package.name, environment)
    if all(file.name.dev for each in candidates for file in each.files):
        absent = "its patch is for development alone"
    problem = Problem(
        kind="missing",
        what=f"is not installed, so {first.names} cannot go on",
        subject=package.name,
        expected=str(package),
    )
    return Installed(
        series=first,
        copy=None,
        plan=Plan(state=State.FOREIGN, problems=() if absent else (problem,)),
        absent=absent,
    )
