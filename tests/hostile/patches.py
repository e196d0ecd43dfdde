"""Hostile patches: paths that lead out, numbers that overflow, and sizes that nobody reads."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from diff.engine_case import EngineCase, lay_out, load

from .input import Input
from .world import World

KIND = "patch"
_MEGABYTE = 1 << 20
_HEAD = b"--- a/f\n+++ b/f\n"


def inputs() -> Iterator[Input]:
    """All of them."""
    for case in load("engine.jsonl"):
        yield _of_case(case)
    yield from _numbers()
    yield from _paths()
    for small in (True, False):
        yield from _sizes(small)


def _of_case(case: EngineCase) -> Input:
    """One of the engine's cases; those that must be refused for a path are never left out."""

    def words(world: World) -> Sequence[str]:
        tree = world.root / "tree"
        lay_out(case.before, tree)
        (world.root / "case.patch").write_bytes(case.patch)
        more = ("--allow-offset",) if case.kind == "offset" else ()
        return _words(world, "case.patch", "tree", f"--strip={case.strip}", *more)

    forward = case.expect["forward"]
    return Input(
        name=f"case {case.name}",
        lay_out=words,
        code=1 if forward.startswith("error:") else 0,
        is_long=case.kind != "path-safety" and forward != "error:unsafe-path",
    )


def _words(world: World, patch: str, into: str, *more: str) -> list[str]:
    places = ("--file", str(world.root / patch), "--into", str(world.root / into))
    return ["apply", *places, *more]


def _text(name: str, text: bytes, says: str, **bounds: Any) -> Input:
    return _file(name, _writes(text), 1, says, **bounds)


def _writes(*pieces: bytes) -> Callable[[IO[bytes]], object]:
    return lambda file: file.writelines(pieces)


def _file(
    name: str,
    write: Callable[[IO[bytes]], object],
    code: int,
    says: str = "",
    *,
    tree: Callable[[Path], None] | None = None,
    more: Sequence[str] = (),
    **bounds: Any,
) -> Input:
    """A patch that is written piece by piece, for a directory with one file or another tree."""

    def words(world: World) -> Sequence[str]:
        into = world.root / "tree"
        into.mkdir()
        (tree or _one_file)(into)
        with (world.root / "big.patch").open("wb") as file:
            write(file)
        return _words(world, "big.patch", "tree", *more)

    return Input(name=name, lay_out=words, code=code, says=says, **bounds)


def _one_file(into: Path) -> None:
    (into / "f").write_bytes(b"a\n")


def _numbers() -> Iterator[Input]:
    headers = {
        "a line number of 30 digits": b"-%s,1 +1,1" % (b"9" * 30),
        "a count of 30 digits": b"-1,%s +1,1" % (b"9" * 30),
        "a count of a megabyte of digits": b"-1,%s +1,1" % (b"9" * _MEGABYTE),
        "a line number of 15 digits": b"-%s,1 +1,1" % (b"9" * 15),
        "a count of 15 digits": b"-1,1 +1,%s" % (b"9" * 15),
        "a negative count": b"-1,-1 +1,1",
        "line 0": b"-0,1 +1,1",
    }
    for name, header in headers.items():
        yield _text(name, _HEAD + b"@@ %s @@\n-a\n+b\n" % header, "")
    binary = b"diff --git a/f b/f\nindex %s..%s\nGIT binary patch\n" % (b"1" * 40, b"2" * 40)
    yield _text("a literal of 15 digits", binary + _block(b"literal", b"x", 10**14), "")
    yield _text("a literal of 30 digits", binary + _block(b"literal", b"x", 10**29), "")
    yield _text("a literal that is longer", binary + _block(b"literal", bytes(1000), 1), "")
    yield _text("a delta of no base", binary + _block(b"delta", b"\xff" * 40, 40), "")
    yield _text("a delta for gigabytes", binary + _block(b"delta", _delta(1 << 40), 20), "")
    yield _file(
        "a literal of 256 MB of zeros",
        lambda file: file.write(binary + _packed(b"literal", _zeros(1 << 28), 1 << 28)),
        1,
        megabytes=600,
    )
    yield _text("a mode of 30 digits", b"diff --git a/f b/f\nold mode %s\n" % (b"7" * 30), "")


def _block(kind: bytes, data: bytes, size: int) -> bytes:
    return _packed(kind, zlib.compress(data), size)


def _packed(kind: bytes, packed: bytes, size: int) -> bytes:
    lines = [b"%s %d\n" % (kind, size)]
    for at in range(0, len(packed), 52):
        piece = packed[at : at + 52]
        length = len(piece)
        letter = chr(length + (64 if length <= 26 else 70)).encode()
        lines.append(letter + base64.b85encode(piece, pad=True) + b"\n")
    return b"".join([*lines, b"\n", b"literal 0\nHcmV?d00001\n\n"])


def _zeros(size: int) -> bytes:
    """So many zeros, compressed piece by piece."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(_MEGABYTE)) for _ in range(size // _MEGABYTE)]
    return b"".join([*parts, packer.flush()])


def _delta(size: int) -> bytes:
    """A delta whose result says that it has so many bytes."""
    numbers = bytearray([2])  # the size of the base
    while size >= 128:
        numbers.append(size & 127 | 128)
        size >>= 7
    return bytes([*numbers, size, 0x91, 0, 1])


def _paths() -> Iterator[Input]:
    hunk = b"@@ -0,0 +1 @@\n+x\n"
    paths = {
        "up": b"../../outside/x",
        "absolute": b"/outside/x",
        "up, in quotes": b'"b/../../outside/x"',
        "NUL": b'"b/x\\000y"',
        "a megabyte": b"b/" + b"x" * _MEGABYTE,
        "100,000 directories": b"b/" + b"d/" * 100_000 + b"x",
        "escapes": b"b/\x1b[2J\x07x",
        "300 bytes": b"b/" + b"x" * 300,
        "a directory of 300 bytes": b"b/" + b"x" * 300 + b"/x",
    }
    for name, path in paths.items():
        code = {"escapes": 0}.get(name, 3 if "300 bytes" in name else 1)
        text = b"--- /dev/null\n+++ " + path + b"\n" + hunk
        yield _file(f"a path: {name}", _writes(text), code)


def _sizes(small: bool) -> Iterator[Input]:
    """The same sizes in two forms."""
    megabytes, count = (2, 1_000) if small else (200, 100_000)
    seconds, most = (30, 100) if small else (150, 2000)
    bounds: dict[str, Any] = {"is_long": not small, "seconds": seconds, "megabytes": most}
    lines = _MEGABYTE // 64 * megabytes

    def garbage(file: IO[bytes]) -> None:
        for _ in range(megabytes):
            file.write((b"x" * 63 + b"\n") * (_MEGABYTE // 64))

    def addition(file: IO[bytes]) -> None:
        file.write(b"--- /dev/null\n+++ b/new\n@@ -0,0 +1,%d @@\n" % lines)
        for _ in range(megabytes):
            file.write((b"+" + b"x" * 63 + b"\n") * (_MEGABYTE // 64))

    def edit(file: IO[bytes]) -> None:
        file.write(_HEAD + b"@@ -1,%d +1,%d @@\n" % (lines + 1, lines + 1))
        for _ in range(megabytes):
            file.write((b" " + b"x" * 63 + b"\n") * (_MEGABYTE // 64))
        file.write(b"-a\n+b\n")

    quick = bounds | {"seconds": 30, "megabytes": max(100, 2 * megabytes)}
    yield _file(f"{megabytes} MB of no patch", garbage, 1, "no diff", **quick)
    yield _file(f"{megabytes} MB that make a file", addition, 0, **bounds)
    yield _file(f"{megabytes} MB that do not fit", edit, 1, "", **bounds)
    yield from _many(count, bounds)
    yield from _long_lines(1 if small else 50, bounds)


def _many(count: int, bounds: dict[str, Any]) -> Iterator[Input]:
    def hunks(file: IO[bytes], old: bytes = b"old", shift: int = 0) -> None:
        file.write(_HEAD)
        for number in range(count):
            at = 4 * number + 2 + shift
            context = (b" same %d\n" % (2 * number), b" same %d\n" % (2 * number + 1))
            file.write(b"@@ -%d,3 +%d,3 @@\n" % (at - 1, at - 1))
            file.write(context[0] + b"-%s %d\n+new %d\n" % (old, number, number) + context[1])

    def tree(into: Path) -> None:
        with (into / "f").open("wb") as file:
            for number in range(count):
                file.write(b"same %d\nold %d\nsame %d\n\n" % (2 * number, number, 2 * number + 1))

    def files(file: IO[bytes]) -> None:
        for number in range(count):
            file.write(b"--- a/%d\n+++ b/%d\n@@ -1 +1 @@\n-a\n+b\n" % (number, number))

    def alike(file: IO[bytes]) -> None:
        file.write(_HEAD)
        for number in range(count):
            file.write(b"@@ -%d +%d @@\n-b\n+c\n" % (2 * number + 1, 2 * number + 1))

    def alike_tree(into: Path) -> None:
        (into / "f").write_bytes(b"a\n" * (2 * count) + b"b\n")

    yield _file(f"{count} hunks", hunks, 0, tree=tree, **bounds)
    yield _file(f"{count} hunks of another file", hunks, 1, **bounds)
    yield _file(
        f"{count} hunks, all one line off",
        lambda file: hunks(file, shift=1),
        1,
        "only place",
        tree=tree,
        **bounds | {"seconds": 60, "megabytes": 300},
    )
    yield _file(
        f"{count} hunks that fit nowhere", lambda f: hunks(f, b"odd"), 1, tree=tree, **bounds
    )
    yield _file(f"{count} hunks that look alike", alike, 1, tree=alike_tree, **bounds)
    yield _file(f"{count} files that are missing", files, 1, **bounds | {"megabytes": 300})


def _long_lines(megabytes: int, bounds: dict[str, Any]) -> Iterator[Input]:
    size = megabytes * _MEGABYTE

    def tree(into: Path) -> None:
        (into / "f").write_bytes(b"x" * size + b"\n")

    line = b"x" * size
    name = f"a line of {megabytes} MB"
    edit = (_HEAD, b"@@ -1 +1 @@\n-", line, b"\n+", line, b"y\n")
    other = (_HEAD, b"@@ -1 +1 @@\n-", line, b"z\n+", line, b"y\n")
    yield _file(name, _writes(*edit), 0, tree=tree, **bounds)
    yield _file(f"{name} that fits not", _writes(*other), 1, tree=tree, **bounds)
    yield _file(f"{name} and no patch", _writes(line), 1, "no diff", **bounds)
    for start in (b"diff --git a/", b"--- a/", b"@@ -1 +1 @@ ", b"index ", b"rename from "):
        text = (b"diff --git a/f b/f\n", start, line, b"\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")
        yield _file(f"{name} after {start!r}", _writes(*text), 1, **bounds)
