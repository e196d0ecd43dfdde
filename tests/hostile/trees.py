"""Hostile trees: links in circles and out, pipes, what may not be read, names that are no text."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app_making import write
from patch_making import file
from patchtool.tree.journal import NAME, Entry, Journal, dump

from .input import Input
from .world import NEW, OLD, World, outside_of, replace

KIND = "tree"
_LATIN = os.fsdecode(b"caf\xe9")
_ESCAPES = "\x1b[2J\x07\n"
_DEEP = b'{"a":' * 100_000

Change = Callable[[Path], object]


def inputs() -> Iterator[Input]:
    """All of them."""
    yield from _around()
    yield from _packages()
    yield from _manifests()
    yield from _left_behind()
    yield _many(2_000, is_long=False)
    yield _many(100_000, is_long=True)


def _input(name: str, change: Change, code: int, says: str = "", **bounds: Any) -> Input:
    """An installed package, and a change of its node_modules."""

    def lay_out(world: World) -> Sequence[str]:
        world.install({"lib/other.js": OLD})
        change(world.root / "node_modules")
        return world.words("apply")

    return Input(name=name, lay_out=lay_out, code=code, says=says, **bounds)


def _around() -> Iterator[Input]:
    """What stands beside the package and has nothing to do with it."""
    things: dict[str, Change] = {
        "a link to itself": lambda modules: (modules / "loop").symlink_to("loop"),
        "a link to what it is in": lambda modules: (modules / "loop").symlink_to("../node_modules"),
        "links in a circle": _circle,
        "a pipe": lambda modules: os.mkfifo(modules / "pipe"),
        "a socket": lambda modules: _bind(modules / "socket"),
        "a pipe in a scope": _scope,
        "a name that is no text": lambda modules: (modules / _LATIN / "node_modules").mkdir(
            parents=True
        ),
        "a name that drives terminals": lambda modules: (modules / _ESCAPES).mkdir(),
        "a link to the whole disk": lambda modules: (modules / "disk").symlink_to("/"),
    }
    for name, change in things.items():
        yield _input(name, change, 0)
    yield _input(
        "a directory for nobody",
        lambda modules: (modules / "closed").mkdir(mode=0),
        3,
        "cannot look into a directory: Permission denied",
    )
    yield _input("deeper than a path can be", _dig, 3, "File name too long")
    yield _input("a copy in an odd place", _copy_below_escapes, 0)


def _scope(modules: Path) -> None:
    (modules / "@s").mkdir()
    os.mkfifo(modules / "@s/pipe")


def _circle(modules: Path) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (modules / one / "node_modules").mkdir(parents=True)
        (modules / one / "node_modules" / other).symlink_to(f"../../{other}")


def _bind(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # a socket's path is short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(place.name)
    finally:
        os.chdir(here)


def _dig(modules: Path) -> None:
    handle = os.open(modules, os.O_RDONLY)
    for _ in range(200):
        for name in ("x" * 30, "node_modules"):
            os.mkdir(name, dir_fd=handle)
            inner = os.open(name, os.O_RDONLY, dir_fd=handle)
            os.close(handle)
            handle = inner
    os.close(handle)


def _copy_below_escapes(modules: Path) -> None:
    place = modules / _ESCAPES / "node_modules/evil"
    write(place, {"index.js": OLD, "package.json": file('{"name":"evil","version":"1.0.0"}')})


def _packages() -> Iterator[Input]:
    """What stands in the place of the package, or of a file that the patch touches."""
    inside = "evil/index.js"
    places: dict[str, tuple[str, Change, int, str]] = {
        "its file is a pipe": (inside, os.mkfifo, 1, "neither a file"),
        "its file is a directory": (inside, Path.mkdir, 1, "directory"),
        "its file is a link to itself": (inside, lambda p: p.symlink_to(p.name), 1, "."),
        "its file is a link out": (inside, lambda p: p.symlink_to(outside_of(p)), 1, "."),
        "its file is an endless device": (inside, lambda p: p.symlink_to("/dev/zero"), 1, "."),
        "it is a link out": ("evil", lambda p: p.symlink_to(_package_outside(p)), 3, "leads out"),
        "it is a link to itself": ("evil", lambda p: p.symlink_to(p.name), 1, "not installed"),
        "it is a pipe": ("evil", os.mkfifo, 1, "not installed"),
        "all packages are a pipe": (".", os.mkfifo, 1, "not installed"),
        "all packages are a link out": (".", lambda p: p.symlink_to(_modules_outside(p)), 3, "."),
    }
    for name, (place, make, code, says) in places.items():
        change = lambda modules, place=place, make=make: replace(modules / place, make)  # noqa: E731
        yield _input(name, change, code, says)
    closed = {
        "its file is for nobody": (inside, 0, 3, "cannot read: Permission denied"),
        "it is for nobody": ("evil", 0, 3, "Permission denied"),
        "nothing may be written in it": ("evil", 0o555, 3, "nothing is changed: Permission denied"),
        "all packages are for nobody": (".", 0, 3, "Permission denied"),
    }
    for name, (place, mode, code, says) in closed.items():
        change = lambda modules, place=place, mode=mode: (modules / place).chmod(mode)  # noqa: E731
        yield _input(name, change, code, says)
    yield _input("its file is somebody's as well", _link_hard, 0)


def _package_outside(place: Path) -> Path:
    made = outside_of(place) / "evil"
    write(made, {"index.js": OLD, "package.json": file('{"name":"evil","version":"1.0.0"}')})
    return made


def _modules_outside(place: Path) -> Path:
    return _package_outside(place).parent


def _link_hard(modules: Path) -> None:
    shared = outside_of(modules) / "shared.js"
    shared.write_bytes(OLD.data)
    (modules / "evil/index.js").unlink()
    (modules / "evil/index.js").hardlink_to(shared)


def _manifests() -> Iterator[Input]:
    """What stands in the package's package.json, or in its place."""
    texts = {
        "deep": _DEEP,
        "10 MB": b'{"a": "' + b"x" * (10 << 20) + b'"}',
        "UTF-16": '{"name": "evil", "version": "1"}'.encode("utf-16-le")[:-1],
        "not UTF-8": b'{"name": "\xff", "version": "1.0.0"}',
        "a number of a million digits": b'{"name": ' + b"9" * 10**6 + b"}",
        "an array": b"[]",
        "names of the wrong type": b'{"name": 1, "version": []}',
    }
    for name, data in texts.items():
        change = lambda modules, data=data: (modules / "evil/package.json").write_bytes(data)  # noqa: E731
        yield _input(f"package.json: {name}", change, 1, "not installed")
    for name, make in {"a pipe": os.mkfifo, "an endless device": _endless}.items():
        change = lambda modules, make=make: replace(modules / "evil/package.json", make)  # noqa: E731
        yield _input(f"package.json: {name}", change, 1, "not installed")
    escapes = json.dumps({"name": "evil", "version": f"1.0.0{_ESCAPES}"})
    yield _input(
        "package.json: escapes", lambda m: (m / "evil/package.json").write_text(escapes), 0
    )


def _endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _left_behind() -> Iterator[Input]:
    """What looks as if a killed run had left it, and is a package's own."""
    entry = Entry(
        path="../outside/keep.txt",
        old=None,
        new=NEW.identity,
        fresh="node_modules/.patchtool-0-new",
        kept=None,
    )
    forged = dump(Journal(committed=True, entries=(entry,)))
    deep = b"0" * 64 + b"\n" + _DEEP
    places: dict[str, tuple[str, Change, int]] = {
        "a forged journal": (NAME, lambda place: place.write_bytes(forged), 0),
        "a deep journal": (NAME, lambda place: place.write_bytes(deep), 0),
        "a pipe as journal": (NAME, os.mkfifo, 0),
        "a directory as journal": (NAME, Path.mkdir, 3),
        "an endless journal": (NAME, _endless, 0),
        "a link as new file": (
            "node_modules/evil/.patchtool-0-new",
            lambda place: place.symlink_to(outside_of(place) / "keep.txt"),
            0,
        ),
    }
    for name, (place, make, code) in places.items():
        change = lambda modules, place=place, make=make: make(modules.parent / place)  # noqa: E731
        yield _input(name, change, code, "Is a directory" if code else "")


def _many(count: int, *, is_long: bool) -> Input:
    def fill(modules: Path) -> None:
        for number in range(count):
            (modules / f"p{number}").mkdir()

    seconds = 60 if is_long else 30
    return _input(f"{count} packages", fill, 0, is_long=is_long, seconds=seconds)
