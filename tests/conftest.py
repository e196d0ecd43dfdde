"""What several tests share: a server on the loopback that fails on demand, and a store."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from patchtool.store import Store

Write = Callable[[bytes], Any]

# These are projects that the tests use; their guards are run by patchtool, on stacks.
collect_ignore = ["projects"]


class Server:
    """An HTTP server that gives each path its answers in turn, the last one ever after."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._answers: dict[str, list[tuple[int, bytes | Callable[[Write], None], dict]]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._handle(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(
        self,
        path: str,
        body: bytes | Callable[[Write], None] = b"",
        *,
        status: int = 200,
        **headers: str,
    ) -> None:
        """Add an answer for a path; a function as the body writes it itself, without a length."""
        plain = {name.replace("_", "-"): value for name, value in headers.items()}
        self._answers.setdefault(path, []).append((status, body, plain))

    def asked(self, path: str) -> list[dict[str, str]]:
        """The headers of each request for a path, by lower-case name."""
        return [headers for asked, headers in self.requests if asked == path]

    def close(self) -> None:
        """Stop; connections that are still open are left to their threads."""
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        self.requests.append((request.path, {k.lower(): v for k, v in request.headers.items()}))
        answers = self._answers.get(request.path, [(404, b"", {})])
        status, body, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        request.send_response(status)
        if isinstance(body, bytes):
            headers = {"Content-Length": str(len(body))} | headers
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
        try:
            if isinstance(body, bytes):
                request.wfile.write(body)
            else:
                body(request.wfile.write)
        except OSError:
            pass  # the client has gone, which is what some tests are about


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of the test's own."""
    running = Server()
    yield running
    running.close()


@pytest.fixture(scope="session")
def lasting_server() -> Iterator[Server]:
    """A server for all tests together, for what none of them changes."""
    running = Server()
    yield running
    running.close()


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[..., Store]:
    """Make stores that share one cache; pauses between attempts are noted, not made."""

    def make(**options: Any) -> Store:
        pauses: list[float] = []
        defaults: dict[str, Any] = {
            "directory": tmp_path / "cache",
            "root": tmp_path,
            "environment": {"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            "pause": pauses.append,
        }
        store = Store(**defaults | options)
        store.pauses = pauses  # type: ignore[attr-defined]
        return store

    return make
