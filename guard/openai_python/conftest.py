"""The child that has the stack's openai, started once a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from json_lines import Child
from openai_python.turn import FEED


@pytest.fixture(scope="session")
def child(stack_python: list[str]) -> Iterator[Child]:
    """A process that runs turns. It sees no variable: no proxy stands before the loopback."""
    with Child([*stack_python, str(FEED)], {}) as child:
        yield child
