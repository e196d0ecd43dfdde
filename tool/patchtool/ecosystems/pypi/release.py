"""A package's releases: their versions, whether they should be used, what they depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from patchtool.archive import unpack_zip
from patchtool.ecosystems import Release
from patchtool.ecosystems.pypi.configuration import configuration
from patchtool.ecosystems.pypi.contents import bytes_of, metadata_of, sha256_of
from patchtool.ecosystems.pypi.index import Distribution, distributions
from patchtool.store import Store

_METADATA_LIMIT, _METADATA_SECONDS = 4 * 1024 * 1024, 60.0


def releases(name: str, store: Store) -> tuple[Release, ...]:
    """All releases, oldest version first; a yanked one counts as deprecated.

    What a release depends on is fetched when it is first asked for.
    """
    versions: dict[Version, list[Distribution]] = {}
    for distribution in distributions(name, store):
        versions.setdefault(distribution.version, []).append(distribution)
    return tuple(
        Release(
            version=str(version),
            dependencies=_Dependencies(partial(_dependencies, name, files, store)),
            prerelease=version.is_prerelease,
            deprecated=_yanked(files),
        )
        for version, files in sorted(versions.items())
    )


class _Dependencies(Mapping[str, str]):
    """A release's dependencies, found out when they are first looked at."""

    def __init__(self, find: Callable[[], dict[str, str]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> dict[str, str]:
        return self._find()

    def __getitem__(self, name: str) -> str:
        return self._found[canonicalize_name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _dependencies(name: str, files: list[Distribution], store: Store) -> dict[str, str]:
    """What a release needs here, without extras: names and specifiers. None without a wheel."""
    wheels = [file for file in files if file.is_wheel]
    if not wheels:
        return {}
    raw, _ = parse_email(_metadata(name, wheels[0], store))
    found: dict[str, str] = {}
    for text in raw.get("requires_dist", []):
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found[canonicalize_name(requirement.name)] = str(requirement.specifier)
    return found


def _metadata(name: str, wheel: Distribution, store: Store) -> bytes:
    """A wheel's METADATA: alone where the index has it, else out of the wheel."""
    key = sha256_of(wheel)
    kept = store.kept("pypi-metadata", key)
    if kept is not None:
        return kept
    subject = f"{name}@{wheel.version}"
    if wheel.metadata and not wheel.path:
        pip = configuration(store)
        request = wheel.request(pip, subject, limit=_METADATA_LIMIT, seconds=_METADATA_SECONDS)
        data = store.fetch(replace(request, url=f"{wheel.url}.metadata")).body
    else:
        files = unpack_zip(bytes_of(wheel, f"sha256-{key}", subject, store), subject=subject)
        metadata = metadata_of(files)
        data = metadata.data if metadata else b""
    store.keep("pypi-metadata", key, data)
    return data


def _yanked(files: list[Distribution]) -> str | None:
    reasons = [file.yanked for file in files]
    if None in reasons:
        return None
    return "yanked" + (f": {reasons[0]}" if reasons[0] else "")
