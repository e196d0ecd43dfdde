"""One line on a terminal for what takes longer than a second; gone again when it is done.

It never writes to anything but the terminal it was given, and is silent without one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

# Faster work is not worth a line that flickers; seconds.
PATIENCE = 1.0

_CLEAR = "\r\x1b[K"


class Progress:
    """Says on `stream` what is being waited for, if that is a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Show `text` from `PATIENCE` seconds on until the block is left."""
        stream = self._stream
        if stream is None:
            yield
            return
        timer = threading.Timer(PATIENCE, _write, (stream, f"{_CLEAR}{text} ..."))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # a line that is just being written must not outlive the block
            _write(stream, _CLEAR)

    def say(self, text: str) -> None:
        """Show `text` at once, inside `during`, in the place of what stands there."""
        if self._stream is not None:
            _write(self._stream, f"{_CLEAR}{text} ...")


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
