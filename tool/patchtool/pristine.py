"""The pristine files of a release, and what a pin's patches make of them, all in memory.

Bytes come from the registry's artefact, checked against its integrity; nothing that is installed
is believed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from patchtool import diff, ecosystems
from patchtool.errors import PatchError, Problem
from patchtool.patch_file import parse_patch
from patchtool.project import Change, LockedPatch
from patchtool.project.patch_bytes import read_bytes

if TYPE_CHECKING:
    from patchtool.diff import Patch
    from patchtool.files import File, Files, Identity
    from patchtool.package import Package
    from patchtool.project import Lock, PatchFile
    from patchtool.store import Store


# How many files that could be meant are told of.
_NAMESAKES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOn:
    """One patch that went on: the bytes of its file, and the files it touched, before and after.

    `warnings` are what is odd in it and harmless.
    """

    file: PatchFile
    data: bytes
    patch: Patch
    before: Files
    after: Files
    warnings: tuple[Problem, ...]

    @property
    def locked(self) -> LockedPatch:
        """What the lock records of it."""
        return LockedPatch(
            name=self.file.name,
            sha256=hashlib.sha256(self.data).hexdigest(),
            files={
                path: Change(before=_identity(self.before[path]), after=_identity(after))
                for path, after in self.after.items()
            },
        )


def _identity(file: File | None) -> Identity | None:
    return None if file is None else file.identity


def pristine_files(package: Package, lock: Lock | None, store: Store) -> Mapping[str, File]:
    """The files of a release, by the integrity in the lock if it has one, else the registry's.

    Raises `CannotTell`.
    """
    ecosystem = ecosystems.of(package)
    locked = lock.package(package) if lock else None
    integrity = locked.integrity if locked else ecosystem.integrity(package, store)
    # A verdict asks for the same release several times.
    key = f"pristine {package.purl} {integrity}"
    return store.once(key, lambda: ecosystem.artefact(package, integrity, store))


def put_on(
    patches: Sequence[PatchFile], files: Files, *, allow_offset: bool = False
) -> Iterator[PutOn]:
    """Put the patches of one package on its files, one after the other, anew for each copy.

    With `allow_offset` each hunk may go to the one other place where it fits. Raises `PatchError`,
    which names the patch file, at the first that does not go on.
    """
    overlay: dict[str, File | None] = {}
    copy: tuple[str, ...] = ()
    for file in patches:
        if file.name.packages != copy:
            copy, overlay = file.name.packages, dict(files)
        data = read_bytes(file)
        patch = parse_patch(data, file)
        try:
            result = diff.run(patch, overlay.get, allow_offset=allow_offset)
        except PatchError as error:
            problem = replace(error.problem, subject=str(file.name))
            raise PatchError(_with_namesakes(problem, overlay)) from None
        yield PutOn(
            file=file,
            data=data,
            patch=patch,
            before={path: overlay.get(path) for path in result.changes},
            after=result.changes,
            warnings=tuple(replace(each, subject=str(file.name)) for each in result.warnings),
        )
        overlay.update(result.changes)


def _with_namesakes(problem: Problem, files: Files) -> Problem:
    """Of a file that is not there: which files of its name the release has, the likeliest first."""
    if problem.kind != "missing" or problem.path is None:
        return problem
    wanted = problem.path.split("/")[::-1]

    def alike(path: str) -> int:
        """How many parts of the paths are the same, from the end."""
        pairs = zip(path.split("/")[::-1], wanted, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    there = [path for path, file in files.items() if file is not None and alike(path)]
    found = ", ".join(sorted(there, key=lambda path: (-alike(path), path))[:_NAMESAKES])
    return replace(
        problem,
        expected="the path of a file of the release",
        found=found or f"no file named {wanted[0]}",
    )


def in_stack(patches: Sequence[PatchFile], package: Package) -> Sequence[PatchFile]:
    """The patches that a package gets in a stack, which has one copy of it.

    Where copies inside other packages have patches of their own, those of the outermost copy.
    """
    of_package = [file for file in patches if file.name.package == package.name]
    outermost = min((file.name.packages for file in of_package), key=len, default=())
    return [file for file in of_package if file.name.packages == outermost]


def patched_files(
    patches: Sequence[PatchFile],
    packages: Sequence[Package],
    *,
    lock: Lock | None,
    store: Store,
    allow_offset: bool = False,
) -> dict[str, Files]:
    """What the patches change in `packages`, by the name of the package.

    `packages` may be other releases than the patches were made for. Raises `PatchError` and
    `CannotTell`.
    """
    changes: dict[str, Files] = {}
    for package in packages:
        of_package = in_stack(patches, package)
        if not of_package:
            continue
        pristine = pristine_files(package, lock, store)
        steps = put_on(of_package, pristine, allow_offset=allow_offset)
        changes[package.name] = {path: file for step in steps for path, file in step.after.items()}
    return changes
