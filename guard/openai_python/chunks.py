"""A streamed turn as the chunks of a chat completion, and a server that sends them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tool_call_shapes.stream import Stream

Chunk = Mapping[str, Any]


def chunks(stream: Stream) -> list[Chunk]:
    """The chunks of a stream's turn, as servers send them.

    A chunk without tool calls carries text, unless the finish reason is all it carries.
    """
    finishing = stream.finish_chunks or (len(stream.deltas),)
    turn: list[Mapping[str, Any]] = [
        {"tool_calls": calls} if calls else {} if place in finishing else {"content": "\n"}
        for place, calls in enumerate(
            (*stream.deltas, ()) if not stream.finish_chunks else stream.deltas
        )
    ]
    return [
        chunk(
            {
                "index": 0,
                "delta": delta,
                "finish_reason": stream.finish_reason if place in finishing else None,
            }
        )
        for place, delta in enumerate(turn)
    ]


def chunk(*choices: Mapping[str, Any]) -> Chunk:
    """A chunk with these choices."""
    return {
        "id": "turn",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "model",
        "choices": choices,
    }


@contextmanager
def served(chunks: Sequence[Chunk], cut_every: int | None = None) -> Iterator[str]:
    """A server on the loopback interface that answers any request with a turn; its address.

    It sends an event at a time, or so many bytes.
    """
    events = [f"data: {data}\n\n".encode() for data in (*map(json.dumps, chunks), "[DONE]")]
    whole = b"".join(events)
    pieces = (
        events
        if cut_every is None
        else [whole[start : start + cut_every] for start in range(0, len(whole), cut_every)]
    )

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            """Nobody wants to know."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
