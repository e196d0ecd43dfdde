"""Reads yarn.lock of yarn 2 and later, and hands that of yarn 1 on to `yarn_classic`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from patchtool.lockfiles import yarn_classic
from patchtool.lockfiles.lockfile import text_of
from patchtool.lockfiles.npm_address import source_of, split
from patchtool.lockfiles.resolution import Resolved, Source, source_for

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile

_METADATA = "__metadata"


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every copy of `name`.

    A `checksum` is of yarn's own zip and no integrity of the archive; a package with a `patch:`
    is there twice, as yarn takes it and as yarn patches it.
    """
    content = lockfile.content()
    if not re.search(rf"^{_METADATA}:", content, re.MULTILINE):
        yield from yarn_classic.read(lockfile, content, name)
        return
    for key, value in lockfile.yaml().items():
        if key == _METADATA:
            continue
        own, reference = split(text_of(value.table(), "resolution"))
        version = text_of(value.table(), "version")
        source = _source(own, reference, version)
        for directory in dict.fromkeys(split(descriptor)[0] for descriptor in key.split(", ")):
            if seen := source_for(name, directory=directory, own=own, source=source):
                yield Resolved(
                    # A link's and a member's version stands in its package.json alone.
                    version="" if version == "0.0.0-use.local" else version,
                    integrity=(),
                    source=seen,
                    lockfile=lockfile.name,
                    place=value.key,
                )
                break


def _source(name: str, reference: str, version: str) -> Source:
    """The source that a resolution's reference names, `npm:1.0.0` or `patch:…` or an address."""
    if reference.startswith("patch:"):
        return Source.PATCH
    if reference.startswith("npm:"):
        bindings = parse_qs(reference.partition("::")[2])
        reference = bindings.get("__archiveUrl", [""])[0]
    return source_of(reference, name=name, version=version, checked=True)
