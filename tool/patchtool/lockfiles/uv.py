"""Reads uv.lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from patchtool.lockfiles.lockfile import table_of, tables_of, text_of
from patchtool.lockfiles.python_release import holds, integrities
from patchtool.lockfiles.resolution import Resolved, Source
from patchtool.project.reader import Value

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table

_SOURCES = {
    "registry": Source.REGISTRY,
    "git": Source.GIT,
    "url": Source.TARBALL,
    "path": Source.FILE,
    "directory": Source.FILE,
    "editable": Source.LINK,
    "virtual": Source.WORKSPACE,
}


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name`; of the forks of a resolution, those for the interpreter that runs."""
    whole = lockfile.toml()
    if (version := whole["version"]).integer() != 1:
        raise version.error("unknown lockfile version", "1")
    members = table_of(whole, "manifest").optional("members", Value.items) or ()
    for package in tables_of(whole, "package"):
        if text_of(package, "name") != name:
            continue
        forks = package.optional("resolution-markers", Value.items)
        if forks and not any(holds(fork) for fork in forks):
            continue
        is_member = any(member.raw == name for member in members)
        yield Resolved(
            version=text_of(package, "version"),
            integrity=integrities(_hashes(package)),
            source=Source.WORKSPACE if is_member else _source(package),
            lockfile=lockfile.name,
            place=package.key,
        )


def _source(package: Table) -> Source:
    source = package["source"]
    for key in source.table().values:
        if key in _SOURCES:
            return _SOURCES[key]
    raise source.error("unknown kind of source", "one of " + ", ".join(_SOURCES))


def _hashes(package: Table) -> Iterator[str]:
    archives = [table_of(package, "sdist"), *tables_of(package, "wheels")]
    return (text_of(archive, "hash") for archive in archives if "hash" in archive.values)
