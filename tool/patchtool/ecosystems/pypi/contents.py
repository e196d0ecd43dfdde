"""The files of one release: which file of it is meant, its integrity, and what is in it.

All that is fetched is checked before it is unpacked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

from packaging.metadata import parse_email
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from patchtool.archive import unpack_tarball, unpack_zip
from patchtool.ecosystems.pypi.configuration import configuration
from patchtool.ecosystems.pypi.index import Distribution, distributions
from patchtool.errors import CannotTell, Problem
from patchtool.files import File
from patchtool.package import Package
from patchtool.store import Store

# The largest wheels that somebody could want to patch have a few hundred megabytes.
_LIMIT, _SECONDS = 512 * 1024 * 1024, 300.0

# What an installer writes itself, or does not put beside the packages.
_NOT_INSTALLED = re.compile(r"[^/]+\.dist-info/RECORD(\.jws|\.p7s)?|[^/]+\.data/.*")
_METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
_INSTALLED_DATA = re.compile(r"[^/]+\.data/(purelib|platlib)/(.+)")


def integrity(package: Package, store: Store) -> str:
    """The sha256 of the release's file: the one that is named, else its only wheel."""
    return f"sha256-{sha256_of(_choose(package, store))}"


def artefact(package: Package, integrity: str, store: Store) -> Mapping[str, File]:
    """The release's files as pip puts them into site-packages, from the file with this integrity.

    Left out is what pip writes itself (RECORD) or puts elsewhere (scripts). An sdist's files are
    taken without its first directory, and without `src/`.
    """
    data = fetch(package, integrity, store)
    if data.startswith(b"PK"):
        files = dict(_installed(unpack_zip(data, subject=str(package))))
        metadata = metadata_of(files)
    else:
        files = unpack_tarball(data, subject=str(package))
        metadata = files.get("PKG-INFO")
        files = {_without_src(path, files): file for path, file in files.items()}
    _check(package, metadata.data if metadata else b"")
    return files


def _choose(package: Package, store: Store) -> Distribution:
    """The one file that a package means. What is known of a release will do, for it stays so."""
    for max_age in (float("inf"), 0.0):
        files = _of_release(package, store, max_age)
        if files:
            break
    else:
        raise _no_release(package)
    if package.file:
        named = [file for file in files if file.file == package.file]
        if named:
            return named[0]
        raise _unclear(package, "no-release", "the release has no file of this name", files)
    wheels = [file for file in files if file.is_wheel]
    if len({wheel.file for wheel in wheels}) == 1:
        return wheels[0]
    if wheels:
        what = "the release has several wheels, so one must be named"
        raise _unclear(package, "several-files", what, wheels)
    raise _unclear(package, "no-wheel", "the release has no wheel; an sdist must be named", files)


def _of_release(package: Package, store: Store, max_age: float) -> list[Distribution]:
    try:
        version = Version(package.version)
    except InvalidVersion as error:
        raise _no_release(package) from error
    found = distributions(package.name, store, max_age=max_age)
    return [file for file in found if file.version == version]


def sha256_of(file: Distribution) -> str:
    """The SHA-256 of a file in hex: what its index says, or what a local file has."""
    if file.sha256:
        return file.sha256
    if file.path:
        return hashlib.sha256(file.path.read_bytes()).hexdigest()
    raise CannotTell(
        Problem(
            kind="integrity",
            what="the index gives no sha256 for this file, so its bytes cannot be pinned",
            subject=file.file,
            path=file.source.url,
            expected="sha256-...",
        )
    )


def fetch(package: Package, integrity: str, store: Store) -> bytes:
    """The bytes of the release's file with this integrity, from the cache or any source."""
    subject = str(package)
    kept = store.cache.artefact(integrity, subject)
    if kept is not None:
        return kept
    store.require_network(subject)
    files = _of_release(package, store, float("inf")) or _of_release(package, store, 0.0)
    fitting = [file for file in files if f"sha256-{sha256_of(file)}" == integrity]
    if not fitting:
        raise CannotTell(
            Problem(
                kind="integrity",
                what="no index has a file of this release with the pinned bytes",
                subject=subject,
                expected=integrity,
                found=", ".join(f"{file.file} sha256-{sha256_of(file)}" for file in files) or None,
            )
        )
    return bytes_of(fitting[0], integrity, subject, store)


def bytes_of(file: Distribution, integrity: str, subject: str, store: Store) -> bytes:
    """The bytes of a file, checked against `integrity`, from the cache or from its source."""
    if file.path:
        data = file.path.read_bytes()
        store.cache.keep_artefact(integrity, data, subject)
        return data
    pip = configuration(store)
    return store.artefact(
        integrity, subject, lambda: file.request(pip, subject, limit=_LIMIT, seconds=_SECONDS)
    )


def metadata_of(wheel: Mapping[str, File]) -> File | None:
    """A wheel's own METADATA; not that of a package that it has vendored."""
    found = [file for path, file in wheel.items() if _METADATA.fullmatch(path)]
    return found[0] if len(found) == 1 else None


def _without_src(path: str, files: Mapping[str, File]) -> str:
    inner = path.removeprefix("src/")
    return path if inner in files else inner


def _installed(files: Mapping[str, File]) -> Iterator[tuple[str, File]]:
    for path, file in files.items():
        data = _INSTALLED_DATA.fullmatch(path)
        if data:
            yield data[2], file
        elif not _NOT_INSTALLED.fullmatch(path):
            yield path, file


def _check(package: Package, metadata: bytes) -> None:
    """`CannotTell` if the metadata is of another release: the index gave a wrong file."""
    raw, _ = parse_email(metadata)
    name, version = raw.get("name", ""), raw.get("version", "")
    if canonicalize_name(name) != canonicalize_name(package.name) or not _same(
        version, package.version
    ):
        raise CannotTell(
            Problem(
                kind="artefact",
                what="the artefact's metadata is of another release",
                subject=str(package),
                expected=str(package),
                found=f"{name}@{version}" if name else "no metadata",
            )
        )


def _same(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return one == other


def _no_release(package: Package) -> CannotTell:
    return CannotTell(
        Problem(
            kind="no-release",
            what="there is no such release",
            subject=str(package),
            remedy=f"pip index versions {package.name}",
        )
    )


def _unclear(package: Package, kind: str, what: str, files: list[Distribution]) -> CannotTell:
    names = sorted({file.file for file in files})
    return CannotTell(
        Problem(
            kind=kind,
            what=what,
            subject=str(package),
            expected=f"a file as in {package.of_file(names[0]).purl}",
            found=", ".join(names),
        )
    )
