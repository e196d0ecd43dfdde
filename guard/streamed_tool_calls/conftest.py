"""The Node process that the cases of this guard share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from json_lines import Child
from streamed_tool_calls import driver as drivers
from streamed_tool_calls.driver import Driver

NODE = pytest.StashKey[Child]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start Node, so that also the processes that are forked off for mutants find it started."""
    session.config.stash[NODE] = child = drivers.child()
    with suppress(OSError):  # the first case says it
        if drivers.loads_anew(drivers.NODE):
            child.serve_forks()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End it."""
    if NODE in session.config.stash:
        session.config.stash[NODE].end()


@pytest.fixture(scope="session")
def driver(stack: Path, pytestconfig: pytest.Config) -> Iterator[Driver]:
    """A driver on the stack under test."""
    with Driver(stack, pytestconfig.stash[NODE]) as running:
        yield running
