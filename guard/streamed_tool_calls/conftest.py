"""The Node process that the cases of this guard share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from streamed_tool_calls.driver import Driver


@pytest.fixture(scope="session")
def driver(stack: Path) -> Iterator[Driver]:
    """A driver on the stack under test."""
    with Driver(stack) as running:
        yield running
