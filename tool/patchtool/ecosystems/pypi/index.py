"""What the indexes have of a package: files, versions, hashes. Fetches lists, no package.

Reads the simple repository API, as JSON (PEP 691) or HTML (PEP 503), over the network or from
directories.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from patchtool.ecosystems.pypi.configuration import Configuration, Source, configuration
from patchtool.errors import CannotTell, Problem
from patchtool.store import Request, Store

# A list of releases is taken as fresh for five minutes; indexes themselves say ten.
FRESH = 300.0

# The largest lists have some tens of megabytes.
_LIMIT, _SECONDS = 128 * 1024 * 1024, 60.0

_SHA256 = re.compile("[0-9a-fA-F]{64}")

_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """One file of a release: where it is, and what its index says of it.

    `sha256` is in hex. `metadata` says whether its METADATA can be had alone (PEP 658). `yanked`
    is the reason, "" if none is given, or None.
    """

    file: str
    version: Version
    url: str
    source: Source
    sha256: str | None
    metadata: bool
    yanked: str | None

    @property
    def is_wheel(self) -> bool:
        """Whether it is a wheel; else it is an sdist."""
        return self.file.endswith(".whl")

    @property
    def path(self) -> Path | None:
        """Where a local file is; None for one on a network."""
        return Source(url=self.url).path

    def request(self, pip: Configuration, subject: str, *, limit: int, seconds: float) -> Request:
        """How to get the file. Credentials go to the server that the index is on, and no other."""
        at_index = urlsplit(self.url)[:2] == urlsplit(self.source.url)[:2]
        return Request(
            url=self.url,
            subject=subject,
            route=pip.route(self.url),
            limit=limit,
            seconds=seconds,
            authorization=self.source.authorization if at_index else None,
        )


def distributions(name: str, store: Store, *, max_age: float = FRESH) -> tuple[Distribution, ...]:
    """All wheels and sdists of a package, in the order of pip's sources.

    Lists older than `max_age` seconds are asked for again; offline, no list is too old.
    `CannotTell` if no source knows the package, or one that may know it cannot be asked.
    """
    pip = configuration(store)
    found = tuple(
        distribution
        for source in pip.sources
        for distribution in _read(_listed(source, name, store, max_age), source, name)
    )
    if not found:
        store.require_network(name)
        raise CannotTell(
            Problem(
                kind="not-found",
                what="the package is on none of the indexes that pip is configured for",
                subject=name,
                found=", ".join(source.url for source in pip.sources),
                remedy="pip config list",
            )
        )
    return found


def _listed(source: Source, name: str, store: Store, max_age: float) -> list[dict[str, Any]]:
    url = source.url if source.page else f"{source.url.rstrip('/')}/{canonicalize_name(name)}/"
    path = Source(url=url).path
    if path is not None:
        return _local(path, url, name)
    kept = store.kept("pypi-index", url)
    document: dict[str, Any] = json.loads(kept) if kept else {"fetched": -float("inf"), "files": []}
    if not store.offline and store.now() - document["fetched"] >= max_age:
        document = _ask(url, source, name, store, document)
        store.keep("pypi-index", url, json.dumps(document).encode())
    files: list[dict[str, Any]] = document["files"]
    return files


def _ask(
    url: str, source: Source, name: str, store: Store, known: Mapping[str, Any]
) -> dict[str, Any]:
    etag = known.get("etag")
    request = Request(
        url=url,
        subject=name,
        route=configuration(store).route(url),
        limit=_LIMIT,
        seconds=_SECONDS,
        headers={"Accept": _ACCEPT} | ({"If-None-Match": etag} if etag else {}),
        authorization=source.authorization,
    )
    try:
        response = store.fetch(request)
    except CannotTell as error:
        if error.problem.kind != "not-found":
            raise
        return {"fetched": store.now(), "etag": None, "files": []}
    files = known["files"] if response.unchanged else _files(response.body, url, name)
    return {"fetched": store.now(), "etag": response.etag or etag, "files": files}


def _local(path: Path, url: str, name: str) -> list[dict[str, Any]]:
    """The files in a directory, or those that an HTML file lists; none if there is neither."""
    page = path / "index.html" if path.is_dir() else path
    try:
        if page.is_file():
            return _files(page.read_bytes(), url, name)
        entries = sorted(path.iterdir()) if path.is_dir() else []
    except OSError as error:
        what = f"a place that pip is configured for cannot be read: {error.strerror}"
        raise CannotTell(Problem(kind="index", what=what, path=str(path))) from error
    return [{"filename": entry.name, "url": entry.absolute().as_uri()} for entry in entries]


def _files(body: bytes, url: str, name: str) -> list[dict[str, Any]]:
    """The few facts of each file that are needed, from a list in either form."""
    from mousebender.simple import UnsupportedAPIVersion, from_project_details_html

    text = body.decode("utf-8", "replace")
    try:
        if text.lstrip().startswith("{"):
            given = json.loads(text)["files"]
        else:
            given = from_project_details_html(text, name)["files"]
        return [
            {
                "filename": file["filename"],
                "url": _address(url, file["url"]),
                "sha256": (file.get("hashes") or {}).get("sha256"),
                "metadata": bool(file.get("core-metadata") or file.get("dist-info-metadata")),
                "yanked": file.get("yanked"),
            }
            for file in given
        ]
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        UnsupportedAPIVersion,
    ) as error:
        raise CannotTell(
            Problem(
                kind="answer",
                what="the index's answer is not what it should be",
                subject=name,
                path=url,
                expected="a list of files in the form of the simple repository API",
            )
        ) from error


def _address(page: str, link: str) -> str:
    """Where a link on a page leads; ValueError if a page of a server leads to a file of ours."""
    address = urldefrag(urljoin(page, link)).url
    if urlsplit(address).scheme == "file" and urlsplit(page).scheme != "file":
        raise ValueError("a link to a local file")
    return address


def _read(files: list[dict[str, Any]], source: Source, name: str) -> Iterator[Distribution]:
    """The files that are wheels or sdists of the package; all others are passed over."""
    for file in files:
        parsed = _parse(str(file["filename"]))
        if parsed is None or parsed[0] != canonicalize_name(name):
            continue
        yanked = file.get("yanked")
        sha256 = file.get("sha256")
        yield Distribution(
            file=unquote(str(file["filename"])),
            version=parsed[1],
            url=str(file["url"]),
            source=source,
            sha256=sha256.lower()
            if isinstance(sha256, str) and _SHA256.fullmatch(sha256)
            else None,
            metadata=bool(file.get("metadata")),
            yanked=None if yanked in (None, False) else yanked if isinstance(yanked, str) else "",
        )


def _parse(file: str) -> tuple[str, Version] | None:
    try:
        if file.endswith(".whl"):
            return parse_wheel_filename(file)[:2]
        return parse_sdist_filename(file) if file.endswith(".tar.gz") else None
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
