"""Reads bun.lock, of lockfileVersion 0, 1 and 2; says what to do about the binary bun.lockb."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from patchtool.lockfiles.lockfile import table_of, text_of
from patchtool.lockfiles.npm_address import integrities, is_release, source_of, split
from patchtool.lockfiles.resolution import Resolved, Source, source_for
from patchtool.project.reader import Value

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile
    from patchtool.project.reader import Table

# A string (an unended one too, so that no text takes long), or a comma before a closing bracket.
_LEXEMES = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
_DIRECTORY = re.compile(r"(@[^/]+/)?[^/]+$")


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name`: `"a/b": ["b@1.0.0", ...]` is the `b` that `a` gets."""
    if lockfile.path.suffix == ".lockb":
        raise lockfile.error("a binary lockfile, which only bun reads", expected="bun.lock")
    # JSON but for trailing commas; the readers of all of JSON5 are far too slow for a lockfile.
    whole = lockfile.json(_LEXEMES.sub(lambda lexeme: lexeme[1] or "", lockfile.content()))
    if (version := whole["lockfileVersion"]).integer() not in (0, 1, 2):
        raise version.error("unknown lockfile version", "0, 1 or 2")
    for key, value in table_of(whole, "packages").items():
        own, wanted = split(value.some()[0].string())
        directory = _DIRECTORY.search(key)
        source = _source(whole, value, own, wanted)
        if seen := source_for(
            name, directory=directory[0] if directory else "", own=own, source=source
        ):
            yield Resolved(
                version=_version(whole, wanted),
                integrity=_integrity(value),
                source=seen,
                lockfile=lockfile.name,
                place=value.key,
            )


def _source(whole: Table, value: Value, own: str, wanted: str) -> Source:
    if f"{own}@{wanted}" in table_of(whole, "patchedDependencies").values:
        return Source.PATCH
    if is_release(wanted):  # an address of the archive follows, empty for the usual registry
        address, version = value.some()[1].string(), wanted
    else:
        address, version = wanted, ""
    return source_of(address, name=own, version=version, checked=bool(_integrity(value)))


def _version(whole: Table, wanted: str) -> str:
    """The version, which bun records for releases and for members of the workspace."""
    if is_release(wanted):
        return wanted
    members = table_of(whole, "workspaces")
    return text_of(table_of(members, wanted.removeprefix("workspace:")), "version")


def _integrity(value: Value) -> tuple[str, ...]:
    """What stands last; for a git address that is its commit."""
    last = value.some()[-1].raw
    return integrities(last) if isinstance(last, str) else ()
