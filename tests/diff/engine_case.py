"""The engine's cases as values, and trees of files laid out on the disk."""

from __future__ import annotations

import base64
import json
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from patchtool.files import File, Mode

CASES = Path(__file__).parent.parent / "cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCase:
    """One case: a tree, a patch, and what must come of it."""

    name: str
    kind: str
    strip: int
    before: Mapping[str, File]
    patch: bytes
    expect: Mapping[str, Any]

    def expected(self, name: str) -> Mapping[str, File]:
        """One of the trees that the case expects."""
        return _files(self.expect[name])


@pytest.fixture(name="tmp_path")
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory in memory where there is one, and no waiting for the disk: no power is lost."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    shared = Path("/dev/shm")  # noqa: S108
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as directory:
        yield Path(directory)


def load(name: str) -> Iterator[EngineCase]:
    """The cases of one file."""
    for line in (CASES / name).read_text().splitlines():
        record = json.loads(line)
        yield EngineCase(
            name=record["id"],
            kind=record["kind"],
            strip=record["strip"],
            before=_files(record["before"]),
            patch=_bytes(record, "patch_"),
            expect=record["expect"],
        )


def _bytes(record: Mapping[str, Any], prefix: str = "") -> bytes:
    if f"{prefix}text" in record:
        text: str = record[f"{prefix}text"]
        return text.encode("utf-8")
    if f"{prefix}b64" in record:
        return base64.b64decode(record[f"{prefix}b64"])
    return zlib.decompress(base64.b64decode(record[f"{prefix}zb64"]))


def _files(tree: Mapping[str, Any]) -> dict[str, File]:
    return {
        path: File(data=os.fsencode(entry["symlink"]), mode=Mode.SYMLINK)
        if "symlink" in entry
        else File(data=_bytes(entry), mode=Mode(entry["mode"]))
        for path, entry in tree.items()
    }


def lay_out(tree: Mapping[str, File], base: Path) -> None:
    """Make the files below `base`; their times are long past."""
    base.mkdir(exist_ok=True)
    for path, file in tree.items():
        full = base / path
        full.parent.mkdir(parents=True, exist_ok=True)
        if file.mode is Mode.SYMLINK:
            full.symlink_to(os.fsdecode(file.data))
            continue
        full.write_bytes(file.data)
        full.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)
        os.utime(full, ns=(10**18, 10**18))


def look(base: Path) -> dict[str, File | str]:
    """Everything below `base`: files and links, and directories that hold nothing."""
    found: dict[str, File | str] = {}
    for directory, directories, names in os.walk(base):
        here = Path(directory)
        links = [name for name in directories if (here / name).is_symlink()]
        for name in names + links:
            found[str((here / name).relative_to(base))] = _file(here / name)
        if not names and not directories and here != base:
            found[str(here.relative_to(base))] = "empty directory"
    return found


def _file(path: Path) -> File | str:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return File(data=os.fsencode(path.readlink()), mode=Mode.SYMLINK)
    if not stat.S_ISREG(status.st_mode):
        return "special file"
    executable = status.st_mode & stat.S_IXUSR
    return File(data=path.read_bytes(), mode=Mode.EXECUTABLE if executable else Mode.REGULAR)


def times(base: Path) -> dict[str, tuple[int, int]]:
    """Each file's inode and time of change."""
    return {
        str(path.relative_to(base)): (path.lstat().st_ino, path.lstat().st_mtime_ns)
        for path in base.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }
