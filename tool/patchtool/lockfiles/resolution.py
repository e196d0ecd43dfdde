"""What a lockfile says about one package, as values. Reads nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Source(Enum):
    """Where a project takes a package from."""

    REGISTRY = "the registry"
    GIT = "a git address"
    TARBALL = "an archive at an address outside the registry"
    FILE = "an archive or a directory on this machine"
    LINK = "a link to a directory"
    WORKSPACE = "a member of the workspace"
    BUNDLED = "the archive of the package that bundles it"
    PATCH = "the registry, with a patch that the package manager itself puts on"
    ALIAS = "the registry, where it is another package"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One copy of a package that a project will get.

    `version` is empty where the lockfile records none (most links and members, some git
    addresses). `integrity` has every content that the lockfile allows, as `sha512-<base64>` (npm)
    or `sha256-<hex>` (PyPI), and is empty where it fixes none. `lockfile` is relative to the root;
    `place` is the key or the line in it.
    """

    version: str
    integrity: tuple[str, ...]
    source: Source
    lockfile: str
    place: str


def source_for(name: str, *, directory: str, own: str, source: Source) -> Source | None:
    """The source of a copy as the package `name` sees it; None if it is another package.

    `directory` is the name it is installed under, `own` the package's own name. A registry
    package installed under another's name is an alias of it: it must not be taken for that one.
    Anything else under this name is what the program that asks for the name gets.
    """
    if own == name:
        return source
    if directory == name:
        return Source.ALIAS if source is Source.REGISTRY else source
    return None
