"""Reads yarn.lock of yarn 1, whose format is yarn's own.

Strict: a line that is not of the form yarn writes is an error, not skipped.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from patchtool.lockfiles.npm_address import integrities, source_of, split
from patchtool.lockfiles.resolution import Resolved, Source, source_for

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile

_WORD = r'(?:"(?:[^"\\]|\\.)*"|[^\s",:]+)'
_HEAD = re.compile(rf"({_WORD})((?:, {_WORD})*):")
_FIELD = re.compile(rf"  ({_WORD}) ({_WORD})")
_OPEN = re.compile(rf"  {_WORD}:")
_NESTED = re.compile(rf"    {_WORD} {_WORD}")
_PATH = re.compile(r"(file|link):")
_SHA1 = re.compile(r"#([0-9a-f]{40})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One entry: the `name@range`s that it answers, and its own fields."""

    line: int
    asked: tuple[str, ...]
    fields: dict[str, str] = field(default_factory=dict)


def read(lockfile: Lockfile, content: str, name: str) -> Iterator[Resolved]:
    """Every copy of `name`. Members of a workspace stand in no such lockfile."""
    for entry in _entries(lockfile, content):
        for asked in entry.asked:
            if found := _resolved(lockfile, entry, asked, name):
                yield found
                break


def _entries(lockfile: Lockfile, content: str) -> tuple[_Entry, ...]:
    entries: list[_Entry] = []
    for number, line in enumerate(content.split("\n"), start=1):
        line = line.rstrip()
        if not line or line.startswith("#"):
            continue
        if _HEAD.fullmatch(line):
            asked = tuple(_unquoted(word) for word in re.findall(_WORD, line))
            entries.append(_Entry(line=number, asked=asked))
        elif entries and (found := _FIELD.fullmatch(line)):
            entries[-1].fields[_unquoted(found[1])] = _unquoted(found[2])
        elif not (entries and (_OPEN.fullmatch(line) or _NESTED.fullmatch(line))):
            raise lockfile.error("not a line that yarn writes", line=number)
    return tuple(entries)


def _unquoted(word: str) -> str:
    return word[1:-1].replace('\\"', '"') if word.startswith('"') else word


def _resolved(lockfile: Lockfile, entry: _Entry, asked: str, name: str) -> Resolved | None:
    directory, wanted = split(asked)
    own = split(wanted.removeprefix("npm:"))[0] if wanted.startswith("npm:") else directory
    version = entry.fields.get("version", "")
    address = entry.fields.get("resolved") or (wanted if _PATH.match(wanted) else "")
    integrity = _integrity(entry.fields.get("integrity", ""), address)
    source = source_of(address, name=own, version=version, checked=bool(integrity))
    seen = source_for(name, directory=directory, own=own, source=source)
    if seen is None:
        return None
    return Resolved(
        version="" if seen is Source.LINK else version,  # yarn writes 0.0.0 for every link
        integrity=integrity,
        source=seen,
        lockfile=lockfile.name,
        place=f"line {entry.line}",
    )


def _integrity(text: str, address: str) -> tuple[str, ...]:
    """The field, or what yarn had before it: the SHA-1 that ends the address of an archive."""
    found = _SHA1.search(address)
    if text or found is None or ".tgz#" not in address:
        return integrities(text)
    return (f"sha1-{b64encode(bytes.fromhex(found[1])).decode()}",)
