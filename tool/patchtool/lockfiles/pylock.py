"""Reads pylock.toml, the lockfile that the Python packaging specifications define."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.pylock import Package, Pylock, PylockValidationError

from patchtool.lockfiles.resolution import Resolved, Source

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name` that the interpreter which runs would get, with any extra or group."""
    try:
        lock = Pylock.from_dict(lockfile.toml().values)
    except PylockValidationError as error:
        raise lockfile.error(error.message, key=error.context) from error
    chosen = {
        "extras": frozenset(lock.extras or ()),
        "dependency_groups": frozenset(lock.dependency_groups or ()),
    }
    for number, package in enumerate(lock.packages):
        if package.name != name:
            continue
        if package.marker and not package.marker.evaluate(chosen, context="lock_file"):
            continue
        yield Resolved(
            version=str(package.version or ""),
            integrity=_integrities(package),
            source=_source(package),
            lockfile=lockfile.name,
            place=f"packages[{number}]",
        )


def _source(package: Package) -> Source:
    if package.vcs:
        return Source.GIT
    if package.directory:
        return Source.LINK if package.directory.editable else Source.FILE
    if package.archive:
        return Source.TARBALL if package.archive.url else Source.FILE
    return Source.REGISTRY


def _integrities(package: Package) -> tuple[str, ...]:
    """The hashes of every archive there is, of which an installer takes one."""
    archives = (package.archive, package.sdist, *(package.wheels or ()))
    return tuple(
        f"{algorithm}-{digest}"
        for archive in archives
        if archive
        for algorithm, digest in archive.hashes.items()
    )
