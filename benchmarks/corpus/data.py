"""What the corpus consists of: the TOML files beside this module, read into values.

Every entry names exact versions and the hash that its registry gave: nothing is looked up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus.debian import SourcePackage
from benchmarks.corpus.releases import Published, Step
from benchmarks.corpus.shipped import Shipped, Target
from patchtool.package import Package

_DIRECTORY = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why patchtool is right to answer otherwise: most often, to refuse what another tool takes."""

    subject: str
    patch: str
    kind: str
    why: str


def source_packages(*, small: bool) -> list[SourcePackage]:
    """The Debian source packages, all or the few of the small part."""
    return [
        SourcePackage(name=entry["name"], version=entry["version"], sha256=entry["sha256"])
        for entry in _entries("debian", small)
    ]


def steps(*, small: bool) -> list[Step]:
    """The release steps, all or the few of the small part."""
    return [
        Step(before=_published(entry["before"]), after=_published(entry["after"]))
        for entry in _entries("releases", small)
    ]


def targets(*, small: bool) -> list[Target]:
    """The releases with the patches that were made for them, all or the few of the small part."""
    document = _read("shipped")
    carriers = {name: _published(entry) for name, entry in document["carrier"].items()}
    return [
        Target(
            release=_published(entry["release"]),
            patches=[
                Shipped(carrier=carriers[entry["carrier"]], path=path, strip=entry.get("strip", 1))
                for path in entry["patches"]
            ],
        )
        for entry in _entries("shipped", small)
    ]


def carriers(*, small: bool) -> list[Published]:
    """The packages that carry patches, all or the few of the small part."""
    entries = _read("shipped")["carrier"].values()
    return [_published(entry) for entry in entries if not small or entry.get("small", False)]


def explanations() -> list[Explanation]:
    """The answers that were looked at and found right."""
    return [Explanation(**entry) for entry in _read("explained")["answer"]]


def _entries(name: str, small: bool) -> Iterator[Mapping[str, Any]]:
    return (entry for entry in _read(name)["entry"] if not small or entry.get("small", False))


def _published(entry: Mapping[str, str]) -> Published:
    return Published(package=Package.from_purl(entry["purl"]), integrity=entry["integrity"])


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_DIRECTORY / f"{name}.toml").read_text(encoding="utf-8"))
