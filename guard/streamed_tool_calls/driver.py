"""The Node processes that run turns through the packages of a stack.

Owns the processes and their protocol: a line of JSON out, a line of JSON back. Must not judge a
turn.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tool_call_shapes.stream import Delta, Stream

SCRIPT = Path(__file__).with_name("drive.mjs")
PROVIDERS = ("openai-compatible", "openai")
WHOLE = 1 << 30

# A process that has not answered by then hangs: a turn takes about a millisecond.
SECONDS_FOR_AN_ANSWER = 30.0
# How many turns a process has at a time. All at once, none would be done before all nearly are.
AT_ONCE = 64
# More processes than this gain nothing: each takes half a second to start.
MOST_PROCESSES = 4


class DriverError(Exception):
    """A Node process gave no answer; the text says what became of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One turn to run: the tool-call deltas by chunk, and the way they go.

    `cut_every` cuts the bytes after every so many; None sends one event at a time. The provider
    `tracker` is the tracker alone, with a generator of ids that repeats itself; `tracker with
    types` is one that requires types.
    """

    provider: str
    chunks: Sequence[Sequence[Delta]]
    finish_reason: str = "tool_calls"
    finish_chunks: Sequence[int] = ()
    line_end: str = "\n"
    cut_every: int | None = None
    loopback: bool = False

    @classmethod
    def of(cls, stream: Stream, provider: str, cut_every: int | None = None) -> Request:
        """The turn of a stream."""
        return cls(
            provider=provider,
            chunks=stream.deltas,
            finish_reason=stream.finish_reason,
            finish_chunks=stream.finish_chunks,
            cut_every=cut_every,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Every stream part in the order it came out, and what was thrown, if anything was.

    An error has a `name`, a `message`, and `data`: what of the turn it is about, if it says.
    """

    parts: Sequence[Mapping[str, Any]]
    thrown: Mapping[str, Any] | None

    @property
    def error(self) -> Mapping[str, Any] | None:
        """What failed the turn, thrown or as a part; None if nothing did."""
        errors = [part["error"] for part in self.parts if part["type"] == "error"]
        return self.thrown or (errors[0] if errors else None)


class Driver:
    """Node processes on one stack, each started when first needed and again after it died.

    `run` raises DriverError when an answer does not come. One at a time may call it.
    """

    def __init__(self, stack: Path) -> None:
        processes = min(os.cpu_count() or 1, MOST_PROCESSES)
        self._nodes = [_Node(stack) for _ in range(processes)]

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for node in self._nodes:
            node.stop()

    def run(self, requests: Sequence[Request]) -> list[Turn]:
        """Run turns, many at a time, and give what each gave, in the order of the requests."""
        nodes = self._nodes[: max(1, min(len(self._nodes), len(requests) // AT_ONCE))]
        shares = [requests[number :: len(nodes)] for number in range(len(nodes))]
        turns: list[Turn] = [Turn(parts=(), thrown=None)] * len(requests)
        with ThreadPoolExecutor(len(nodes)) as threads:
            answers = threads.map(_Node.ask, nodes, shares)
            for number, share in enumerate(answers):
                turns[number :: len(nodes)] = share
        return turns


class _Node:
    """One Node process."""

    def __init__(self, stack: Path) -> None:
        self._stack = stack
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._errors = tempfile.SpooledTemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115

    def ask(self, requests: Sequence[Request]) -> list[Turn]:
        """Run turns in this process, starting it if need be."""
        turns: list[Turn] = []
        for start in range(0, len(requests), AT_ONCE):
            turns += self._ask_some(requests[start : start + AT_ONCE])
        return turns

    def stop(self) -> int | None:
        """End the process and give its exit code: its own if it had ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            return process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _ask_some(self, requests: Sequence[Request]) -> list[Turn]:
        process = self._process or self._start()
        text = "".join(
            json.dumps({"id": number, **asdict(request)}) + "\n"
            for number, request in enumerate(requests)
        )
        # Both sides block on a full pipe, so one must write while the other reads.
        writer = threading.Thread(target=_write, args=(process, text), daemon=True)
        writer.start()
        answers = sorted((self._answer() for _ in requests), key=lambda each: each["id"])
        writer.join()
        return [Turn(parts=each["parts"], thrown=each["thrown"]) for each in answers]

    def _start(self) -> subprocess.Popen[str]:
        node = shutil.which("node")
        if node is None:
            raise DriverError("there is no `node` on the PATH")
        self._lines = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [node, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            env={**os.environ, "PATCHTOOL_STACK": str(self._stack.resolve())},
        )
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process

    def _answer(self) -> Any:
        try:
            line = self._lines.get(timeout=SECONDS_FOR_AN_ANSWER)
        except queue.Empty:
            self.stop()
            raise DriverError(f"no answer within {SECONDS_FOR_AN_ANSWER:.0f} seconds") from None
        if not line:
            code = self.stop()
            self._errors.seek(0)
            raise DriverError(f"Node stopped with exit code {code}:\n{self._errors.read()[-2000:]}")
        return json.loads(line)


def _write(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(text)
        process.stdin.flush()
    except OSError:
        pass  # it died; the reader says so


def _read(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")
