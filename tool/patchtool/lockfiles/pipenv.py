"""Reads Pipfile.lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from patchtool.lockfiles.lockfile import text_of
from patchtool.lockfiles.python_release import holds, integrities
from patchtool.lockfiles.resolution import Resolved, Source
from patchtool.project.reader import Value

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name` that the interpreter which runs would get, for use or development."""
    for group, packages in lockfile.json().items():
        for key, value in packages.table().items():
            if group == "_meta" or canonicalize_name(key) != name:
                continue
            package = value.table()
            if package.optional("markers", holds) is False:
                continue
            hashes = package.optional("hashes", Value.items) or ()
            yield Resolved(
                version=text_of(package, "version").removeprefix("=="),
                integrity=integrities(text.string() for text in hashes),
                source=_source(package),
                lockfile=lockfile.name,
                place=value.key,
            )


def _source(package: Table) -> Source:
    """The source is named by the key that stands in place of a version."""
    if "git" in package.values:
        return Source.GIT
    if "://" in text_of(package, "file"):
        return Source.TARBALL
    if package.values.get("editable") is True:
        return Source.LINK
    return Source.FILE if package.values.keys() & {"file", "path"} else Source.REGISTRY
