"""Real processes of the command line, started together; what each said and how long it took."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a process ended: its exit code, negative for a signal, None if it never did."""

    words: Words
    code: int | None
    out: str
    err: str
    seconds: float


class Started:
    """A process of the command line, whose output goes to files: nobody has to read along."""

    def __init__(self, words: Words, files: ExitStack) -> None:
        self.words = words
        self._out = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        self._err = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "patchtool", *words],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            env={name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        )
        self._seconds: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        if self._seconds is None and self._process.poll() is not None:
            self._seconds = time.monotonic() - self._started
        return self._seconds is not None

    def kill(self) -> None:
        """End it as the system would."""
        self._process.kill()

    def ended(self) -> Ended:
        """How it ended; one that has not is killed."""
        code = self._process.returncode if self.is_over else None
        if not self.is_over:
            self.kill()
            self._process.wait()
        return Ended(
            words=self.words,
            code=code,
            out=_text(self._out),
            err=_text(self._err),
            seconds=self._seconds or time.monotonic() - self._started,
        )


def wait(started: Sequence[Started], limit: float) -> bool:
    """Wait until all have ended, or so many seconds; whether they have."""
    end = time.monotonic() + limit
    while sum(each.is_over for each in started) < len(started):  # each is asked
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")
