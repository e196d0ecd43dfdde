"""The injector: in place of `os`, it lets one step of a process go wrong, chosen by its number.

A step is a call that changes the disk, as `tree.writing` makes it, or one that reads, as
`tree.disk` and `tree.lock` do. Faults come just before it, so that the fault at a step is also the
one just after the step before. Every other write is cut to half, as a signal may do it: so a file
is also met half written.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from patchtool.tree import disk, lock, writing

WRITING = (
    "open", "write", "close", "fsync", "replace", "link", "symlink", "unlink", "rmdir",
    "makedirs", "chmod", "chown",
)  # fmt: skip

READING = ("open", "lstat", "readlink", "fstat")

Strike = Callable[[], None]

# Fewer than there are for a user, so that a few more than these already go through threads.
SEEN_TO_ONE_BY_ONE = 8

# The exit code of work that ended in an exception.
UNCAUGHT = 99


class Injector:
    """The `os` module, in which the step with one number strikes; `steps` are those taken so far.

    The functions of these names are steps, in all threads together. With `lasting` all that come
    after the one strike as well.
    """

    def __init__(
        self,
        at: int = 0,
        strike: Strike = lambda: None,
        *,
        names: Collection[str] = WRITING,
        lasting: bool = False,
    ) -> None:
        self.steps: list[str] = []
        self._names = names
        self._at = at
        self._strike = strike
        self._lasting = lasting
        self._is_cut = False
        self._alone = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self._names:
            return real

        def step(*arguments: Any, **options: Any) -> Any:
            if name == "close":  # a handle is closed even if that fails
                real(*arguments, **options)
            if self._is_struck(name):
                self._strike()
            if name == "close":
                return None
            if name == "write":
                return real(arguments[0], self._cut(arguments[1]))
            return real(*arguments, **options)

        return step

    def install(self) -> None:
        """Take the place of `os` in the modules whose steps these are, until the process ends."""
        for module in (writing,) if self._names is WRITING else (disk, lock):
            vars(module)["os"] = self
        writing.ONE_BY_ONE = SEEN_TO_ONE_BY_ONE

    def _is_struck(self, name: str) -> bool:
        with self._alone:
            self.steps.append(name)
            number = len(self.steps)
        return number == self._at or (self._lasting and 0 < self._at < number and name != "close")

    def _cut(self, data: memoryview) -> memoryview:
        self._is_cut = not self._is_cut
        return data[: max(1, len(data) // 2)] if self._is_cut else data


def kill() -> None:
    """End this process as the system would: at once, without cleaning up."""
    os.kill(os.getpid(), signal.SIGKILL)


def failure(code: int) -> Strike:
    """A step that fails with this error number."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    return fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a process ended: its exit code, negative for a signal, what it said, its steps."""

    code: int
    out: str
    err: str
    steps: tuple[str, ...] = ()


def run(work: Callable[[], int], injector: Injector | None = None) -> Ended:
    """Do some work in a process of its own, with the injector in place of what writes."""
    with ExitStack() as files:
        out, err, steps = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = _work(work, injector)
            os.write(steps.fileno(), " ".join(injector.steps if injector else ()).encode())
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [os.pread(file.fileno(), 1 << 20, 0).decode() for file in (out, err, steps)]
    return Ended(code=code, out=texts[0], err=texts[1], steps=tuple(texts[2].split()))


def _work(work: Callable[[], int], injector: Injector | None) -> int:
    """The exit code of the work, or that of an exception that nobody caught."""
    sys.stdout, sys.stderr = (os.fdopen(handle, "w", closefd=False) for handle in (1, 2))
    gc.disable()  # to look for garbage would copy every page that the processes share
    code = UNCAUGHT
    try:
        if injector is not None:
            injector.install()
        code = work()
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return code
