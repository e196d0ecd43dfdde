"""Work on several things at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from threading import Event, Timer

import pytest

from patchtool.workers import side_by_side


def test_all_results_as_they_come() -> None:
    """Each item's result comes once, that of slow work later."""
    quick = Event()

    def work(item: str) -> str:
        if item == "slow":
            assert quick.wait(20)
        return item.upper()

    results = side_by_side(work, ["slow", "quick"], workers=2, stop=Event())
    assert next(results) == "QUICK"
    quick.set()
    assert [*results] == ["SLOW"]


def test_nothing_to_do() -> None:
    """No items, no results."""
    assert [*side_by_side(str, [], workers=1, stop=Event())] == []


def _ends(results: Iterator[object], stop: Event, error: type[BaseException]) -> None:
    with pytest.raises(error):
        next(results)
    assert stop.is_set()
    assert not _workers()


def _workers() -> list[threading.Thread]:
    """The threads of a pool that still run."""
    return [each for each in threading.enumerate() if each.name.startswith("ThreadPoolExecutor")]


def test_first_error_ends_all() -> None:
    """An error is raised at once, and nothing goes on behind it."""
    stop, begun = Event(), []

    def work(item: int) -> None:
        begun.append(item)
        if item == 1:
            raise OSError("disk full")
        assert stop.wait(20)

    _ends(side_by_side(work, range(9), workers=2, stop=stop), stop, OSError)
    assert len(begun) < 9


def test_interrupt_ends_all() -> None:
    """Ctrl-C is raised at once, and nothing goes on behind it."""
    stop = Event()
    Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    _ends(
        side_by_side(lambda _: stop.wait(20), "ab", workers=2, stop=stop), stop, KeyboardInterrupt
    )


def test_no_further_result_wanted() -> None:
    """Whoever closes the results ends the work on the others."""
    stop = Event()
    results = side_by_side(lambda item: item or stop.wait(20), [1, 0], workers=2, stop=stop)
    assert next(results) == 1
    results.close()
    assert stop.is_set()
    assert not _workers()
