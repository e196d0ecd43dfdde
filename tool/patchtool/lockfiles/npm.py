"""Reads package-lock.json and npm-shrinkwrap.json, of lockfileVersion 1, 2 and 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from patchtool.lockfiles.lockfile import table_of, text_of
from patchtool.lockfiles.npm_address import integrities, is_release, source_of, split
from patchtool.lockfiles.resolution import Resolved, Source, source_for
from patchtool.project.reader import Value

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table

_INSIDE = "node_modules/"


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name`. Version 2 says all twice, and npm reads its `packages` alone."""
    whole = lockfile.json()
    version = whole.optional("lockfileVersion", Value.integer) or 1
    if version == 1:
        yield from _nested(lockfile, whole, name)
    elif version in (2, 3):
        yield from _flat(lockfile, table_of(whole, "packages"), name)
    else:
        raise whole["lockfileVersion"].error("unknown lockfile version", "1, 2 or 3")


def _flat(lockfile: Lockfile, packages: Table, name: str) -> Iterator[Resolved]:
    """`packages`: a key is a path from the root, `node_modules/a/node_modules/b`."""
    by_path = _asked_by_path(packages)
    for key, value in packages.items():
        _, inside, directory = key.rpartition(_INSIDE)
        if not inside:  # the root, or what a link leads to
            continue
        entry = value.table()
        target = text_of(entry, "resolved")
        linked = entry.values.get("link") is True
        content = table_of(packages, target) if linked else entry
        own = text_of(content, "name") or directory
        if linked:
            source = Source.LINK if directory in by_path else Source.WORKSPACE
        else:
            source = _source(entry, target, own, text_of(entry, "version"))
        if seen := source_for(name, directory=directory, own=own, source=source):
            yield _resolved(lockfile, value.key, entry, seen, text_of(content, "version"))


def _asked_by_path(packages: Table) -> frozenset[str]:
    """The names that packages ask for by a path; a member of the workspace needs no asking."""
    kinds = ("dependencies", "devDependencies", "optionalDependencies")
    wanted = (table_of(value.table(), kind) for _, value in packages.items() for kind in kinds)
    return frozenset(
        name
        for table in wanted
        for name, text in table.values.items()
        if isinstance(text, str) and text.startswith(("file:", "link:"))
    )


def _nested(lockfile: Lockfile, whole: Table, name: str) -> Iterator[Resolved]:
    """`dependencies`, each with its own; a version may be an address or `npm:other@1.0.0`."""
    open_tables = [whole]
    while open_tables:
        for directory, value in table_of(open_tables.pop(), "dependencies").items():
            entry = value.table()
            open_tables.append(entry)
            own, version = directory, text_of(entry, "version")
            if version.startswith("npm:"):
                own, version = split(version.removeprefix("npm:"))
            address = text_of(entry, "resolved")
            if not is_release(version):
                address, version = version, ""
            source = _source(entry, address, own, version)
            if seen := source_for(name, directory=directory, own=own, source=source):
                yield _resolved(lockfile, value.key, entry, seen, version)


def _source(entry: Table, address: str, own: str, version: str) -> Source:
    integrity = text_of(entry, "integrity")
    bundled = True in (entry.values.get("inBundle"), entry.values.get("bundled"))
    if bundled and not integrity:  # what the root bundles comes from the registry all the same
        return Source.BUNDLED
    return source_of(address, name=own, version=version, checked=bool(integrity))


def _resolved(
    lockfile: Lockfile, place: str, entry: Table, source: Source, version: str
) -> Resolved:
    return Resolved(
        version=version,
        integrity=integrities(text_of(entry, "integrity")),
        source=source,
        lockfile=lockfile.name,
        place=place,
    )
