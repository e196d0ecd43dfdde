"""Hostile answers of servers to npm's request for a list of releases, and to pip's."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from http_server import Write

from .input import Input
from .world import TOKEN, World

KIND = "registry answer"
_DEEP = b"[" * 200_000
# How the tool ends what never ends by itself, in seconds: a list, and an artefact.
_LIST_SECONDS = 60

Answer = Callable[[World, str], None]
Body = bytes | Callable[[Write], None]


def inputs() -> Iterator[Input]:
    """All of them."""
    for registry in (npm, index):
        for name, (answer, says) in _anywhere().items():
            # What is asked for again takes seconds; and pip's index is asked as npm's registry is.
            is_long = name not in _QUICK or (registry is index and name not in _BOTH)
            yield registry(name, answer, says, is_long=is_long)
        for name, (answer, says) in _slow().items():
            yield registry(name, answer, says, seconds=_LIST_SECONDS + 15, is_long=True)


def plain(body: Body = b"", status: int = 200, **headers: str) -> Answer:
    """The same answer to every request."""
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
    told = {f"status {status}": (plain(HTML, status), says) for status, says in statuses.items()}
    return told | {
        "429, come back in an hour": (plain(status=429, Retry_After="3600"), "says 429"),
        "503, come back at no time": (plain(status=503, Retry_After="never"), "says 503"),
        "a circle of redirects": (lambda w, p: _redirect(w, p, p), "redirected more than"),
        "a redirect to nowhere": (plain(status=302), "redirected more than|address"),
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
        "deeply nested JSON": (plain(_DEEP), "not what it should be|none of the indexes"),
        "deeply nested objects": (plain(b'{"a":' * 100_000), "not what it should be"),
        "cut off": (plain(b"{", Content_Length="100"), "broke before the end"),
        "not gzip, though it says so": (
            plain(HTML, Content_Encoding="gzip"),
            "cannot be fetched",
        ),
        "a gigabyte in a megabyte": (_bomb, "larger than"),
        "endless": (plain(endless), "larger than"),
        "a long header": (plain(b"{}", X_Long="x" * 100_000), "cannot be (reached|fetched)"),
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
HTML = b"<!doctype html><title>login</title>"


def _slow() -> Mapping[str, tuple[Answer, str]]:
    return {
        "a byte now and then": (plain(_drip), "60 seconds"),
        "silence": (plain(lambda _: time.sleep(_LIST_SECONDS + 30)), "cannot be reached|seconds"),
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


def endless(write: Write) -> None:
    """A body without end."""
    write(b'{"versions": "')
    while True:
        write(b" " * (1 << 20))


def _drip(write: Write) -> None:
    while True:
        write(b" ")
        time.sleep(0.5)


def npm(name: str, answer: Answer, says: str, **bounds: Any) -> Input:
    """An answer to the request for npm's list of releases."""
    return _input(f"npm, {name}", "pkg:npm/evil@1.0.0", "/npm/evil", answer, says, **bounds)


def index(name: str, answer: Answer, says: str, **bounds: Any) -> Input:
    """An answer to the request for the list of files of pip's index."""
    path = "/simple/evil/"
    return _input(f"pip, {name}", "pkg:pypi/evil@1.0.0", path, answer, says, **bounds)


def _input(name: str, purl: str, path: str, answer: Answer, says: str, **bounds: Any) -> Input:
    def lay_out(world: World) -> Sequence[str]:
        answer(world, path)
        world.pin(purl)
        return world.words("lock")

    return Input(
        name=name,
        lay_out=lay_out,
        code=3,
        says=says,
        **{"seconds": 40, "megabytes": 500} | bounds,
    )
