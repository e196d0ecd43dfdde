"""The cache against changed files, and requests against every way a server can fail."""

from __future__ import annotations

import base64
import hashlib
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from cannot_tell import failure
from http_server import Server, Write
from noting_store import NotingStore
from patchtool.progress import Progress
from patchtool.store import (
    Request,
    Route,
    cache_directory,
    network,
    read_integrity,
    read_object,
)
from patchtool.store.messages import Response

MakeStore = Callable[..., NotingStore]


def sri(data: bytes) -> str:
    """The sha512 of some bytes as npm writes it."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def ask(url: str, **options: Any) -> Request:
    """A request with small limits."""
    defaults: dict[str, Any] = {
        "subject": "pkg",
        "route": Route(),
        "limit": 100_000,
        "seconds": 10.0,
    }
    return Request(url=url, **defaults | options)


# The cache


def test_artefact_is_fetched_once_and_kept(server: Server, make_store: MakeStore) -> None:
    """The second request for the same integrity is answered from the cache, offline too."""
    server.answer("/a.tgz", b"bytes")

    def request() -> Request:
        return ask(server.url + "/a.tgz")

    assert make_store().artefact(sri(b"bytes"), "pkg", request) == b"bytes"
    assert make_store(offline=True).artefact(sri(b"bytes"), "pkg", request) == b"bytes"
    assert len(server.requests) == 1


def test_changed_cached_artefact_is_named_and_not_fetched_again(
    server: Server, make_store: MakeStore
) -> None:
    """One byte changed in a cached artefact: the file is named, and `try:` removes it."""
    server.answer("/a.tgz", b"bytes")
    store = make_store()

    def fetch() -> bytes:
        return store.artefact(sri(b"bytes"), "pkg", lambda: ask(server.url + "/a.tgz"))

    fetch()
    (file,) = (path for path in store.cache.directory.rglob("*") if path.is_file())
    file.write_bytes(b"byteZ")
    problem = failure(fetch)
    assert problem.kind == "artefact"
    assert problem.path == str(file)
    assert problem.remedy == f"rm {file}"
    assert len(server.requests) == 1
    file.unlink()
    assert fetch() == b"bytes"


def test_wrong_bytes_are_not_kept(server: Server, make_store: MakeStore) -> None:
    """What has another integrity than asked for is an error that shows both, and is not kept."""
    server.answer("/a.tgz", b"other")
    store = make_store()
    problem = failure(
        lambda: store.artefact(sri(b"bytes"), "pkg", lambda: ask(server.url + "/a.tgz"))
    )
    assert (problem.kind, problem.expected, problem.found) == (
        "integrity",
        sri(b"bytes"),
        sri(b"other"),
    )
    assert not [path for path in store.cache.directory.rglob("*") if path.is_file()]


def test_results_are_kept_by_kind_and_key(make_store: MakeStore) -> None:
    """A result comes back under its own kind and key only, also when it is empty."""
    make_store().keep("runs", "k", b"value")
    make_store().keep("runs", "empty", b"")
    store = make_store()
    assert store.kept("runs", "k") == b"value"
    assert store.kept("runs", "empty") == b""
    assert store.kept("runs", "other") is None
    assert store.kept("locks", "k") is None


def test_changed_result_counts_as_none(make_store: MakeStore) -> None:
    """A result with a changed or missing byte is never given out; it can be made again."""
    store = make_store()
    store.keep("runs", "k", b"value")
    (file,) = (store.cache.directory / "runs").iterdir()
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole[:-1] + b"E", whole[:10], b""):
        file.write_bytes(damaged)
        assert store.kept("runs", "k") is None


def test_cache_directory_comes_from_the_environment(tmp_path: Path) -> None:
    """PATCHTOOL_CACHE decides; without it the platform's cache directory is taken."""
    assert cache_directory({"PATCHTOOL_CACHE": str(tmp_path)}) == tmp_path
    assert cache_directory({}).name == "patchtool"


def test_cache_that_cannot_be_written_is_explained(tmp_path: Path, make_store: MakeStore) -> None:
    """A cache directory that is a file gives a message that names it and a remedy, no traceback."""
    (tmp_path / "file").write_bytes(b"")
    store = make_store(directory=tmp_path / "file" / "cache")
    assert store.kept("runs", "k") is None
    problem = failure(lambda: store.keep("runs", "k", b""))
    assert problem.kind == "cache"
    assert "PATCHTOOL_CACHE" in (problem.remedy or "")


def test_scratch_is_removed(make_store: MakeStore) -> None:
    """A scratch directory is there for its block, and gone afterwards."""
    cache = make_store().cache
    with cache.scratch() as directory:
        (directory / "f").write_bytes(b"")
    assert list(cache.directory.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "sha1-" + "a" * 28, "sha512-", "sha512-AAAA", "sha512-!!", "sha256-xyz", "md5-aa"]
)
def test_only_strong_whole_hashes_are_integrities(text: str) -> None:
    """SHA-1, other algorithms, and values of the wrong length or alphabet are refused."""
    with pytest.raises(ValueError, match=r"sha|hash"):
        read_integrity(text)


def test_both_spellings_of_integrity_are_read() -> None:
    """A base64 sha512 and a hexadecimal sha256 give their digests."""
    assert read_integrity(sri(b"x")) == ("sha512", hashlib.sha512(b"x").digest())
    hexadecimal = hashlib.sha256(b"x").hexdigest()
    assert read_integrity(f"sha256-{hexadecimal}") == ("sha256", hashlib.sha256(b"x").digest())


def test_once_makes_once(make_store: MakeStore) -> None:
    """An answer that is expensive is made once for a store."""
    store = make_store()
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "answer"

    for _ in range(3):
        assert store.once("key", make) == "answer"
    assert made == [1]


# The network


def test_offline_names_what_is_missing(server: Server, make_store: MakeStore) -> None:
    """Offline nothing is asked of anybody; the message names the subject and the way out."""
    problem = failure(lambda: make_store(offline=True).fetch(ask(server.url + "/x")))
    assert (problem.kind, problem.subject) == ("offline", "pkg")
    assert server.requests == []


def test_passing_failures_are_tried_again(server: Server, make_store: MakeStore) -> None:
    """503, then 429 with Retry-After, then an answer: that is an answer."""
    server.answer("/x", status=503)
    server.answer("/x", status=429, Retry_After="3")
    server.answer("/x", b"there", ETag='"1"')
    store = make_store()
    response = store.fetch(ask(server.url + "/x"))
    assert (response.body, response.etag) == (b"there", '"1"')
    assert store.pauses == [network.BACKOFF, 3.0]


def test_failures_that_stay_are_reported(server: Server, make_store: MakeStore) -> None:
    """After the last attempt the status is named; the pauses have doubled."""
    server.answer("/x", status=502)
    store = make_store()
    problem = failure(lambda: store.fetch(ask(server.url + "/x")))
    assert problem.kind == "network"
    assert "502" in problem.what
    assert len(server.requests) == network.ATTEMPTS
    assert store.pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("wait", ["31", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_long_retry_after_is_not_waited_for(
    server: Server, make_store: MakeStore, wait: str
) -> None:
    """A server that says to come back later than in 30 seconds, or at a date, is not waited for."""
    server.answer("/x", status=429, Retry_After=wait)
    store = make_store()
    assert "429" in failure(lambda: store.fetch(ask(server.url + "/x", seconds=60.0))).what
    assert store.pauses == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "unauthorised"), (403, "forbidden"), (404, "not-found"), (400, "network")],
)
def test_refusals_are_told_apart_and_not_repeated(
    server: Server, make_store: MakeStore, status: int, kind: str
) -> None:
    """401, 403, 404 and others each have a kind; what is not on the server has no remedy."""
    server.answer("/x", status=status)
    problem = failure(
        lambda: make_store().fetch(ask(server.url + "/x", route=Route(login="npm login")))
    )
    assert problem.kind == kind
    assert str(status) in problem.what
    others = {404: None, 400: f"curl -sSIL {server.url}/x"}
    assert problem.remedy == others.get(status, "npm login")
    assert len(server.requests) == 1


def test_nobody_listening_is_a_network_problem(server: Server, make_store: MakeStore) -> None:
    """A refused connection is tried again, then named, without the secrets of the address."""
    server.close()
    address = server.url.replace("//", "//joe:s3cret@") + "/x?token=s3cret"
    problem = failure(lambda: make_store().fetch(ask(address, authorization="Bearer s3cret")))
    assert problem.kind == "network"
    assert problem.remedy == f"curl -sSIL {server.url}/x"
    assert "s3cret" not in f"{problem}"


def test_credentials_do_not_follow_to_another_host(server: Server, make_store: MakeStore) -> None:
    """A redirect is followed; to another origin it goes without the token, on its own with it."""
    other = type(server)()
    server.answer("/x", status=302, Location="/y")
    server.answer("/y", status=307, Location=other.url + "/z")
    other.answer("/z", b"there")
    request = ask(server.url + "/x", authorization="Bearer t")
    assert make_store().fetch(request).body == b"there"
    assert server.asked("/y")[0]["authorization"] == "Bearer t"
    assert "authorization" not in other.asked("/z")[0]
    other.close()


def test_endless_redirects_end(server: Server, make_store: MakeStore) -> None:
    """A circle of redirects is an error after a few rounds."""
    server.answer("/x", status=302, Location="/x")
    assert "redirected" in failure(lambda: make_store().fetch(ask(server.url + "/x"))).what
    assert len(server.requests) == network.REDIRECTS + 1


@pytest.mark.parametrize("location", ["http://[", "http://x:port/", "//[::1/x"])
def test_a_redirect_to_no_address_is_refused(
    server: Server, make_store: MakeStore, location: str
) -> None:
    """A Location that no address can be made of is a network problem, and not asked for again."""
    server.answer("/x", status=302, Location=location)
    problem = failure(lambda: make_store().fetch(ask(server.url + "/x")))
    assert (problem.kind, problem.path) == ("network", server.url + "/x")
    assert len(server.requests) == 1


@pytest.mark.parametrize("url", ["http://[/x", "http://x:port/x"])
def test_what_is_no_address_is_refused(make_store: MakeStore, url: str) -> None:
    """A user's own setting may be no address: that is said, without any secret in it."""
    problem = failure(
        lambda: make_store().fetch(ask(url.replace("//", "//joe:s3cret@") + "?s3cret"))
    )
    assert (problem.kind, problem.path) == ("network", url)
    assert "s3cret" not in str(problem)


def test_redirect_from_https_to_http_is_refused(
    server: Server, make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for over TLS is not taken from an open connection."""
    real = network._session

    def session(route: Route) -> requests.Session:
        made = real(route)
        get = made.get

        def get_openly(url: str, **options: Any) -> requests.Response:
            return get(url.replace("https:", "http:"), **options)

        monkeypatch.setattr(made, "get", get_openly)
        return made

    monkeypatch.setattr(network, "_session", session)
    server.answer("/x", status=302, Location=server.url + "/y")
    server.answer("/y", b"there")
    url = server.url.replace("http:", "https:") + "/x"
    assert "open connection" in failure(lambda: make_store().fetch(ask(url))).what
    assert server.asked("/y") == []


def test_endless_body_is_cut_off(server: Server, make_store: MakeStore) -> None:
    """A body that never ends costs its limit and no more, and is not asked for again."""

    def endless(write: Write) -> None:
        while True:
            write(b"x" * 10_000)

    server.answer("/x", endless)
    assert "100000 bytes" in failure(lambda: make_store().fetch(ask(server.url + "/x"))).what
    assert len(server.requests) == 1


def test_slow_drip_ends_at_the_deadline(server: Server, make_store: MakeStore) -> None:
    """A byte now and then keeps no request alive past its time."""
    stop = threading.Event()

    def drip(write: Write) -> None:
        while not stop.wait(0.05):
            write(b"x")

    server.answer("/x", drip)
    started = time.monotonic()
    problem = failure(lambda: make_store().fetch(ask(server.url + "/x", seconds=0.5)))
    stop.set()
    assert "0.5 seconds" in problem.what
    assert time.monotonic() - started < 3


def test_what_took_too_long_is_read_no_further(server: Server, make_store: MakeStore) -> None:
    """Once the time is over nobody wants the rest: the connection is closed, not drained."""
    stop, gone = threading.Event(), threading.Event()

    def stream(write: Write) -> None:
        try:
            while not stop.wait(0.01):
                write(bytes(65536))
        except OSError:
            gone.set()

    server.answer("/x", stream)
    failure(lambda: make_store().fetch(ask(server.url + "/x", seconds=0.3, limit=1 << 40)))
    has_gone = gone.wait(30)
    stop.set()
    assert has_gone


def test_truncated_body_is_tried_again(server: Server, make_store: MakeStore) -> None:
    """A connection that breaks within the body is no answer, and the next attempt may be one."""
    server.answer("/x", b"only this", Content_Length="1000")
    server.answer("/x", b"whole")
    assert make_store().fetch(ask(server.url + "/x")).body == b"whole"


def test_unchanged_is_said(server: Server, make_store: MakeStore) -> None:
    """304 is an answer without a body."""
    server.answer("/x", status=304)
    assert make_store().fetch(ask(server.url + "/x")).unchanged


def test_proxy_is_used_unless_the_host_is_exempt(server: Server, make_store: MakeStore) -> None:
    """A request goes to the route's proxy, but for hosts named in no_proxy; never to another."""
    server.answer("http://registry.invalid/x", b"by proxy")
    route = Route(proxies={"http": server.url})
    assert make_store().fetch(ask("http://registry.invalid/x", route=route)).body == b"by proxy"
    server.answer("/x", b"direct")
    route = Route(proxies={"http": "http://127.0.0.1:1"}, no_proxy=("127.0.0.1",))
    assert make_store().fetch(ask(server.url + "/x", route=route)).body == b"direct"
    for exempt, host in [
        (".corp.invalid", "a.corp.invalid"),
        ("*", "x"),
        ("corp.invalid", "corp.invalid"),
    ]:
        assert not network._proxies(
            Route(proxies={"http": "p"}, no_proxy=(exempt,)), f"http://{host}/"
        )
    assert network._proxies(
        Route(proxies={"http": "p"}, no_proxy=("orp.invalid",)), "http://corp.invalid/"
    )


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"\n<!doctype html>", "HTML"),
        (b"[1]", "no object"),
        (b"{", "no object"),
        (b"[" * 100_000, "no object"),
    ],
)
def test_other_answers_than_json_objects_are_named(body: bytes, found: str) -> None:
    """An HTML page is said to be one; other JSON, broken and deeply nested texts are no object."""
    problem = failure(lambda: read_object(Response(body=body), "pkg"))
    assert problem.kind == "answer"
    assert found in (problem.found or "")


# Progress


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        """Say that this is a terminal."""
        return True


def test_progress_speaks_on_a_terminal_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow work is named on a terminal and the line cleared; fast work, and a file, see nothing."""
    monkeypatch.setattr("patchtool.progress.PATIENCE", 0.01)
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with Progress(stream).during("fetching x"):
            limit = time.monotonic() + 5
            while not terminal.getvalue() and time.monotonic() < limit:
                time.sleep(0.005)
    assert "fetching x ..." in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""
    monkeypatch.setattr("patchtool.progress.PATIENCE", 60)
    quick = Terminal()
    with Progress(quick).during("nothing"):
        pass
    assert "nothing" not in quick.getvalue()


def test_no_secret_is_kept(server: Server, make_store: MakeStore) -> None:
    """After a request with a token no file of the cache has it."""
    server.answer("/a.tgz", b"bytes")
    store = make_store()
    request = ask(server.url + "/a.tgz", authorization="Bearer s3cret")
    store.artefact(sri(b"bytes"), "pkg", lambda: request)
    for path in store.cache.directory.rglob("*"):
        assert b"s3cret" not in (path.read_bytes() if path.is_file() else b"")
    assert [path.name for path in store.cache.directory.iterdir()] == ["artefacts"]
