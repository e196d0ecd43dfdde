"""A child process that answers a line of JSON with a line of JSON, for guards.

Owns the process and its pipes. Must not know what is asked.
"""

from __future__ import annotations

import json
import mmap
import os
import selectors
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

SECONDS_FOR_AN_ANSWER = 20.0

# So many forks are served by one process: what it has loaded for each stays in its memory.
FORKS_SERVED = 25

_AT_ONCE = 1 << 16


class ChildError(Exception):
    """The child gave no answer; the text says what became of it."""


class Child:
    """A process that is started when first asked, and again after it died.

    It answers in the order of the requests. One at a time may ask: a thread, or, after
    `serve_forks`, a process forked off this one.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._forks = 0
        self._owes = mmap.mmap(-1, 1)  # whether answers are due, which forks tell each other
        self._stderr = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._stderr.close()

    def serve_forks(self) -> None:
        """Start it now, to answer the processes that will be forked off this one as well.

        What an earlier fork has left behind is no evidence for a later one: see `ask`. Raises
        OSError if it cannot be started.
        """
        self._start()
        os.register_at_fork(before=self._make_fit)

    def ask(self, requests: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The answers to requests; ChildError when one does not come.

        A fork that the shared process fails asks one of its own: an earlier fork may be to blame.
        """
        lines = [json.dumps(request).encode() + b"\n" for request in requests]
        if self._process is not None and self._owner != os.getpid():
            try:
                return self._answers(self._process, lines)
            except (EOFError, TimeoutError, ChildError, ValueError):
                self._process, self._owes = None, mmap.mmap(-1, 1)  # the shared one stays due
        process = self._process or self._start()
        try:
            return self._answers(process, lines)
        except TimeoutError:
            self.end()
            raise ChildError(f"no answer within {SECONDS_FOR_AN_ANSWER:.0f} seconds") from None
        except EOFError:
            code = self.end()
            self._stderr.seek(0)
            said = self._stderr.read()[-2000:]
            raise ChildError(f"it stopped with exit code {code}:\n{said}") from None

    def end(self) -> int | None:
        """End the process, unless it is another's; gives its exit code: its own if it had ended."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return None
        try:
            return process.wait(timeout=0.2 if self._owes[0] else 0)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        self._owner, self._forks, self._owes[0] = os.getpid(), 0, 0
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=dict(self._environment),
        )
        os.set_blocking(_pipe(self._process.stdin), False)
        return self._process

    def _answers(self, process: subprocess.Popen[bytes], lines: Sequence[bytes]) -> list[Any]:
        self._owes[0] = 1
        said = _exchange(process, b"".join(lines), len(lines))
        if len(said) > len(lines):
            raise ChildError(f"{len(said)} answers came to {len(lines)} requests")
        answers = [json.loads(line) for line in said]
        self._owes[0] = 0
        return answers

    def _make_fit(self) -> None:
        """Before a fork: start it anew if it died, was not done, speaks unasked or has grown."""
        if self._process is None or self._owner != os.getpid():
            return
        self._forks += 1
        with selectors.DefaultSelector() as selector:
            selector.register(_pipe(self._process.stdout), selectors.EVENT_READ)
            if selector.select(0) or self._owes[0] or self._forks > FORKS_SERVED:
                self._process.kill()
                self._process.wait()
                self._start()


def _exchange(process: subprocess.Popen[bytes], data: bytes, answers: int) -> list[bytes]:
    """Write all and read so many lines, side by side: each side waits where a pipe is full.

    Raises EOFError if the process has ended, and TimeoutError if it does not go on.
    """
    stdin, stdout = _pipe(process.stdin), _pipe(process.stdout)
    received = bytearray()
    missing, sent = answers, 0
    with selectors.DefaultSelector() as selector:
        selector.register(stdin, selectors.EVENT_WRITE)
        selector.register(stdout, selectors.EVENT_READ)
        while missing > 0:
            ready = [key.fd for key, _ in selector.select(SECONDS_FOR_AN_ANSWER)]
            if not ready:
                raise TimeoutError
            if stdout in ready:
                came = os.read(stdout, _AT_ONCE)
                if not came:
                    raise EOFError
                missing -= came.count(b"\n")
                received += came
            if stdin in ready:
                sent += _written(stdin, data[sent : sent + _AT_ONCE])
                if sent == len(data):
                    selector.unregister(stdin)
    return bytes(received).split(b"\n")[:-1]


def _written(stdin: int, data: bytes) -> int:
    try:
        return os.write(stdin, data)
    except BrokenPipeError:
        return len(data)  # it died: what it says ends, which the reader notices


def _pipe(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()
