"""Hostile answers of registries: to npm's list of releases, to pip's index, to a download."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from http_server import Write
from npm_registry import sri

from .input import Input
from .world import OLD, TOKEN, World

KIND = "registry answer"
_PACKAGE = "npm/evil"
_DEEP = b"[" * 200_000
# How the tool ends what never ends by itself, in seconds: a list, and an artefact.
_LIST_SECONDS = 60

Answer = Callable[[World, str], None]
Body = bytes | Callable[[Write], None]


def inputs() -> Iterator[Input]:
    """All of them."""
    for registry in (_npm, _index):
        for name, (answer, says) in _anywhere().items():
            # What is asked for again takes seconds; and pip's index is asked as npm's registry is.
            is_long = name not in _QUICK or (registry is _index and name not in _BOTH)
            yield registry(name, answer, says, is_long=is_long)
        for name, (answer, says) in _slow().items():
            yield registry(name, answer, says, seconds=_LIST_SECONDS + 15, is_long=True)
    for status in (401, 403, 404, 500):
        yield _guard(f"npm install, status {status}", "npm", status)
        yield _guard(f"pip download, status {status}", "pypi", status)
    yield from _npm_lists()
    yield from _npm_downloads()
    yield from _indexes()


def _plain(body: Body = b"", status: int = 200, **headers: str) -> Answer:
    return lambda world, path: world.server.answer(path, body, status=status, **headers)


def _anywhere() -> Mapping[str, tuple[Answer, str]]:
    """What any server can say."""
    statuses = {
        401: "other credentials",
        403: "not allow",
        404: "not on the server|on none of the indexes",
        410: "not on the server|on none of the indexes",
        400: "says 400",
        418: "says 418",
        429: "says 429",
        500: "says 500",
        503: "says 503",
    }
    told = {f"status {status}": (_plain(_HTML, status), says) for status, says in statuses.items()}
    return told | {
        "429, come back in an hour": (_plain(status=429, Retry_After="3600"), "says 429"),
        "503, come back at no time": (_plain(status=503, Retry_After="never"), "says 503"),
        "a circle of redirects": (lambda w, p: _redirect(w, p, p), "redirected more than"),
        "a redirect to nowhere": (_plain(status=302), "redirected more than|address"),
        "a redirect to no address": (
            lambda w, p: _redirect(w, p, "http://["),
            "fetched|no address",
        ),
        "a redirect to no port": (lambda w, p: _redirect(w, p, "http://x:y/"), "no address"),
        "a redirect to a file": (lambda w, p: _redirect(w, p, "file:///etc/passwd"), "fetched"),
        "a redirect through the proxy": (
            lambda w, p: _redirect(w, p, f"https://elsewhere.invalid/x?token={TOKEN}"),
            "cannot be reached",
        ),
        "a proxy that refuses": (_refuse_by_proxy, "says 407"),
        "deeply nested JSON": (_plain(_DEEP), "not what it should be|none of the indexes"),
        "deeply nested objects": (_plain(b'{"a":' * 100_000), "not what it should be"),
        "cut off": (_plain(b"{", Content_Length="100"), "broke before the end"),
        "not gzip, though it says so": (
            _plain(_HTML, Content_Encoding="gzip"),
            "cannot be fetched",
        ),
        "a gigabyte in a megabyte": (_bomb, "larger than"),
        "endless": (_plain(_endless), "larger than"),
        "a long header": (_plain(b"{}", X_Long="x" * 100_000), "cannot be (reached|fetched)"),
    }


_BOTH = ("status 401", "a redirect to no address")
_QUICK = (
    *_BOTH,
    *("status 404", "429, come back in an hour", "a circle of redirects"),
    *(
        "a redirect through the proxy",
        "a proxy that refuses",
        "a gigabyte in a megabyte",
        "endless",
    ),
)
# Of what is told apart after an answer has come.
_SOME = (
    *("HTML", "no integrity", "SHA-1 only", "control characters", "a file", "no URL"),
    *("no JSON", "a local file", "a hash that is a path", "no hash"),
)
_HTML = b"<!doctype html><title>login</title>"


def _slow() -> Mapping[str, tuple[Answer, str]]:
    return {
        "a byte now and then": (_plain(_drip), "60 seconds"),
        "silence": (_plain(lambda _: time.sleep(_LIST_SECONDS + 30)), "cannot be reached|seconds"),
    }


def _redirect(world: World, path: str, target: str) -> None:
    world.server.answer(path, status=302, Location=target)


def _refuse_by_proxy(world: World, path: str) -> None:
    target = f"http://elsewhere.invalid/x?token={TOKEN}"
    _redirect(world, path, target)
    world.server.answer(target, status=407)


def _bomb(world: World, path: str) -> None:
    body = gzip.compress(b'{"a":"' + b" " * (1 << 30))
    world.server.answer(path, body, Content_Encoding="gzip")


def _endless(write: Write) -> None:
    write(b'{"versions": "')
    while True:
        write(b" " * (1 << 20))


def _drip(write: Write) -> None:
    while True:
        write(b" ")
        time.sleep(0.5)


def _npm(name: str, answer: Answer, says: str, **bounds: Any) -> Input:
    return _input(f"npm, {name}", "pkg:npm/evil@1.0.0", "/npm/evil", answer, says, **bounds)


def _index(name: str, answer: Answer, says: str, **bounds: Any) -> Input:
    path = "/simple/evil/"
    return _input(f"pip, {name}", "pkg:pypi/evil@1.0.0", path, answer, says, **bounds)


def _input(name: str, purl: str, path: str, answer: Answer, says: str, **bounds: Any) -> Input:
    def lay_out(world: World) -> Sequence[str]:
        answer(world, path)
        world.pin(purl)
        return world.words("lock")

    return Input(
        kind=KIND,
        name=name,
        lay_out=lay_out,
        code=3,
        says=says,
        **{"seconds": 40, "megabytes": 500} | bounds,
    )


def _guard(name: str, ecosystem: str, status: int) -> Input:
    """A release that is had once, and not by npm or pip itself for the stack of a guard."""

    def lay_out(world: World) -> Sequence[str]:
        if ecosystem == "npm":
            world.npm.publish("evil", "1.0.0", {"index.js": OLD.data})
            world.npm.serve()
            world.server.answer("/npm/evil/-/evil-1.0.0.tgz", _HTML, status=status)
        else:
            world.index.release("evil", "1.0.0", {"index.js": OLD.data})
            world.index.serve()
            world.server.answer("/files/evil-1.0.0-py3-none-any.whl", _HTML, status=status)
        (world.root / "guard").mkdir()
        world.pin(f"pkg:{ecosystem}/evil@1.0.0", guard='[fix.guard]\npath = "guard"\n')
        return world.words("guard")

    return Input(kind=KIND, name=name, lay_out=lay_out, code=3, seconds=60, is_long=True)


def _npm_lists() -> Iterator[Input]:
    """Lists that are JSON, and wrong."""
    wrong = {
        "HTML": (_HTML, "HTML page"),
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
        yield _npm(name, _plain(body), says, is_long=name not in _SOME)


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
        yield _npm(f"tarball, {name}", _plain(body), says, is_long=name not in _SOME)
    yield _npm("tarball, endless", lambda w, p: _tarball(w, p, _endless), "larger", megabytes=700)


def _tarball(world: World, path: str, body: Body, **answer: Any) -> None:
    world.server.answer("/npm/evil.tgz", body, **answer)
    tarball = f"{world.npm.url}evil.tgz"
    world.server.answer(path, _list(integrity=sri(b""), tarball=tarball))


def _indexes() -> Iterator[Input]:
    """Lists of files that are no such thing."""
    file = "evil-1.0.0-py3-none-any.whl"
    wrong = {
        "HTML without links": (_HTML, "on none of the indexes"),
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
        yield _index(name, _plain(body), says, is_long=name not in _SOME)


def _hashed(file: str, sha256: object) -> bytes:
    return _files(filename=file, url="x", hashes={"sha256": sha256})


def _files(**entry: object) -> bytes:
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "evil", "files": [entry]}).encode()
