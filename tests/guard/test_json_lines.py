"""A child that answers, dies, or says nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import json_lines
from json_lines import Child, ChildError

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
SILENT = "import sys\nfor line in sys.stdin: pass"
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
    running = child("import os, sys\nfor line in sys.stdin: print(os.getpid(), flush=True)")
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
