"""An HTTP server on the loopback that answers, and fails, as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Write = Callable[[bytes], Any]


class Server:
    """An HTTP server that gives each path its answers in turn, the last one ever after."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._answers: dict[
            str, list[tuple[int, bytes | Callable[[Write], None], dict[str, str]]]
        ] = {}
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
