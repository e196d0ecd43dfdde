"""A child process that answers a line of JSON with a line of JSON, for guards.

Owns the process and its pipes. Must not know what is asked.
"""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

SECONDS_FOR_AN_ANSWER = 20.0

# What an empty pipe takes at once on every system, in bytes; requests are ASCII.
FITS_A_PIPE = 4096


class ChildError(Exception):
    """The child gave no answer; the text says what became of it."""


class Child:
    """A process that is started when first asked, and again after it died.

    It answers in the order of the requests. One at a time may ask.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stderr = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._stderr.close()

    def ask(self, requests: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The answers to requests; ChildError when one does not come."""
        process = self._process or self._start()
        lines = [json.dumps(request) + "\n" for request in requests]
        if sum(map(len, lines)) <= FITS_A_PIPE:
            _write(process, lines)
            return [json.loads(self._line()) for _ in lines]
        # Both sides block on a full pipe, so one must write while the other reads.
        writer = threading.Thread(target=_write, args=(process, lines), daemon=True)
        writer.start()
        answers = [json.loads(self._line()) for _ in lines]
        writer.join()
        return answers

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            encoding="utf-8",
            env=dict(self._environment),
        )
        self._process, self._lines = process, queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True)
        reader.start()
        return process

    def _line(self) -> str:
        try:
            line = self._lines.get(timeout=SECONDS_FOR_AN_ANSWER)
        except queue.Empty:
            self._stop()
            raise ChildError(f"no answer within {SECONDS_FOR_AN_ANSWER:.0f} seconds") from None
        if not line:
            code = self._stop()
            self._stderr.seek(0)
            raise ChildError(f"it stopped with exit code {code}:\n{self._stderr.read()[-2000:]}")
        return line

    def _stop(self) -> int | None:
        """End the process and give its exit code: its own if it had ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            return process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _write(process: subprocess.Popen[str], lines: Sequence[str]) -> None:
    assert process.stdin is not None
    try:
        process.stdin.writelines(lines)
        process.stdin.flush()
    except OSError:
        pass  # it died; the reader says so


def _read(stdout: IO[str], lines: queue.SimpleQueue[str]) -> None:
    for line in stdout:
        lines.put(line)
    lines.put("")
