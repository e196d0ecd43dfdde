"""Hostile lists of registries: those that are none, and those that lead where nothing good is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from npm_registry import sri

from .answers import HTML, Body, endless, index, npm, plain
from .input import Input
from .world import OLD, World

KIND = "registry list"
# Of what is told apart after an answer has come.
_SOME = (
    *("HTML", "no integrity", "SHA-1 only", "control characters", "a file", "no URL"),
    *("no JSON", "a local file", "a hash that is a path", "no hash"),
)


def inputs() -> Iterator[Input]:
    """All of them."""
    for status in (401, 403, 404, 500):
        yield _guard(f"npm install, status {status}", "npm", status)
        yield _guard(f"pip download, status {status}", "pypi", status)
    yield from _npm_lists()
    yield from _npm_downloads()
    yield from _indexes()


def _guard(name: str, ecosystem: str, status: int) -> Input:
    """A release that is had once, and not by npm or pip itself for the stack of a guard."""

    def lay_out(world: World) -> Sequence[str]:
        if ecosystem == "npm":
            world.npm.publish("evil", "1.0.0", {"index.js": OLD.data})
            world.npm.serve()
            world.server.answer("/npm/evil/-/evil-1.0.0.tgz", HTML, status=status)
        else:
            world.index.release("evil", "1.0.0", {"index.js": OLD.data})
            world.index.serve()
            world.server.answer("/files/evil-1.0.0-py3-none-any.whl", HTML, status=status)
        (world.root / "guard").mkdir()
        world.pin(f"pkg:{ecosystem}/evil@1.0.0", guard='[fix.guard]\npath = "guard"\n')
        return world.words("guard")

    return Input(name=name, lay_out=lay_out, code=3, seconds=60, is_long=True)


def _npm_lists() -> Iterator[Input]:
    """Lists that are JSON, and wrong."""
    wrong = {
        "HTML": (HTML, "HTML page"),
        "no object": (b"[]", "not what it should be"),
        "no JSON": (b'{"name": ', "not what it should be"),
        "nothing": (b"", "not what it should be"),
        "an empty object": (b"{}", "not what it should be"),
        "another package": (b'{"name": "other", "versions": {"1.0.0": {}}}', "about 'other'"),
        "versions of the wrong type": (b'{"name": "evil", "versions": [1]}', "not what it should"),
        "no integrity": (_list(), "no sha512"),
        "SHA-1 only": (_list(integrity="sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="), "no sha512"),
        "a damaged integrity": (_list(integrity="sha512-x"), "no sha512"),
        "an integrity of the wrong type": (_list(integrity={"a": 1}), "no sha512"),
        "UTF-16": (_list().decode().encode("utf-16"), "no sha512|not what it should be"),
        "not UTF-8": (b'{"name": "\xff", "versions": {"1.0.0": {}}}', "not what it should be"),
        "control characters": (b'{"name": "\\u001b[2J\\u0007", "versions": {"1": {}}}', "about"),
    }
    for name, (body, says) in wrong.items():
        yield npm(name, plain(body), says, is_long=name not in _SOME)


def _list(**dist: object) -> bytes:
    release = {"name": "evil", "version": "1.0.0", "dist": dist}
    return json.dumps({"name": "evil", "versions": {"1.0.0": release}}).encode()


def _npm_downloads() -> Iterator[Input]:
    """Lists that send the tool elsewhere for the package."""
    addresses: Mapping[str, tuple[object, str]] = {
        "no address": (None, "no address"),
        "a number": (7, "no address"),
        "a file": ("file:///etc/passwd", "no address"),
        "another protocol": ("ftp://elsewhere.invalid/evil.tgz", "no address"),
        "no URL": ("http://[", "no address"),
        "a port that is none": ("http://127.0.0.1:port/evil.tgz", "fetched"),
        "a password in it": ("http://joe:pw@127.0.0.1:1/evil.tgz?token=x", "cannot be reached"),
        "behind the proxy": ("https://elsewhere.invalid/evil.tgz", "cannot be reached"),
    }
    for name, (address, says) in addresses.items():
        body = _list(integrity=sri(b""), tarball=address)
        yield npm(f"tarball, {name}", plain(body), says, is_long=name not in _SOME)
    yield npm("tarball, endless", lambda w, p: _tarball(w, p, endless), "larger", megabytes=700)


def _tarball(world: World, path: str, body: Body, **answer: Any) -> None:
    world.server.answer("/npm/evil.tgz", body, **answer)
    tarball = f"{world.npm.url}evil.tgz"
    world.server.answer(path, _list(integrity=sri(b""), tarball=tarball))


def _indexes() -> Iterator[Input]:
    """Lists of files that are no such thing."""
    file = "evil-1.0.0-py3-none-any.whl"
    wrong = {
        "HTML without links": (HTML, "on none of the indexes"),
        "no JSON": (b'{"files": ', "not what it should be"),
        "files of the wrong type": (b'{"files": 7}', "not what it should be"),
        "another package": (
            _files(filename="other-1.0.0-py3-none-any.whl", url="x"),
            "none of the indexes",
        ),
        "another release": (
            _files(filename="evil-2.0.0-py3-none-any.whl", url="x"),
            "no such release",
        ),
        "an address of the wrong type": (_files(filename=file, url=7), "not what it should be"),
        "an address that is none": (_files(filename=file, url="http://["), "not what it should"),
        "a local file": (_files(filename=file, url="file:///etc/passwd"), "not what it should"),
        "no hash": (_files(filename=file, url="x"), "no sha256"),
        "a hash that is none": (_hashed(file, "zzzz"), "no sha256"),
        "a hash that is a path": (_hashed(file, "../../../outside/x"), "no sha256"),
        "a hash of the wrong type": (_hashed(file, 7), "no sha256"),
        "control characters": (_files(filename="\x1b[2J" + file, url="x"), "none of the indexes"),
    }
    for name, (body, says) in wrong.items():
        yield index(name, plain(body), says, is_long=name not in _SOME)


def _hashed(file: str, sha256: object) -> bytes:
    return _files(filename=file, url="x", hashes={"sha256": sha256})


def _files(**entry: object) -> bytes:
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "evil", "files": [entry]}).encode()
