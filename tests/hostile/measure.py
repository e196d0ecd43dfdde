"""Runs the real command line once, with a limit of time, and measures what it took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Of what a run says; more than this is no clear message.
_SAID = 1 << 20
_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A run: its exit code (negative for a signal), what it said, and what it took.

    `megabytes` is the most memory that it, or a program that it ran, had at one time.
    """

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float


def run(
    words: Sequence[str], *, environment: Mapping[str, str], directory: Path, limit: int
) -> Ran:
    """Run the command line; it and all that it has started are killed after `limit` seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        files = (out.fileno(), err.fileno())
        launched = subprocess.run(
            [sys.executable, "-S", _LAUNCHER, str(limit), *map(str, files), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            cwd=directory,
            env=dict(environment),
            pass_fds=files,
            check=True,
        )
        said = [os.pread(file, _SAID, 0).decode("utf-8", "replace") for file in files]
    code, seconds, megabytes = json.loads(launched.stdout)
    return Ran(code=code, out=said[0], err=said[1], seconds=seconds, megabytes=megabytes)
