"""An index of Python packages that the tests make; a server of the tests answers for it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

from http_server import Server


def make_wheel(
    name: str,
    version: str,
    files: Mapping[str, bytes] | None = None,
    *,
    requires: tuple[str, ...] = (),
    executable: tuple[str, ...] = (),
) -> bytes:
    """A pure wheel with a true RECORD."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {text}\n" for text in requires)
    info = f"{name}-{version}.dist-info"
    content = {f"{name}.py": b"value = 1\n"} if files is None else dict(files)
    content |= {
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f'"{path}",{record_hash(data)},{len(data)}\n' for path, data in content.items()]
    content[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in content.items():
            member = zipfile.ZipInfo(path, date_time=(2026, 1, 2, 3, 4, 6))
            member.external_attr = (0o100755 if path in executable else 0o100644) << 16
            archive.writestr(member, data)
    return stream.getvalue()


def make_sdist(name: str, version: str, files: Mapping[str, bytes]) -> bytes:
    """An sdist with its PKG-INFO."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, data in {"PKG-INFO": metadata, **files}.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)


def record_hash(data: bytes) -> str:
    """A hash as RECORD writes it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.rstrip(b"=").decode()


class Index:
    """Packages by name, served by the test's own server, as JSON."""

    def __init__(self, server: Server, base: str = "/simple") -> None:
        self.server = server
        self.base = base
        self.url = server.url + base
        self._files: dict[str, list[dict[str, Any]]] = {}

    def publish(self, file: str, data: bytes, **facts: Any) -> str:
        """Put a file on the index, with what else it says of it; its integrity."""
        self.server.answer(f"/files/{file}", data)
        sha256 = hashlib.sha256(data).hexdigest()
        name = file.partition("-")[0].replace("_", "-").lower()
        entry = {"filename": file, "url": f"../../files/{file}", "hashes": {"sha256": sha256}}
        self._files.setdefault(name, []).append(entry | facts)
        return f"sha256-{sha256}"

    def release(self, name: str, version: str, *arguments: Any, **options: Any) -> str:
        """Make a pure wheel and publish it; its integrity."""
        data = make_wheel(name, version, *arguments, **options)
        return self.publish(f"{name}-{version}-py3-none-any.whl", data)

    def serve(self, **headers: str) -> None:
        """Answer for all packages as they are now."""
        for name, files in self._files.items():
            body = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": files})
            kind = {"Content_Type": "application/vnd.pypi.simple.v1+json"}
            self.server.answer(f"{self.base}/{name}/", body.encode(), status=200, **kind | headers)
