"""`patchtool lock`: write patches.lock from patches.toml, the patches and the pinned releases.

Records each release's integrity, each touched file before and after, and the guard's cases by
kind. Writes nothing unless every patch goes on, two readers agree on it, and every guard has teeth.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from patchtool import ecosystems
from patchtool.commands import Answer
from patchtool.commands.guard import pin_column
from patchtool.commands.options import add_fresh, add_network, add_patches, explain, open_store
from patchtool.errors import CannotTell, PatchError, Problem
from patchtool.grid import Trials
from patchtool.pristine import PutOn, put_on
from patchtool.project import Baseline, Fix, Lock, LockedPackage, Pin, Project
from patchtool.project import lock as locks
from patchtool.project.load import load
from patchtool.second_reader import disagreements
from patchtool.verdict import Column, Kind, classify, missing_evidence, trouble

if TYPE_CHECKING:
    from patchtool.package import Package
    from patchtool.store import Store

_DESCRIPTION = """\
Records each pinned release's integrity, each file that a patch touches before and after it, and
the guard's cases by kind. Run it after every change of patches.toml, a patch or a guard, and
commit what it writes. It is not written if a patch does not go on or a guard proves nothing.
"""

_EXAMPLES = """\
  patchtool lock
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Where the lock is, whether it changed, and what stood in the way of writing it."""

    answer: Answer
    path: Path
    changed: bool = False
    packages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_patches(parser)
    add_network(parser)
    add_fresh(parser)


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    patches: Path | None,
    offline: bool,
    fresh: bool,
) -> Result:
    """Write the lock anew; an old one is not believed in anything."""
    project = load(root, patches, ignore_lock=True)
    store = open_store(root, environment, offline=offline)
    path = project.directory / locks.NAME
    packages, problems = _locked_packages(project, store)
    if problems:
        return Result(answer=Answer.NO, path=path, problems=problems)
    lock = Lock(manifest=project.digest, packages=packages, guards={})
    guards, problems = _baselines(project, lock, store, fresh=fresh)
    if problems:
        return Result(answer=Answer.NO, path=path, problems=problems)
    changed = _write(path, locks.dump(replace(lock, guards=guards)))
    names = tuple(str(each.package) for each in packages)
    return Result(answer=Answer.YES, path=path, changed=changed, packages=names)


def _write(path: Path, data: bytes) -> bool:
    """Write the file, in one step, unless it has these bytes; whether it was written."""
    new = path.with_name(f"{path.name}.new")
    try:
        if path.exists() and path.read_bytes() == data:
            return False
        new.write_bytes(data)
        new.replace(path)
    except OSError as error:
        what = f"cannot write the lock: {error.strerror}"
        raise CannotTell(Problem(kind="disk", what=what, path=str(path))) from None
    return True


def _pinned(project: Project) -> dict[Package, Pin]:
    """Every pinned release, with its pin; pins share only one that has no patch."""
    pins = (pin for fix in project.fixes for pin in fix.pins)
    return {package: pin for pin in pins for package in pin.packages}


def _locked_packages(
    project: Project, store: Store
) -> tuple[tuple[LockedPackage, ...], tuple[Problem, ...]]:
    """What is recorded of each pinned release, and what is wrong with the patches."""
    packages: list[LockedPackage] = []
    problems: list[Problem] = []
    for package, pin in _pinned(project).items():
        files = pin.patches_of(package)
        ecosystem = ecosystems.of(package)
        integrity = ecosystem.integrity(package, store)
        try:
            steps = tuple(put_on(files, ecosystem.artefact(package, integrity, store)))
        except PatchError as error:
            problems.append(error.problem)
            continue
        for step in steps:
            problems += disagreements(step.data, step.patch, subject=str(step.file.name))
            if not step.after:
                problems.append(_is_in_already(step, package))
        packages.append(
            LockedPackage(
                package=package,
                integrity=integrity,
                patches=tuple(step.locked for step in steps),
                leave_alone=pin.leave_alone if files else (),
            )
        )
    return tuple(packages), tuple(problems)


def _is_in_already(step: PutOn, package: Package) -> Problem:
    return Problem(
        kind="already-applied",
        what=f"changes nothing: {package} has it already",
        subject=str(step.file.name),
        expected="a patch that changes what was published",
    )


def _baselines(
    project: Project, lock: Lock, store: Store, *, fresh: bool
) -> tuple[Mapping[tuple[str, Package], Baseline], tuple[Problem, ...]]:
    """Each guard's cases on each of its pins, and what is wrong with a guard."""
    guards: dict[tuple[str, Package], Baseline] = {}
    problems: list[Problem] = []
    for fix in project.fixes:
        if fix.guard is None:
            continue
        trials = Trials(guard=fix.guard, store=store, fresh=fresh)
        for pin in fix.pins:
            column = pin_column(pin, trials, lock)
            problems += _guard_problems(fix, pin, column)
            guards[fix.name, pin.lead] = _baseline(column)
    return guards, tuple(problems)


def _guard_problems(fix: Fix, pin: Pin, column: Column) -> list[Problem]:
    """The reasons why a guard proves nothing; a run without evidence is a `CannotTell`."""
    remedy = f"patchtool guard {fix.name}"
    problems = [
        Problem(kind="guard", what=reason, subject=fix.name, path=str(pin.lead), remedy=remedy)
        for reason in trouble(column)
    ]
    if missing_evidence(column):
        raise CannotTell(problems[0])
    return problems


def _baseline(column: Column) -> Baseline:
    kinds = classify(column)
    return Baseline(
        needed=tuple(name for name, kind in kinds.items() if kind is Kind.NEEDED),
        control=tuple(name for name, kind in kinds.items() if kind is Kind.CONTROL),
        boundary=tuple(column.without.boundary),
    )
