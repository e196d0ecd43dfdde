"""The only place where programs are run: bytes in and out, a time limit, a clean environment.

A run leaves no process behind, keeps a bounded part of the output, and never sees a variable it
was not given.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO, Any

from patchtool.errors import CannotTell, Problem

# The first and the last half of each stream are kept: what a program says first and last explains
# a failure, and a program that never stops talking must not fill the memory.
OUTPUT_LIMIT = 8 * 1024 * 1024

# How long pipes may stay open after the program itself has ended, seconds. Only a grandchild that
# left the process group can hold them; nothing it says belongs to the run.
_DRAIN = 1.0

# What every program may know: where programs and temporary files are, the user's language, and
# how to reach the network (proxies and certificate authorities).
_PASSED_ON = re.compile(
    "(PATH|HOME|USER|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT"
    "|(HTTP|HTTPS|ALL|NO)_PROXY"
    "|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)",
    re.IGNORECASE,
)

_SECRETS = (
    re.compile(r"(?<=://)[^\s/@]+(?=@)"),
    re.compile(r"(?i)(?<=bearer )\S+|(?<=basic )[\w+/=-]{6,}"),
    re.compile(r"(?i)(?<=_authtoken=)\S+|(?<=_password=)\S+|(?<=_auth=)\S+"),
    re.compile(r"\bnpm_[A-Za-z0-9]{20,}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A run that ended by itself; `code` is negative for the signal that killed it."""

    code: int
    stdout: bytes
    stderr: bytes


class TimedOut(CannotTell):
    """A run that was killed at its limit, with the output it gave until then."""

    def __init__(self, problem: Problem, stdout: bytes, stderr: bytes) -> None:
        super().__init__(problem)
        self.stdout = stdout
        self.stderr = stderr


def run(
    command: Sequence[str | Path],
    *,
    directory: Path,
    environment: Mapping[str, str],
    timeout: float,
    input: bytes = b"",
    stop: Event | None = None,
) -> Completed:
    """Run `command` in `directory` with exactly `environment`, for at most `timeout` seconds.

    Its whole process group is killed when it ends, at the limit and on Ctrl-C; in a thread, which
    sees no Ctrl-C, when `stop` is set. Raises `TimedOut`, and `CannotTell` if the program cannot
    be started or was stopped.
    """
    name = Path(command[0]).name
    # The input is a file, not a pipe: a program that does not read it cannot block the run.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(input)
        stdin.seek(0)
        process = _start(
            command,
            cwd=directory,
            env=dict(environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    try:
        stdout, stderr, ended = _collect(process, time.monotonic() + timeout, stop)
    finally:
        _kill(process)
    if stop is not None and stop.is_set():
        raise CannotTell(Problem(kind="stopped", what=f"{name} was stopped", subject=name))
    if not ended:
        what = f"{name} ran for more than {timeout:g} seconds and was stopped"
        raise TimedOut(Problem(kind="timeout", what=what, subject=name), stdout, stderr)
    return Completed(code=process.returncode, stdout=stdout, stderr=stderr)


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    directory: Path,
    environment: Mapping[str, str],
    output: IO[bytes],
    handed_on: int,
) -> Iterator[None]:
    """Run `command` for as long as the block lasts; then its whole process group is killed.

    It writes to the file `output`, and has the open file descriptor `handed_on` to talk over.
    """
    process = _start(
        command,
        cwd=directory,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=[handed_on],
    )
    try:
        yield
    finally:
        _kill(process)


def _start(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, start_new_session=True, **options)
    except OSError as error:
        name = Path(command[0]).name
        raise CannotTell(
            Problem(kind="program", what=f"cannot run {name}: {error}", subject=name)
        ) from error


@dataclass(slots=True)
class _Output:
    """One stream as it comes in: its head, then its tail, with the middle dropped."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def add(self, data: bytes) -> None:
        half = OUTPUT_LIMIT // 2
        room = half - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        if len(self.tail) > 2 * half:  # cut now and then, not at each read
            self._cut(half)

    def _cut(self, half: int) -> None:
        excess = max(0, len(self.tail) - half)
        del self.tail[:excess]
        self.dropped += excess

    def value(self) -> bytes:
        self._cut(OUTPUT_LIMIT // 2)
        note = b"\n[%d bytes left out]\n" % self.dropped if self.dropped else b""
        return bytes(self.head + note + self.tail)


def _collect(
    process: subprocess.Popen[bytes], deadline: float, stop: Event | None
) -> tuple[bytes, bytes, bool]:
    """Read both streams until the program has ended; say whether it did before `deadline`."""
    outputs = (_Output(), _Output())
    with selectors.DefaultSelector() as selector:
        for stream, output in zip((process.stdout, process.stderr), outputs, strict=True):
            assert stream is not None  # noqa: S101 - both are pipes
            selector.register(stream, selectors.EVENT_READ, output)
        limit = deadline
        while selector.get_map() and (left := limit - time.monotonic()) > 0:
            # Short waits, so that the program's own end is seen while a grandchild keeps a pipe.
            for key, _ in selector.select(min(left, 0.1)):
                _read(selector, key)
            if process.poll() is not None and limit == deadline:
                limit = min(deadline, time.monotonic() + _DRAIN)
                kill_group(process.pid)
            if stop is not None and stop.is_set():
                kill_group(process.pid)
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return outputs[0].value(), outputs[1].value(), False
    return outputs[0].value(), outputs[1].value(), True


def _read(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    data = os.read(key.fd, 65536)
    if data:
        key.data.add(data)
    else:
        selector.unregister(key.fileobj)


def _kill(process: subprocess.Popen[bytes]) -> None:
    kill_group(process.pid)
    process.wait()
    streams: tuple[IO[bytes] | None, ...] = (process.stdout, process.stderr)
    for stream in streams:
        if stream is not None:
            stream.close()


def kill_group(group: int) -> None:
    """Kill every process of a group that is still there."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # all of it has ended; macOS says "not permitted" for a group of zombies


def clean(environment: Mapping[str, str], *, also: Iterable[str] = ()) -> dict[str, str]:
    """The part of `environment` that a program may know, and the variables named in `also`."""
    names = {*also}
    return {
        name: value
        for name, value in environment.items()
        if _PASSED_ON.fullmatch(name) or name in names
    }


def redact(text: str) -> str:
    """`text` without passwords in addresses and tokens."""
    for pattern in _SECRETS:
        text = pattern.sub("***", text)
    return text
