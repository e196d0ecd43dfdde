"""A child that answers, dies, or says nothing, and one that forks share."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import json_lines
from json_lines import Child, ChildError

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
SILENT = "import sys\nfor line in sys.stdin: pass"
NUMBER = """
import os, sys
for line in sys.stdin:
    if "silence" not in line:
        print(os.getpid(), flush=True)
    if "twice" in line:
        print("unasked", flush=True)
"""
# Does it once, on the word, as if a fork before had caused it.
ONCE = """
import os, sys
for line in sys.stdin:
    if "once" in line and os.path.exists("PLACE"):
        os.unlink("PLACE")
        DOES
    print(line, end="", flush=True)
"""
DIES = "import sys\nsys.exit('it hurts')"


@pytest.fixture
def child() -> Iterator[Callable[[str], Child]]:
    """Makes a child of a Python script, and ends it after the test."""
    with ExitStack() as children:
        yield lambda script: children.enter_context(Child([sys.executable, "-c", script], {}))


def test_answers_in_order(child: Callable[[str], Child]) -> None:
    """Each request has its answer, and more of them than a pipe holds do not block."""
    requests = [{"number": number, "text": "x" * 1000} for number in range(300)]
    assert child(ECHO).ask(requests) == requests


def test_one_process(child: Callable[[str], Child]) -> None:
    """The process lives on between requests."""
    running = child(NUMBER)
    assert running.ask([{}]) == running.ask([{}])


def test_dies(child: Callable[[str], Child]) -> None:
    """Of a child that dies the error has the exit code and the last words; the next one lives."""
    running = child(DIES)
    for _ in range(2):
        with pytest.raises(ChildError, match="exit code 1:\nit hurts"):
            running.ask([{}])


def test_says_nothing(child: Callable[[str], Child], monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that gives no answer is ended."""
    monkeypatch.setattr(json_lines, "SECONDS_FOR_AN_ANSWER", 0.1)
    with pytest.raises(ChildError, match="no answer"):
        child(SILENT).ask([{}])


def in_fork(ask: Callable[[], Any]) -> Any:
    """What `ask` gives in a process that is forked off and then killed; None if nothing."""
    reading, writing = os.pipe()
    if (fork := os.fork()) == 0:
        try:
            os.write(writing, json.dumps(ask()).encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    os.waitpid(fork, 0)
    return json.loads(said) if said else None


def test_forks_share_it(child: Callable[[str], Child]) -> None:
    """Forks are answered by the process that was started before them, and do not end it."""
    running = child(NUMBER)
    running.serve_forks()

    def ask_and_end() -> Any:
        answer = running.ask([{}])
        running.end()
        return answer

    first = in_fork(ask_and_end)
    assert first == in_fork(ask_and_end) == running.ask([{}])


@pytest.mark.parametrize("left", ["silence", "twice"])
def test_what_a_fork_leaves_behind(child: Callable[[str], Child], left: str) -> None:
    """An answer that a fork did not wait for, or that nobody asked for, is no later fork's."""
    running = child(NUMBER)
    running.serve_forks()
    [first] = in_fork(lambda: running.ask([{}]))

    def ask_and_die() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        running.ask([{left: True}])
        signal.pause()

    assert in_fork(ask_and_die) is None
    [second] = in_fork(lambda: running.ask([{}]))
    assert isinstance(second, int)
    assert second != first


@pytest.mark.parametrize("does", ["sys.exit()", "print('{}')", "print('no JSON', end='')"])
def test_fork_asks_again(child: Callable[[str], Child], tmp_path: Path, does: str) -> None:
    """A fork that the shared process fails asks one of its own; the next one finds a new one."""
    place = tmp_path / "place"
    place.touch()
    running = child(ONCE.replace("PLACE", str(place)).replace("DOES", does))
    running.serve_forks()
    requests = [{"live": 1}, {"once": 2}, {"live": 3}]
    assert in_fork(lambda: running.ask(requests)) == requests
    assert not place.exists()
    assert in_fork(lambda: running.ask(requests)) == requests


def test_served_enough(child: Callable[[str], Child], monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many forks another process serves."""
    monkeypatch.setattr(json_lines, "FORKS_SERVED", 2)
    running = child(NUMBER)
    running.serve_forks()
    one, two, three = (in_fork(lambda: running.ask([{}])) for _ in range(3))
    assert one == two != three


def test_says_too_much(child: Callable[[str], Child]) -> None:
    """Two answers to one request are an error."""
    running = child("import sys\nfor line in sys.stdin: print(f'1\\n2', flush=True)")
    with pytest.raises(ChildError, match="2 answers came to 1 requests"):
        running.ask([{}])
