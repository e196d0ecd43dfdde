"""Talks to a fork server: has it run cases on a stack, and sees that none takes for ever."""

from __future__ import annotations

import json
import os
import select
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO, Any

from patchtool import process
from patchtool.errors import CannotTell, Problem
from patchtool.guard import SHOWN_OUTPUT, Target, pytest_command, run_environment
from patchtool.mutation.fork_server import SOCKET
from patchtool.project import Guard

# How often a stop is looked for while an answer is awaited, seconds.
_TICK = 0.05


@dataclass(slots=True)
class Outcomes:
    """What a run showed: each case's outcome and seconds, and why it did not go on, if so."""

    words: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    late: str | None = None
    broken: str | None = None

    def cases(self, word: str) -> tuple[str, ...]:
        """The cases with this outcome, in the order they ran."""
        return tuple(name for name, found in self.words.items() if found == word)


@contextmanager
def serving(guard: Guard, target: Target, root: Path) -> Iterator[ForkClient]:
    """A fork server for a pytest guard, until the block is left."""
    ours, theirs = socket.socketpair()
    with (
        ours,
        tempfile.TemporaryDirectory(prefix="patchtool-", ignore_cleanup_errors=True) as scratch,
        Path(scratch, "output").open("w+b") as output,
        theirs,
        process.running(
            pytest_command(guard, root, scratch, "-s", "-p", "patchtool.mutation.fork_server"),
            directory=root,
            environment={**run_environment(target, scratch), SOCKET: str(theirs.fileno())},
            output=output,
            handed_on=theirs.fileno(),
        ),
    ):
        theirs.close()  # so that the end of the server is the end of what it says
        yield ForkClient(ours, output)


class ForkClient:
    """The way to one fork server, for one thread; `serving` makes it."""

    def __init__(self, channel: socket.socket, output: IO[bytes]) -> None:
        self._channel = channel
        self._output = output
        self._received = bytearray()

    def run(
        self, stack: Path, limits: Mapping[str, float], *, first_failure: bool, stop: Event
    ) -> Outcomes:
        """Run the cases named in `limits` in that order, each for so many seconds at most.

        Raises `CannotTell` if there is no server any more.
        """
        request = {"stack": str(stack), "cases": list(limits), "first_failure": first_failure}
        try:
            self._channel.sendall(json.dumps(request).encode() + b"\n")
        except ConnectionError:
            raise self._gone() from None
        group = self._answer()["group"]
        outcomes = Outcomes()
        answer: Any = None
        for case, limit in limits.items():
            answer = self._answer_within(limit, stop)
            if answer is None:
                process.kill_group(group)
                outcomes.late = f"{case} ran for more than {limit:.1f} seconds"
                break
            if "end" in answer:
                break
            outcomes.words[case] = answer["outcome"]
            outcomes.seconds[case] = answer["seconds"]
        while answer is None or "end" not in answer:
            answer = self._answer()
        if answer["end"] != 0 and outcomes.late is None:
            code = os.waitstatus_to_exitcode(answer["end"])
            outcomes.broken = f"the run of the guard ended with {code}"
        return outcomes

    def _answer(self) -> Any:
        answer = self._answer_within(None, None)
        assert answer is not None  # noqa: S101 - there is no limit
        return answer

    def _answer_within(self, limit: float | None, stop: Event | None) -> Any:
        """The next answer; None when the limit has passed, or `stop` is set."""
        ends = None if limit is None else time.monotonic() + limit
        while b"\n" not in self._received:
            if (ends is not None and time.monotonic() > ends) or (stop and stop.is_set()):
                return None
            if select.select([self._channel], [], [], _TICK)[0]:
                self._received += self._receive()
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return json.loads(line)

    def _receive(self) -> bytes:
        try:
            data = self._channel.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            raise self._gone()
        return data

    def _gone(self) -> CannotTell:
        self._output.seek(0)
        said = self._output.read().decode(errors="replace").strip()[-SHOWN_OUTPUT:]
        return CannotTell(
            Problem(kind="guard", what="pytest ended before it ran the guard", found=said)
        )
