"""The same work on several things at once, in threads that all end together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from threading import Event
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# A Ctrl-C that comes just before a wait is seen only after it; seconds.
_LONGEST_WAIT = 1.0


def side_by_side(
    work: Callable[[T], R], items: Iterable[T], *, workers: int, stop: Event
) -> Generator[R, None, None]:
    """The results, as they come. The first exception is raised at once.

    Then, on Ctrl-C, and when no further result is wanted, `stop` is set, at which the work has to
    end soon, nothing more is begun, and all threads are waited for.
    """
    finished: SimpleQueue[Future[R]] = SimpleQueue()
    with ThreadPoolExecutor(workers) as pool:
        try:
            futures = [pool.submit(work, item) for item in items]
            for future in futures:
                future.add_done_callback(finished.put)
            for _ in futures:
                yield _next(finished).result()
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _next(finished: SimpleQueue[Future[R]]) -> Future[R]:
    while True:
        try:
            return finished.get(timeout=_LONGEST_WAIT)
        except Empty:
            continue
