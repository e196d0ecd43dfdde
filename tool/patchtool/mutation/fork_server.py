"""A pytest plugin that collects a guard once and then runs its cases on many stacks.

Every request is served by a fork, so no run sees another, and none pays for starting Python,
pytest and the collection again. It talks JSON, a line each, over the socket whose number is in
`PATCHTOOL_FORK_SERVER`. It knows nothing of mutants.

A request is `{"stack": directory, "cases": names, "first_failure": bool}`. The answers are
`{"group": id}`, the process group of the fork; `{"case": name, "outcome": word, "seconds": s}`
for each case in the order asked; and `{"end": status}`, the fork's wait status. With
`first_failure` a run ends as soon as one case has failed and one has passed; an error is neither.
"""

from __future__ import annotations

import gc
import json
import os
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from patchtool.process import kill_group

SOCKET = "PATCHTOOL_FORK_SERVER"

# With `first_failure`, so many cases more than one run while none passes: the failure of a case
# says something only where another passes, but where all is broken not every case need run.
MORE = 3


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Serve requests until the other side hangs up, instead of running the collected cases."""
    if session.testsfailed:
        return None  # the collection failed: pytest says so
    recorder = _Recorder()
    session.config.pluginmanager.register(recorder)
    session.config.option.tbstyle = "no"  # nobody reads how a case failed
    items = {case_name(item.nodeid): item for item in session.items}
    gc.freeze()  # or each fork copies all of the server's memory as soon as it collects garbage
    with socket.socket(fileno=int(os.environ[SOCKET])) as channel:
        for line in channel.makefile("rb"):
            _serve(json.loads(line), items, recorder, channel)
    return True


def case_name(node_id: str) -> str:
    """The case's name in pytest's JUnit report.

    There, `dir/test_a.py::TestB::test_c[d]` is the class `dir.test_a.TestB` and the name
    `test_c[d]`.
    """
    address, bracket, parameters = node_id.partition("[")
    path, *names = address.split("::")
    *classes, name = [path.removesuffix(".py").replace("/", "."), *names]
    return f"{'.'.join(classes)}::{name}{bracket}{parameters}"


class _Recorder:
    """Keeps the worst outcome of each phase of the case that runs."""

    def __init__(self) -> None:
        self.outcome = "passed"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.outcome = "failed" if report.when == "call" else "error"
        elif report.skipped and self.outcome == "passed":
            self.outcome = "skipped"


def _serve(
    request: Mapping[str, Any],
    items: Mapping[str, pytest.Item],
    recorder: _Recorder,
    channel: socket.socket,
) -> None:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            _say_nothing()
            threading.Thread(target=_end_with, args=[channel], daemon=True).start()
            _answer(channel, group=os.getpid())
            os.environ["PATCHTOOL_STACK"] = request["stack"]
            chosen = [items[name] for name in request["cases"]]
            _run(chosen, recorder, channel, first_failure=request["first_failure"])
            status = 0
        finally:
            os._exit(status)  # nothing of the server's own may run twice
    _, status = os.waitpid(child, 0)
    kill_group(child)  # programs that the cases have started
    _answer(channel, end=status)


def _say_nothing() -> None:
    """Drop what the cases print. Nobody reads it, and pytest's own capture costs half a case."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _end_with(channel: socket.socket) -> None:
    """Kill this fork and all it has started as soon as nobody is there to hear of it.

    During a run the other side says nothing, so what there is to read is the end.
    """
    select.select([channel], [], [])
    kill_group(os.getpid())


def _run(
    items: Sequence[pytest.Item],
    recorder: _Recorder,
    channel: socket.socket,
    *,
    first_failure: bool,
) -> None:
    seen: Counter[str] = Counter()
    for item, following in zip(items, [*items[1:], None], strict=True):
        recorder.outcome = "passed"
        started = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds = time.monotonic() - started
        name = case_name(item.nodeid)
        _answer(channel, case=name, outcome=recorder.outcome, seconds=seconds)
        seen[recorder.outcome] += 1
        if first_failure and (seen["failed"] if seen["passed"] else seen.total() > MORE):
            return


def _answer(channel: socket.socket, **answer: object) -> None:
    channel.sendall(json.dumps(answer).encode() + b"\n")
