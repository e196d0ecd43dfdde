"""The Node processes that run turns through the packages of a stack.

Owns how a turn is put to them and what they say of it. Must not judge a turn.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from json_lines import Child, ChildError
from tool_call_shapes.stream import Delta, Stream

SCRIPT = Path(__file__).with_name("drive.mjs")
PROVIDERS = ("openai-compatible", "openai")
WHOLE = 1 << 30


def found() -> str:
    """Node's own program. What PATH finds may be a wrapper, which can start as slowly as Node."""
    found = shutil.which("node")
    if found is None:
        return "node"
    asked = subprocess.run(
        [found, "-p", "process.execPath"], stdout=subprocess.PIPE, text=True, check=False
    )
    return asked.stdout.strip() or found


def loads_anew(node: str) -> bool:
    """Whether this Node can load a stack's packages once more, after a change: from 22.15 on."""
    asked = [node, "-p", "typeof require('node:module').registerHooks"]
    return subprocess.run(asked, stdout=subprocess.PIPE, check=False).stdout == b"function\n"


# Asked once, before a process that runs cases on a mutant is forked off.
NODE = found()

# The memory for young objects is this large from the start, in megabytes: it grows by collecting
# garbage, which took a tenth of the time of a short run.
YOUNG = "--min-semi-space-size=16"

# More processes than this gain nothing. Each takes the time of some two hundred turns to start, and
# is started when so many have been run; few turns go to one process.
MOST_PROCESSES = 4
WORTH_A_PROCESS = 200
FEW = 8


@dataclass(frozen=True, kw_only=True)
class Request:
    """One turn to run: the tool-call deltas by chunk, and the way they go.

    `cut_every` cuts the bytes after every so many; None sends one event at a time. The provider
    `tracker` is the tracker alone, with a generator of ids that repeats itself; `tracker with
    types` requires types, and `tracker with types or none` looks only at those that are there.
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


def child() -> Child:
    """One Node process, which loads the packages of a stack when it is first asked about them."""
    return Child((NODE, YOUNG, str(SCRIPT)), os.environ)


class Driver:
    """Node processes on one stack, each started when first asked and again after it died.

    `run` raises ChildError when an answer does not come. One at a time may call it. The first
    process may be given, one that has loaded other stacks, or this one before it was changed.
    """

    def __init__(self, stack: Path, first: Child | None = None) -> None:
        processes = min(os.cpu_count() or 1, MOST_PROCESSES)
        self._children = [first or child(), *(child() for _ in range(processes - 1))]
        self._stack = {"stack": str(stack.resolve()), "run": str(uuid.uuid4())}
        self._answered = 0
        self._broken: str | None = None

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._children:
            each.__exit__()

    def run(self, requests: Sequence[Request]) -> list[Turn]:
        """Run turns, and give what each gave, in the order of the requests.

        Where none was ever answered, the packages cannot be loaded, and that is not tried again.
        """
        if self._broken is not None:
            raise ChildError(self._broken)
        worth = (self._answered + len(requests)) // WORTH_A_PROCESS
        children = self._children[: max(1, min(worth, len(requests) // FEW))]
        shares = [requests[number :: len(children)] for number in range(len(children))]
        turns: list[Turn] = [Turn(parts=(), thrown=None)] * len(requests)
        try:
            for number, share in enumerate(self._side_by_side(children, shares)):
                turns[number :: len(children)] = share
        except ChildError as error:
            self._broken = None if self._answered else str(error)
            raise
        self._answered += len(requests)
        return turns

    def _side_by_side(
        self, children: Sequence[Child], shares: Sequence[Sequence[Request]]
    ) -> list[list[Turn]]:
        """What each child gave. For one, threads would cost as much as its turn."""
        if len(children) == 1:
            return [self._ask(children[0], shares[0])]
        with ThreadPoolExecutor(len(children)) as threads:
            return list(threads.map(self._ask, children, shares))

    def _ask(self, child: Child, requests: Sequence[Request]) -> list[Turn]:
        answers = child.ask({**self._stack, **vars(request)} for request in requests)
        return [Turn(**answer) for answer in answers]
