"""What a registry says of a package, and the packages' files. All that is fetched is checked."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from patchtool.archive import unpack_tarball
from patchtool.ecosystems import Release
from patchtool.ecosystems.npm.configuration import Configuration, configuration
from patchtool.errors import CannotTell, Problem
from patchtool.files import File, Mode
from patchtool.package import Package
from patchtool.store import Request, Response, Store, read_integrity, read_object
from patchtool.versions import is_prerelease, oldest_first

# A list of releases is taken as fresh for five minutes, which is what registries say themselves.
FRESH = 300.0

# The largest lists of releases have some tens of megabytes, the largest tarballs a few hundred.
_LIST_LIMIT, _LIST_SECONDS = 128 * 1024 * 1024, 60.0
_TARBALL_LIMIT, _TARBALL_SECONDS = 256 * 1024 * 1024, 300.0


def integrity(package: Package, store: Store) -> str:
    """The sha512 that the registry gives for the release; a release without one is refused."""
    given = str(_release(package, store).get("integrity") or "")
    for value in given.split():
        try:
            algorithm, _ = read_integrity(value)
        except ValueError:
            continue
        if algorithm == "sha512":
            return value
    raise CannotTell(
        Problem(
            kind="integrity",
            what="the registry gives no sha512 for this release, so its bytes cannot be pinned",
            subject=str(package),
            expected="sha512-...",
            found=given or "none, or SHA-1 only",
        )
    )


def artefact(package: Package, integrity: str, store: Store) -> Mapping[str, File]:
    """The release's files as `npm install` writes them, from the tarball with this integrity."""
    data = store.artefact(integrity, str(package), lambda: _tarball(package, store))
    files = unpack_tarball(data, subject=str(package))
    programs = _programs(files, package)
    return {
        path: File(data=file.data, mode=Mode.EXECUTABLE) if path in programs else file
        for path, file in _without_gitignore(files).items()
    }


def releases(name: str, store: Store) -> tuple[Release, ...]:
    """All releases, oldest version first. Versions that npm itself could not read are left out."""
    versions = _versions(name, store, max_age=FRESH)
    return tuple(
        Release(
            version=version,
            dependencies=versions[version]["dependencies"],
            prerelease=is_prerelease("npm", version),
            deprecated=versions[version]["deprecated"],
        )
        for version in oldest_first("npm", versions)
    )


def published(package: Package, store: Store) -> str | None:
    """When the release was published (ISO 8601), if the registry says so."""
    time = _release(package, store).get("published")
    return time if isinstance(time, str) else None


def _release(package: Package, store: Store) -> dict[str, Any]:
    """What the registry says of one release: what is kept will do, because it never changes."""
    for max_age in (float("inf"), FRESH):
        versions = _versions(package.name, store, max_age=max_age)
        if package.version in versions:
            return versions[package.version]
    store.require_network(str(package))
    raise CannotTell(
        Problem(
            kind="no-release",
            what="there is no such release",
            subject=str(package),
            remedy=f"npm view {package.name} versions",
        )
    )


def _versions(name: str, store: Store, *, max_age: float) -> dict[str, dict[str, Any]]:
    """The releases by version, fetched again if what is kept is older than `max_age` seconds.

    Offline, what is kept is never too old.
    """
    kept = store.kept("npm-releases", name)
    document: dict[str, Any] = json.loads(kept) if kept else {}
    if not document or not (store.offline or store.now() - document["fetched"] < max_age):
        store.require_network(name)
        response = store.fetch(_list(name, configuration(store), document.get("etag")))
        if not response.unchanged:
            document = {"etag": response.etag, "versions": _extract(response, name)}
        document["fetched"] = store.now()
        store.keep("npm-releases", name, json.dumps(document).encode())
    versions: dict[str, dict[str, Any]] = document["versions"]
    return versions


def _list(name: str, npm: Configuration, etag: str | None) -> Request:
    url = npm.registry(name) + quote(name, safe="@")
    return Request(
        url=url,
        subject=name,
        route=npm.route(name),
        limit=_LIST_LIMIT,
        seconds=_LIST_SECONDS,
        headers={"Accept": "application/json"} | ({"If-None-Match": etag} if etag else {}),
        authorization=npm.authorization(url),
    )


def _extract(response: Response, name: str) -> dict[str, dict[str, Any]]:
    """The few facts of each release that are needed, from npm's document on a package."""
    document = read_object(response, name)
    versions = _object(document.get("versions"))
    if document.get("name") != name or not versions:
        raise CannotTell(
            Problem(
                kind="answer",
                what="the registry's answer is not what it should be",
                subject=name,
                expected="the releases of this package",
                found=f"an object about {document.get('name', 'nothing')!r}",
            )
        )
    times = _object(document.get("time"))
    return {
        version: _facts(_object(release), times.get(version))
        for version, release in versions.items()
    }


def _facts(release: dict[str, Any], published: object) -> dict[str, Any]:
    dist = _object(release.get("dist"))
    needed = _object(release.get("peerDependencies")) | _object(release.get("dependencies"))
    deprecated = release.get("deprecated")
    return {
        "integrity": dist.get("integrity"),
        "tarball": dist.get("tarball"),
        "dependencies": {key: value for key, value in needed.items() if isinstance(value, str)},
        "deprecated": deprecated if isinstance(deprecated, str) and deprecated else None,
        "published": published if isinstance(published, str) else None,
    }


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tarball(package: Package, store: Store) -> Request:
    address = _release(package, store)["tarball"]
    if not isinstance(address, str) or not _is_address(address):
        what = "the registry gives no address for this release"
        raise CannotTell(Problem(kind="answer", what=what, subject=str(package)))
    npm = configuration(store)
    url = _replace_host(address, npm, package.name)
    return Request(
        url=url,
        subject=str(package),
        route=npm.route(package.name),
        limit=_TARBALL_LIMIT,
        seconds=_TARBALL_SECONDS,
        authorization=npm.authorization(url),
    )


def _is_address(text: str) -> bool:
    try:
        return urlsplit(text).scheme in ("http", "https")
    except ValueError:
        return False


def _replace_host(address: str, npm: Configuration, name: str) -> str:
    """The tarball's address on the configured registry, where npm's replace-registry-host says so.

    A mirror often hands out the public registry's addresses. The setting is `always`, `never`, a
    host, or (npm's default) the middle part of the public registry's name; it has no effect on
    other hosts.
    """
    setting = npm.settings.get("replace-registry-host", "never")
    parts = urlsplit(address)
    host = parts.hostname or ""
    if setting == "never" or not (setting in ("always", host) or setting in host.split(".")):
        return address
    registry = urlsplit(npm.registry(name))
    base = registry.path.rstrip("/")
    path = parts.path if parts.path.startswith(f"{base}/") else base + parts.path
    return urlunsplit((registry.scheme, registry.netloc, path, "", ""))


def _programs(files: Mapping[str, File], package: Package) -> set[str]:
    """The paths that package.json lists as programs: npm makes them executable.

    `CannotTell` if package.json is of another package: the registry gave a wrong file.
    """
    try:
        manifest = _object(json.loads(files["package.json"].data))
    except (KeyError, ValueError, RecursionError):
        manifest = {}
    found = f"{manifest.get('name')}@{_plain_version(manifest.get('version'))}"
    if found != f"{package.name}@{_plain_version(package.version)}":
        raise CannotTell(
            Problem(
                kind="artefact",
                what="the artefact's package.json is of another release",
                subject=str(package),
                path="package.json",
                expected=str(package),
                found=found,
            )
        )
    programs = manifest.get("bin")
    listed = programs.values() if isinstance(programs, dict) else [programs]
    return {posixpath.normpath(path) for path in listed if isinstance(path, str)}


def _plain_version(version: object) -> str:
    """A version as registries write it: without a `v` in front and build metadata behind."""
    return str(version).strip().lstrip("v=").partition("+")[0]


def _without_gitignore(files: Mapping[str, File]) -> dict[str, File]:
    """A .gitignore is installed under the name .npmignore, or not at all beside one."""
    renamed = {
        posixpath.join(posixpath.dirname(path), ".npmignore"): file
        for path, file in files.items()
        if posixpath.basename(path) == ".gitignore"
    }
    others = {
        path: file for path, file in files.items() if posixpath.basename(path) != ".gitignore"
    }
    return renamed | others
