"""An archive at an address, as the origin of a vendored package."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from patchtool.archive import unpack_tarball, unpack_zip
from patchtool.files import File
from patchtool.store import Request, Route, Store

# The same limits as for the files of a release.
_LIMIT, _SECONDS = 512 * 1024 * 1024, 300.0


def integrity(address: str, subject: str, store: Store) -> str:
    """The sha256 of the archive; what was seen once at an address is not fetched again."""
    kept = store.kept("archives", address)
    if kept is not None:
        return kept.decode()
    data = store.fetch(_request(address, subject, store)).body
    found = f"sha256-{hashlib.sha256(data).hexdigest()}"
    store.cache.keep_artefact(found, data, subject)
    store.keep("archives", address, found.encode())
    return found


def files(address: str, integrity: str, subject: str, store: Store) -> Mapping[str, File]:
    """The files of the archive with this integrity: those of a tarball without the first directory.

    A zip file's paths are taken as they are.
    """
    data = store.artefact(integrity, subject, lambda: _request(address, subject, store))
    unpack = unpack_zip if data.startswith(b"PK") else unpack_tarball
    return unpack(data, subject=subject)


def _request(address: str, subject: str, store: Store) -> Request:
    return Request(
        url=address,
        subject=subject,
        route=Route.usual(store.environment),
        limit=_LIMIT,
        seconds=_SECONDS,
    )
