"""The order of versions and what a range takes in, by each ecosystem's own rules. Pure.

A registry's list has versions nobody can read; they are passed over, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

# Real ranges are a few words. Reading one takes time that grows with the square of its length.
_LONGEST_RANGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    key: Any  # comparable with the keys of the same ecosystem
    prerelease: bool


def oldest_first(ecosystem: str, versions: Iterable[str]) -> tuple[str, ...]:
    """The versions that can be read, in the ecosystem's order."""
    return tuple(text for _, text in sorted(_readable(ecosystem, versions), key=_key))


def newest(ecosystem: str, versions: Iterable[str]) -> str | None:
    """The newest version that is no prerelease, else the newest prerelease, else None."""
    readable = _readable(ecosystem, versions)
    finished = [item for item in readable if not item[0].prerelease]
    return max(finished or readable, key=_key, default=(None, None))[1]


def is_prerelease(ecosystem: str, version: str) -> bool:
    """Whether a version is a prerelease; one that cannot be read counts as such."""
    read = _SCHEMES[ecosystem].read(version)
    return read is None or read.prerelease


def satisfies(ecosystem: str, version: str, wanted: str) -> bool:
    """Whether a range as a dependency states it takes in a version; False if it is no range.

    Tags, addresses and paths, which npm also takes for a dependency, are no ranges.
    """
    if len(wanted) > _LONGEST_RANGE or _SCHEMES[ecosystem].read(version) is None:
        return False
    return _SCHEMES[ecosystem].satisfies(version, wanted)


def is_exactly(ecosystem: str, wanted: str, version: str) -> bool:
    """Whether a range as a dependency states it takes in this version and no other."""
    read = _SCHEMES[ecosystem].read
    one, other = read(wanted.strip().lstrip("=").strip()), read(version)
    return one is not None and other is not None and bool(one.key == other.key)


def _readable(ecosystem: str, versions: Iterable[str]) -> list[tuple[_Version, str]]:
    read = _SCHEMES[ecosystem].read
    return [(version, text) for text in versions if (version := read(text)) is not None]


def _key(item: tuple[_Version, str]) -> Any:
    return item[0].key


def _read_npm(text: str) -> _Version | None:
    from functools import cmp_to_key

    from nodesemver import SemVer, make_semver  # type: ignore[import-untyped]

    try:
        version = make_semver(text, loose=False)
    except ValueError:
        return None
    return _Version(key=cmp_to_key(SemVer.compare)(version), prerelease=bool(version.prerelease))


def _satisfies_npm(version: str, wanted: str) -> bool:
    from nodesemver import satisfies

    try:
        return bool(satisfies(version, wanted, loose=False))
    except ValueError:
        return False


def _read_pypi(text: str) -> _Version | None:
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(text)
    except InvalidVersion:
        return None
    return _Version(key=version, prerelease=version.is_prerelease)


def _satisfies_pypi(version: str, wanted: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifiers = SpecifierSet(wanted)
    except InvalidSpecifier:
        return False
    # As pip: a prerelease only for specifiers that name one.
    return specifiers.contains(version, prereleases=bool(specifiers.prereleases))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scheme:
    read: Callable[[str], _Version | None]
    satisfies: Callable[[str, str], bool]


_SCHEMES = {
    "npm": _Scheme(read=_read_npm, satisfies=_satisfies_npm),
    "pypi": _Scheme(read=_read_pypi, satisfies=_satisfies_pypi),
}
