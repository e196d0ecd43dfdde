"""The Node process that runs turns through the packages of a stack.

Owns the process and its protocol: a line of JSON out, a line of JSON back. Must not judge a turn.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from tool_call_shapes.stream import Delta, Stream

SCRIPT = Path(__file__).with_name("drive.mjs")
PROVIDERS = ("openai-compatible", "openai")
SECONDS_FOR_AN_ANSWER = 20.0


class DriverError(Exception):
    """The Node process gave no answer; the text says what became of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One turn to run: the tool-call deltas by chunk, and the way they go.

    `cut_every` cuts the bytes after every so many; None sends one event at a time. The provider
    `tracker` is the tracker alone, with a generator of ids that repeats itself.
    """

    provider: str
    chunks: Sequence[Sequence[Delta]]
    finish_reason: str = "tool_calls"
    finish_chunks: Sequence[int] = ()
    line_end: str = "\n"
    cut_every: int | None = None
    loopback: bool = False

    @classmethod
    def of(cls, stream: Stream, provider: str) -> Request:
        """The turn of a stream."""
        return cls(
            provider=provider,
            chunks=stream.deltas,
            finish_reason=stream.finish_reason,
            finish_chunks=stream.finish_chunks,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Every stream part in the order it came out, and what was thrown, if anything was."""

    parts: tuple[Mapping[str, Any], ...]
    thrown: str | None

    @property
    def error(self) -> str | None:
        """What failed the turn, thrown or as a part; None if nothing did."""
        errors = [
            f"{part['error']['name']}: {part['error']['message']}"
            for part in self.parts
            if part["type"] == "error"
        ]
        return self.thrown or (errors[0] if errors else None)


class Driver:
    """A Node process on one stack, started when first needed and again after it died.

    One at a time may ask it. `run` raises DriverError when no answer comes.
    """

    def __init__(self, stack: Path) -> None:
        self._stack = stack
        self._process: subprocess.Popen[str] | None = None
        self._stderr = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Driver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._stderr.close()

    def run(self, requests: Sequence[Request]) -> list[Turn]:
        """Run turns, all at once, and give what each gave, in the order of the requests."""
        process = self._process or self._start()
        text = "".join(
            json.dumps({"id": number, **asdict(request)}) + "\n"
            for number, request in enumerate(requests)
        )
        # Both sides block on a full pipe, so one must write while the other reads.
        writer = threading.Thread(target=_write, args=(process, text), daemon=True)
        writer.start()
        answers = [self._answer() for _ in requests]
        writer.join()
        turns = {
            each["id"]: Turn(
                parts=tuple(each["parts"]),
                thrown=each["thrown"] and f"{each['thrown']['name']}: {each['thrown']['message']}",
            )
            for each in answers
        }
        return [turns[number] for number in range(len(requests))]

    def _start(self) -> subprocess.Popen[str]:
        node = shutil.which("node")
        if node is None:
            raise DriverError("there is no `node` on the PATH")
        self._lines = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [node, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            encoding="utf-8",
            env={**os.environ, "PATCHTOOL_STACK": str(self._stack.resolve())},
        )
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process

    def _answer(self) -> Any:
        try:
            line = self._lines.get(timeout=SECONDS_FOR_AN_ANSWER)
        except queue.Empty:
            self._stop()
            raise DriverError(f"no answer within {SECONDS_FOR_AN_ANSWER:.0f} seconds") from None
        if not line:
            code = self._stop()
            self._stderr.seek(0)
            raise DriverError(f"Node stopped with exit code {code}:\n{self._stderr.read()[-2000:]}")
        return json.loads(line)

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
