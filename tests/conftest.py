"""What several tests share: a server on the loopback that fails on demand, and a store."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from http_server import Server
from noting_store import NotingStore

# These are projects that the tests use; their guards are run by patchtool, on stacks.
collect_ignore = ["projects"]

# What runs in the background of a shell is started deaf to Ctrl-C, and the tests of it with that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of the test's own."""
    running = Server()
    yield running
    running.close()


@pytest.fixture(scope="session")
def lasting_server() -> Iterator[Server]:
    """A server for all tests together, for what none of them changes."""
    running = Server()
    yield running
    running.close()


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[..., NotingStore]:
    """Make stores that share one cache; pauses between attempts are noted, not made."""

    def make(**options: Any) -> NotingStore:
        defaults: dict[str, Any] = {
            "directory": tmp_path / "cache",
            "root": tmp_path,
            "environment": {"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        }
        return NotingStore(**defaults | options)

    return make
