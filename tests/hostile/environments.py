"""Hostile Python environments: a package's RECORD, its METADATA, its bytecode, where it stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app_making import write
from patch_making import file, patch_text

from .input import Input
from .world import NEW, OLD, World, outside_of, replace

KIND = "Python environment"
_INFO = "evil-1.0.0.dist-info"
_LATIN = os.fsdecode(b"caf\xe9")
_MEGABYTE = 1 << 20

Change = Callable[[Path], object]


def inputs() -> Iterator[Input]:
    """All of them."""
    for name, (change, code, says) in (_records() | _metadata() | _others()).items():
        yield _input(name, change, code, says)


def _input(name: str, change: Change, code: int, says: str) -> Input:
    """An installed package of Python, and a change of where it is installed."""

    def lay_out(world: World) -> Sequence[str]:
        site = world.root / "site"
        pristine = {"evil.py": OLD}
        files = {
            f"{_INFO}/METADATA": file("Name: evil\nVersion: 1.0.0\n"),
            f"{_INFO}/RECORD": file("evil.py,,\n"),
        }
        write(site, pristine | files)
        patch = patch_text({"evil.py": (OLD, NEW)})
        (world.app.patches / "evil+1.0.0.patch").write_bytes(patch)
        world.app.manifest(["pkg:pypi/evil@1.0.0"])
        world.app.lock({"evil@1.0.0": pristine})
        change(site)
        return world.words("apply", "--python", str(site))

    return Input(name=name, lay_out=lay_out, code=code, says=says)


def _written(path: str, data: bytes) -> Change:
    return lambda site: (site / path).write_bytes(data)


def _replaced(path: str, make: Change) -> Change:
    return lambda site: replace(site / path, make)


def _moved(path: str) -> Change:
    """Let a link stand where something was, to where that is now, outside."""
    return _replaced(path, lambda place: place.symlink_to(outside_of(place) / "moved"))


def _closed(path: str) -> Change:
    return lambda site: (site / path).chmod(0)


def _records() -> dict[str, tuple[Change, int, str]]:
    record = f"{_INFO}/RECORD"
    return {
        "RECORD: a pipe": (_replaced(record, os.mkfifo), 0, ""),
        "RECORD: a directory": (_replaced(record, Path.mkdir), 0, ""),
        "RECORD: for nobody": (_closed(record), 3, "RECORD: cannot read: Permission denied"),
        "RECORD: a link out": (_moved(record), 3, "behind a link"),
        "RECORD: a line of 10 MB": (_written(record, b"x" * (10 * _MEGABYTE)), 0, ""),
        "RECORD: 100,000 lines": (_written(record, b"evil.txt,,\n" * 100_000), 0, ""),
        "RECORD: no text": (_written(record, b"a\0b,,\n\xff,,\n"), 0, ""),
    }


def _metadata() -> dict[str, tuple[Change, int, str]]:
    metadata, origin = f"{_INFO}/METADATA", f"{_INFO}/direct_url.json"
    lines, line = b"a: b\n" * (2 * _MEGABYTE), b"a" * (10 * _MEGABYTE)
    return {
        "METADATA: a pipe": (_replaced(metadata, os.mkfifo), 3, "not a plain file"),
        "METADATA: for nobody": (_closed(metadata), 3, "Permission denied"),
        "METADATA: 10 MB": (_written(metadata, lines), 3, "no METADATA"),
        "METADATA: a line of 10 MB": (_written(metadata, line), 3, "no METADATA"),
        "METADATA: escapes": (_written(metadata, b"Version: 1\x1b[2J\x07\n"), 0, ""),
        "direct_url.json: deep": (_written(origin, b'{"a":' * 100_000), 3, "from an index"),
        "direct_url.json: escapes": (_written(origin, _ESCAPES), 3, "installed from"),
    }


_ESCAPES = b'{"url": "\\u001b[2J"}'


def _others() -> dict[str, tuple[Change, int, str]]:
    return {
        "dist-info: a link out": (_moved(_INFO), 3, "behind a link"),
        "dist-info: twice": (
            lambda site: (site / "Evil-2.0.0.dist-info").mkdir(),
            3,
            "installed twice",
        ),
        "bytecode: a link out": (_link_bytecode, 3, "behind a link"),
        "bytecode: a file": (_written("__pycache__", b""), 0, ""),
        "bytecode: a directory": (
            lambda site: (site / "__pycache__/evil.cpython-311.pyc").mkdir(parents=True),
            0,
            "",
        ),
        "all for nobody": (lambda site: site.chmod(0), 3, "Permission denied"),
        "names that are no text": (lambda site: (site / f"{_LATIN}.dist-info").mkdir(), 0, ""),
    }


def _link_bytecode(site: Path) -> None:
    cache = outside_of(site) / "cache"
    write(cache, {"evil.cpython-311.pyc": file("theirs")})
    (site / "__pycache__").symlink_to(cache)
