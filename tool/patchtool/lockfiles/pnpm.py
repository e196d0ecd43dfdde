"""Reads pnpm-lock.yaml, of lockfileVersion 5, 6 and 9."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from patchtool.lockfiles.lockfile import table_of, text_of
from patchtool.lockfiles.npm_address import integrities, source_of
from patchtool.lockfiles.resolution import Resolved, Source, source_for
from patchtool.project.reader import Value

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table

# `/ms/2.1.3_peer@1` in 5, `/ms@2.1.3(peer@1)` in 6, `ms@2.1.3` in 9; `ms@<address>` in 9 too.
# Where an address is the whole key, the entry has a name and mostly a version.
_KEY = re.compile(r"/?(?P<name>(@[^/@:]+/)?[^/@:(]+)[/@](?P<version>\d+\.\d+\.\d+[^_(]*)?")
_KINDS = ("dependencies", "devDependencies", "optionalDependencies")


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name`: the packages, then what importers alone name, links and aliases."""
    whole = lockfile.yaml()
    if text_of(whole, "lockfileVersion").partition(".")[0] not in ("5", "6", "9"):
        raise lockfile.error(
            "unknown lockfile version", key="lockfileVersion", expected="5, 6 or 9"
        )
    packages = _Packages.of(lockfile, whole)
    for key in packages.table.values:
        if packages.name(key) == name:
            yield packages.resolved(key)
    importers = table_of(whole, "importers")
    groups = [(key, value.table()) for key, value in importers.items()] or [(".", whole)]
    for directory, importer in groups:
        for kind in _KINDS:
            for found in _asked(table_of(importer, kind), name):
                target = found.string()
                if target.startswith("link:"):
                    path = posixpath.normpath(posixpath.join(directory, target[len("link:") :]))
                    source = Source.WORKSPACE if path in importers.values else Source.LINK
                    yield _linked(lockfile, found, source)
                elif alias := packages.alias(target, name):
                    yield replace(alias, place=found.key)


def _asked(dependencies: Table, name: str) -> Iterator[Value]:
    """What a dependency was resolved to; since 6 it stands beside its specifier."""
    if name in dependencies.values:
        found = dependencies[name]
        yield found.table()["version"] if isinstance(found.raw, dict) else found


def _linked(lockfile: Lockfile, found: Value, source: Source) -> Resolved:
    return Resolved(
        version="", integrity=(), source=source, lockfile=lockfile.name, place=found.key
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Packages:
    """The `packages` of a lockfile, and the keys of those that pnpm itself patches."""

    lockfile: Lockfile
    table: Table
    patched: frozenset[str]

    @classmethod
    def of(cls, lockfile: Lockfile, whole: Table) -> _Packages:
        marked = (key.partition("(patch_hash=") for key in table_of(whole, "snapshots").values)
        return cls(
            lockfile=lockfile,
            table=table_of(whole, "packages"),
            patched=frozenset(key for key, mark, _ in marked if mark),
        )

    def name(self, key: str) -> str:
        """The package's own name."""
        parts = _KEY.match(key)
        return text_of(self.table[key].table(), "name") or (parts["name"] if parts else "")

    def alias(self, target: str, name: str) -> Resolved | None:
        """The package that `name` stands for, if that is one of another name."""
        for key in (target, target.partition("(")[0]):
            if key in self.table.values and self.name(key) != name:
                found = self.resolved(key)
                source = source_for(name, directory=name, own="", source=found.source)
                return replace(found, source=source or found.source)
        return None

    def resolved(self, key: str) -> Resolved:
        """One package as a value."""
        value = self.table[key]
        entry = value.table()
        parts = _KEY.match(key)
        version = text_of(entry, "version") or (parts and parts["version"]) or ""
        resolution = entry["resolution"].table()
        source = _source(resolution, self.name(key), version)
        if key in self.patched or text_of(entry, "patched") == "true":
            source = Source.PATCH
        return Resolved(
            version=version,
            integrity=integrities(text_of(resolution, "integrity")),
            source=source,
            lockfile=self.lockfile.name,
            place=value.key,
        )


def _source(resolution: Table, name: str, version: str) -> Source:
    match text_of(resolution, "type"):
        case "git":
            return Source.GIT
        case "directory":
            return Source.FILE
        case "":
            address, checked = text_of(resolution, "tarball"), "integrity" in resolution.values
            return source_of(address, name=name, version=version, checked=checked)
    raise resolution["type"].error("unknown kind of resolution", "git or directory")
