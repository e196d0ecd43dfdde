"""What is said where an answer is not known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from patchtool.errors import CannotTell, Problem


def failure(action: Callable[[], object]) -> Problem:
    """The problem of the CannotTell that an action ends in."""
    with pytest.raises(CannotTell) as caught:
        action()
    return caught.value.problem
