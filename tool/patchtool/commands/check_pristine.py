"""`patchtool check-pristine`: prove that pin, patch and lock still fit, byte for byte.

Nothing that is installed is believed: the pinned artefacts are fetched by the integrity in the
lock, patched in memory, and unpatched again. What is installed is reported beside it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from patchtool import diff, ecosystems, lockfiles
from patchtool.commands import Answer
from patchtool.commands.apply import Done, done
from patchtool.commands.options import (
    add_fixes,
    add_network,
    add_patches,
    chosen,
    explain,
    open_store,
)
from patchtool.errors import PatchError, Problem
from patchtool.installed import locked_series, survey
from patchtool.pristine import PutOn, put_on
from patchtool.project import Change, Lock, Pin
from patchtool.project.load import load
from patchtool.project.stale import altered, stale
from patchtool.second_reader import disagreements
from patchtool.siblings import unpatched_siblings

if TYPE_CHECKING:
    from patchtool.files import File
    from patchtool.package import Package
    from patchtool.project import LockedPackage, LockedPatch
    from patchtool.store import Store

_DESCRIPTION = """\
Gets each pinned release by the integrity in patches.lock, puts the patches on in memory, compares
every touched file with the lock, takes the patches off again, and compares that with the release,
byte for byte. A second, independent reader must see the same lines in each patch, and the
project's own lockfiles must give the same release. What is installed is told beside it, and
believed in nothing.

Exit 0: all of it holds. Exit 1: it does not; everything found is told. Exit 3: a release cannot
be fetched, or a file in the cache has changed.
"""

_EXAMPLES = """\
  patchtool check-pristine
  patchtool check-pristine --offline   from the cache alone
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One pinned release: its integrity, the files its patches change, and what does not hold.

    `warnings` are what somebody may have forgotten, a wrong blob id in a patch among them; they do
    not count against the proof.
    """

    package: str
    integrity: str
    patches: tuple[str, ...]
    files: Mapping[str, Change]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The proofs, what in the project's own files does not hold, and what is installed."""

    answer: Answer
    proofs: tuple[Proof, ...]
    problems: tuple[Problem, ...]
    installed: tuple[Done, ...] = field(default=())


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)
    add_network(parser)
    parser.add_argument(
        "--unpatched",
        action="store_true",
        help="expect vendored directories as their origin, without the patches",
    )


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    fixes: Sequence[str],
    patches: Path | None,
    offline: bool,
    unpatched: bool = False,
) -> Result:
    """Prove every pin of the fixes that were asked for."""
    project = load(root, patches)
    store = open_store(root, environment, offline=offline)
    pins = [pin for fix in chosen(project, fixes) for pin in fix.pins]
    problems = stale(project)
    lock, by_hand = project.lock, altered(project)
    if lock is None or by_hand:  # then nothing in it proves anything
        return Result(answer=Answer.NO, proofs=(), problems=problems + by_hand)
    proofs = tuple(_proofs(pins, lock, store, unpatched=unpatched))
    pinned = {package for pin in pins for package in pin.packages}
    problems += tuple(
        lockfiles.findings(root, (each for each in lock.packages if each.package in pinned))
    )
    found = survey(locked_series(lock, project.directory), root, environment, only=pinned)
    holds = not problems and not any(proof.problems for proof in proofs)
    return Result(
        answer=Answer.YES if holds else Answer.NO,
        proofs=proofs,
        problems=problems,
        installed=tuple(done(each) for each in found if each.copy),
    )


def _proofs(pins: Sequence[Pin], lock: Lock, store: Store, *, unpatched: bool) -> Iterator[Proof]:
    by_package = {package: pin for pin in pins for package in pin.packages}
    for package, pin in by_package.items():
        locked = lock.package(package)
        if locked is not None:  # if not, `stale` has said so
            yield _prove(package, pin, locked, store, unpatched=unpatched)


def _prove(
    package: Package, pin: Pin, locked: LockedPackage, store: Store, *, unpatched: bool
) -> Proof:
    """Put the patches of one release on its files, and take them off again."""
    pristine = ecosystems.of(package).artefact(package, locked.integrity, store)
    files = pin.patches_of(package)
    recorded = {patch.name: patch for patch in locked.patches}
    problems: list[Problem] = []
    warnings: list[Problem] = []
    steps: list[PutOn] = []
    changes: dict[str, Change] = {}
    try:
        for step in put_on(files, pristine):
            steps.append(step)
            changes |= step.locked.files
            if step.file.name in recorded:
                problems += _against_lock(step, recorded[step.file.name])
            problems += disagreements(step.data, step.patch, subject=str(step.file.name))
            warnings += step.warnings
            warnings += unpatched_siblings(step.patch, pristine, subject=str(step.file.name))
        for _, of_copy in groupby(steps, key=lambda step: step.file.name.packages):
            problems += _against_artefact(tuple(of_copy), pristine)
        expected = _whole([] if unpatched else steps, pristine)
        problems += ecosystems.of(package).differences(store.root, expected, store.environment)
    except PatchError as error:
        problems.append(error.problem)
    return Proof(
        package=str(package),
        integrity=locked.integrity,
        patches=tuple(str(file.name) for file in files),
        files=changes,
        problems=tuple(problems),
        warnings=tuple(warnings),
    )


def _against_lock(step: PutOn, locked: LockedPatch) -> Iterator[Problem]:
    """Every file that is not, before and after the patch, what the lock says."""
    for path in sorted(step.locked.files.keys() | locked.files.keys()):
        found, expected = step.locked.files.get(path), locked.files.get(path)
        if found != expected:
            yield Problem(
                kind="stale",
                what="the patch changes this file otherwise than the lock says",
                subject=str(step.file.name),
                path=path,
                expected=_words(expected),
                found=_words(found),
                remedy="patchtool lock",
            )


def _words(change: Change | None) -> str:
    if change is None:
        return "no change"
    sides = (change.before, change.after)
    return " -> ".join(f"{side.blob} {side.mode.value}" if side else "no file" for side in sides)


def _whole(steps: Sequence[PutOn], pristine: Mapping[str, File]) -> dict[str, File]:
    """All files of the release with the patches of these steps on."""
    tree: dict[str, File | None] = dict(pristine)
    for step in steps:
        tree |= step.after
    return {path: file for path, file in tree.items() if file is not None}


def _against_artefact(steps: Sequence[PutOn], pristine: Mapping[str, File]) -> Iterator[Problem]:
    """Every file that is not, with all patches off again, the artefact's byte for byte.

    Raises `PatchError` at the first patch that does not come off.
    """
    tree: dict[str, File | None] = dict(_whole(steps, pristine))
    for step in reversed(steps):
        try:
            tree |= diff.run(step.patch, tree.get, backward=True).changes
        except PatchError as error:
            raise PatchError(replace(error.problem, subject=str(step.file.name))) from None
    for path, file in tree.items():
        if file != pristine.get(path):
            yield Problem(
                kind="no-match",
                what="is not the artefact's file with the patches off again",
                subject=", ".join(str(step.file.name) for step in steps),
                path=path,
            )
