"""Reads poetry.lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from patchtool.lockfiles.lockfile import table_of, tables_of, text_of
from patchtool.lockfiles.python_release import holds, integrities
from patchtool.lockfiles.resolution import Resolved, Source

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table

_SOURCES = {
    "": Source.REGISTRY,
    "legacy": Source.REGISTRY,
    "git": Source.GIT,
    "url": Source.TARBALL,
    "file": Source.FILE,
    "directory": Source.FILE,
}


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name` that the interpreter which runs would get."""
    whole = lockfile.toml()
    older = table_of(table_of(whole, "metadata"), "files")  # before lock-version 2
    for package in tables_of(whole, "package"):
        if canonicalize_name(text_of(package, "name")) != name or not _applies(package):
            continue
        files = tables_of(package, "files") or tables_of(older, name)
        yield Resolved(
            version=text_of(package, "version"),
            integrity=integrities(text_of(file, "hash") for file in files),
            source=_source(package),
            lockfile=lockfile.name,
            place=package.key,
        )


def _applies(package: Table) -> bool:
    """Whether a marker holds; there is one for all groups of dependencies, or one for each."""
    if "markers" not in package.values:
        return True
    markers = package["markers"]
    each = [value for _, value in markers.table().items()] if isinstance(markers.raw, dict) else []
    return any(holds(marker) for marker in each or [markers])


def _source(package: Table) -> Source:
    source = table_of(package, "source")
    kind = text_of(source, "type")
    if kind not in _SOURCES:
        raise source["type"].error("unknown kind of source")
    develop = kind == "directory" and package.values.get("develop") is True
    return Source.LINK if develop else _SOURCES[kind]
