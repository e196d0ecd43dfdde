"""Hostile files of a project: its manifest, its lock, its patches' names, its package managers'."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .input import Input
from .world import TOKEN, World

KIND = "project file"
_MEGABYTE = 1 << 20
# What no text file of a project is, whatever its format: its content, and what is said of it.
_ANY: Mapping[str, tuple[bytes, str]] = {
    "10 MB of blanks": (b" " * (10 * _MEGABYTE), "too large|not JSON|not YAML|not a table|missing"),
    "a NUL byte": (b'a = "\0"\n', "NUL byte"),
    "UTF-16": ('a = "b"\n'.encode("utf-16"), "NUL byte|not UTF-8"),
    "Latin-1": ('a = "é"\n'.encode("latin-1"), "not UTF-8"),
    "a merge conflict": (b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "merge conflict"),
    "escapes": (b'\x1b[2J = "\x07"\n', "not"),
}
_DEEP = 100_000

Change = Callable[[Path], object]


def inputs() -> Iterator[Input]:
    """All of them."""
    yield from _manifests()
    yield from _locks()
    yield from _names()
    yield from _lockfiles()
    yield from _workspaces()


def _input(name: str, change: Callable[[World], object], says: str, **options: Any) -> Input:
    """A project that is installed and locked, and then changed."""
    command = options.pop("command", "status")

    def lay_out(world: World) -> Sequence[str]:
        world.install()
        change(world)
        return world.words(command)

    return Input(name=name, lay_out=lay_out, says=says, **{"code": 2} | options)


def _written(path: str, data: bytes) -> Callable[[World], object]:
    return lambda world: (world.root / path).write_bytes(data)


def _places(path: str) -> Iterator[tuple[str, Callable[[World], object]]]:
    """What may stand in a file's place and is none."""

    def replaced(make: Change) -> Callable[[World], object]:
        def change(world: World) -> None:
            (world.root / path).unlink(missing_ok=True)
            make(world.root / path)

        return change

    yield "a pipe", replaced(os.mkfifo)
    yield "a directory", replaced(Path.mkdir)
    yield "a link to itself", replaced(lambda place: place.symlink_to(place))
    yield "an endless device", replaced(lambda place: place.symlink_to("/dev/zero"))
    yield "a file for somebody else", lambda world: (world.root / path).chmod(0)


def _manifests() -> Iterator[Input]:
    manifest = "patches/patches.toml"
    texts = {
        "deep arrays": (b"a = " + b"[" * _DEEP, "not TOML"),
        "deep tables": (b"a = " + b"{a=" * 40_000, "not TOML"),
        "deep keys": (b".".join([b"a"] * _DEEP) + b" = 1", "not TOML|unknown key"),
        "a deep header": (b"[" + b".".join([b"a"] * _DEEP) + b"]", "not TOML|unknown key"),
        "many tables": (b"".join(b"[a%d]\n" % number for number in range(30_000)), "unknown key"),
        "a number of 200,000 digits": (b"a = " + b"9" * 200_000, "not TOML"),
        "a key twice": (b"a = 1\na = 2\n", "not TOML"),
        "nothing": (b"", "missing key"),
        "a fix that is a number": (b"fix = 1", "wrong type"),
    }
    for name, (data, says) in {**_ANY, **texts}.items():
        yield _input(f"patches.toml: {name}", _written(manifest, data), says)
    for name, change in _places(manifest):
        for command in ("status", "apply"):
            title = f"patches.toml: {name}, {command}"
            yield _input(title, change, "cannot be read|too large|no manifest", command=command)
    origin = "http://[/evil.tar.gz"
    yield _input("patches.toml: an origin that is no address", lambda w: w.pin_origin(origin),
                 "cannot be fetched", command="lock", code=3)  # fmt: skip
    yield _input(
        "patches.toml: an origin without a proxy",
        lambda world: world.pin_origin(f"https://elsewhere.invalid/evil.tar.gz?token={TOKEN}"),
        "cannot be reached",
        command="lock",
        code=3,
    )


def _locks() -> Iterator[Input]:
    path = "patches/patches.lock"
    twins = b",".join(b'"%d": 1' % number for number in range(200_000))
    texts = {
        "deep arrays": (b"[" * _DEEP, "not JSON"),
        "deep objects": (b'{"a":' * _DEEP, "not JSON"),
        "a number of a million digits": (b'{"lock-version": ' + b"9" * 10**6 + b"}", "not JSON"),
        "a key twice among 200,000": (b"{" + twins + b', "7": 2}', "there twice"),
        "not a number": (b'{"lock-version": NaN}', "wrong type"),
        "nothing": (b"", "not JSON"),
        "no object": (b"[]", "wrong type"),
    }
    for name, (data, says) in {**_ANY, **texts}.items():
        yield _input(f"patches.lock: {name}", _written(path, data), says, command="apply")
    for name, change in _places(path):
        title = f"patches.lock: {name}"
        yield _input(title, change, "cannot be read|too large|changed", command="apply")
    for name, (old, new, says) in _ALTERED.items():

        def alter(world: World, old: str = old, new: str = new) -> None:
            text = (world.root / path).read_text()
            assert old in text
            (world.root / path).write_text(text.replace(old, new))

        yield _input(f"patches.lock: {name}", alter, says, command="apply")


_ALTERED = {
    "a path that leads out": ('"index.js"', '"../../../outside/keep.txt"', "not a path inside"),
    "an absolute path": ('"index.js"', '"/index.js"', "not a path inside"),
    "a path with NUL": ('"index.js"', '"a\\u0000b"', "not a path inside"),
    "an ecosystem that is none": ('"npm"', '"evil"', "."),
    "a package that leads out": ('"name": "evil"', '"name": "../../outside"', "not a package"),
}


def _names() -> Iterator[Input]:
    names = {
        "no version": "evil.patch",
        "leads out": "..+..+outside+1.0.0.patch",
        "escapes": "evil\x1b[2J+1.0.0.patch",
        "not UTF-8": os.fsdecode(b"caf\xe9+1.0.0.patch"),
        "only plus signs": "+++.patch",
        "another release": "evil+2.0.0.patch",
    }
    for name, file in names.items():
        yield _input(f"patch's name: {name}", _written(f"patches/{file}", b"x"), ".")
    for name, change in _places("patches/evil+1.0.0.patch"):
        yield _input(f"patch file: {name}, apply", change, ".", command="apply")
        yield _input(f"patch file: {name}, status", change, ".")


def _lockfiles() -> Iterator[Input]:
    bomb = b"a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 30)
    )
    deep = {
        "package-lock.json": b'{"a":' * _DEEP,
        "pnpm-lock.yaml": b"[" * _DEEP,
        "yarn.lock": b"__metadata:\n  version: 8\na: " + b"{a: " * _DEEP,
        "bun.lock": b"[" * _DEEP,
    }
    for file, data in deep.items():
        yield _lockfile(f"{file}: deep nesting", file, data)
    yield _lockfile("pnpm-lock.yaml: a bomb of aliases", "pnpm-lock.yaml", bomb)
    for file in deep:
        for name, (data, _) in _ANY.items():
            if (file, name) != ("yarn.lock", "10 MB of blanks"):  # which is one without packages
                yield _lockfile(f"{file}: {name}", file, data)
        for name, change in _places(file):
            touched = lambda w, c=change, f=file: ((w.root / f).write_bytes(b""), c(w))  # noqa: E731
            yield _input(f"{file}: {name}", touched, ".", code=3)


def _lockfile(name: str, file: str, data: bytes) -> Input:
    return _input(name, _written(file, data), ".", code=3)


def _workspaces() -> Iterator[Input]:
    """Patterns of a workspace that lead nowhere, out, or round in circles; they change nothing."""
    patterns = ["", "a/**b", "/absolute", "../outside", "**/*", "***", "[", "a\0b", "!x", "//", 7]
    for pattern in patterns:

        def change(world: World, pattern: object = pattern) -> None:
            (world.root / "loop").symlink_to(".")
            manifest = json.dumps({"workspaces": [pattern]})
            (world.root / "package.json").write_text(manifest)

        yield _input(f"workspace: {pattern!r}", change, "", command="apply", code=0)
