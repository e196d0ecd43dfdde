"""Files kept between runs, found by content or by key; every byte is checked before it is used.

It never fetches anything, and never replaces an artefact that has changed: it says so.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from patchtool.errors import CannotTell, Problem

_SIZES = {"sha256": 32, "sha512": 64}


def cache_directory(environment: Mapping[str, str]) -> Path:
    """Where the cache is: PATCHTOOL_CACHE, else the platform's directory for caches."""
    chosen = environment.get("PATCHTOOL_CACHE")
    if chosen:
        return Path(chosen).absolute()
    from platformdirs import user_cache_path

    return user_cache_path("patchtool")


def read_integrity(text: str) -> tuple[str, bytes]:
    """The algorithm and the digest of `sha512-<base64>` or `sha256-<hex>`; else ValueError."""
    algorithm, _, value = text.partition("-")
    if algorithm not in _SIZES:
        raise ValueError(f"{algorithm or 'nothing'} is no hash that is trusted here")
    try:
        digest = (
            bytes.fromhex(value) if algorithm == "sha256" else base64.b64decode(value, None, True)
        )
    except (ValueError, binascii.Error):
        digest = b""
    if len(digest) != _SIZES[algorithm]:
        raise ValueError(f"not a {algorithm} value")
    return algorithm, digest


def matches(data: bytes, integrity: str) -> bool:
    """Whether `data` has this integrity."""
    algorithm, digest = read_integrity(integrity)
    return hmac.compare_digest(hashlib.new(algorithm, data).digest(), digest)


class Cache:
    """The cache in one directory, which is made when the first entry is kept."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def artefact(self, integrity: str, subject: str) -> bytes | None:
        """The bytes with this integrity, or None; `CannotTell` names a file that has changed."""
        path = self._artefact_path(integrity)
        data = _read(path)
        if data is None or matches(data, integrity):
            return data
        raise CannotTell(
            Problem(
                kind="artefact",
                what="the cached artefact is not what was fetched: the file has changed",
                subject=subject,
                path=str(path),
                expected=integrity,
                found=_integrity_like(integrity, data),
                remedy=f"rm {shlex.quote(str(path))}",
            )
        )

    def keep_artefact(self, integrity: str, data: bytes, subject: str) -> None:
        """Keep `data`; `CannotTell` if that is not its integrity, and nothing is kept."""
        if not matches(data, integrity):
            raise CannotTell(
                Problem(
                    kind="integrity",
                    what="what was fetched is not the release that is pinned",
                    subject=subject,
                    expected=integrity,
                    found=_integrity_like(integrity, data),
                )
            )
        self._write(self._artefact_path(integrity), data)

    def keep(self, kind: str, key: str, data: bytes) -> None:
        """Keep `data` under `key`, with its hash in front."""
        self._write(self._result_path(kind, key), _checksum(data) + data)

    def kept(self, kind: str, key: str) -> bytes | None:
        """What was kept under `key`. A changed file is as good as none: it can be made again."""
        stored = _read(self._result_path(kind, key))
        if stored is None:
            return None
        checksum, data = stored[:65], stored[65:]
        return data if checksum == _checksum(data) else None

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """An empty directory on the cache's own file system, removed afterwards."""
        with self._explained():
            self.directory.mkdir(parents=True, exist_ok=True)
            temporary = tempfile.TemporaryDirectory(
                dir=self.directory, prefix="tmp-", ignore_cleanup_errors=True
            )
        with temporary as path:
            yield Path(path)

    def _artefact_path(self, integrity: str) -> Path:
        algorithm, digest = read_integrity(integrity)
        return self.directory / "artefacts" / algorithm / digest.hex()

    def _result_path(self, kind: str, key: str) -> Path:
        return self.directory / kind / hashlib.sha256(os.fsencode(key)).hexdigest()

    def _write(self, path: Path, data: bytes) -> None:
        """Write a whole file or none: another patchtool may read or write the same entry."""
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix="tmp-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise CannotTell(
                Problem(
                    kind="cache",
                    what=f"cannot write to the cache: {error.strerror}",
                    path=str(self.directory),
                    remedy="export PATCHTOOL_CACHE=DIR, a directory that you can write to",
                )
            ) from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        what = f"cannot read the cache: {error.strerror}"
        raise CannotTell(Problem(kind="cache", what=what, path=str(path))) from error


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode() + b"\n"


def _integrity_like(integrity: str, data: bytes) -> str:
    algorithm, _ = read_integrity(integrity)
    digest = hashlib.new(algorithm, data).digest()
    value = digest.hex() if algorithm == "sha256" else base64.b64encode(digest).decode()
    return f"{algorithm}-{value}"
