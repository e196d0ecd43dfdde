"""An npm registry with packages that the tests make; a server of the tests answers for it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
from typing import Any

from http_server import Server


class Registry:
    """npm packages by name and version, served by the test's own server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.url = server.url + "/npm/"
        self._documents: dict[str, dict[str, Any]] = {}

    def publish(
        self, name: str, version: str, files: dict[str, bytes] | None = None, **manifest: Any
    ) -> str:
        """Put a release on the registry; its integrity. Serve it all with `serve`."""
        own = {"name": name, "version": version} | manifest
        contents = {"package.json": json.dumps(own).encode(), "index.js": b"module.exports = 1\n"}
        data = tarball(contents | (files or {}))
        path = f"/npm/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self.server.answer(path, data)
        integrity = sri(data)
        dist = {"tarball": self.server.url + path, "integrity": integrity}
        document = self._documents.setdefault(
            name, {"name": name, "dist-tags": {}, "versions": {}, "time": {}}
        )
        document["versions"][version] = own | {"dist": dist}
        document["dist-tags"]["latest"] = version
        document["time"][version] = "2026-01-02T03:04:05.000Z"
        return integrity

    def document(self, name: str) -> dict[str, Any]:
        """What the registry says of a package; a test may change it before `serve`."""
        return self._documents[name]

    def serve(self, **headers: str) -> None:
        """Answer for all packages as they are now."""
        for name, document in self._documents.items():
            body = json.dumps(document).encode()
            for spelling in {name, name.replace("/", "%2f"), name.replace("/", "%2F")}:
                self.server.answer(f"/npm/{spelling}", body, status=200, **headers)


def sri(data: bytes) -> str:
    """The sha512 of some bytes as npm writes it."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def tarball(files: dict[str, bytes], *, modes: dict[str, int] | None = None) -> bytes:
    """An npm tarball of some files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, data in files.items():
            info = tarfile.TarInfo(f"package/{path}")
            info.size = len(data)
            info.mode = (modes or {}).get(path, 0o644)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)
