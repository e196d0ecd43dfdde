"""A lock that a live run holds: others wait, say so, go on when it dies, and give up in the end."""

from __future__ import annotations

import multiprocessing
import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from faults.bench import Bench
from faults.injector import Injector
from faults.scenarios import SCENARIOS
from patchtool import cli

from .processes import Ended, Started, wait
from .rounds import LIMIT, held

# How long `tree.lock` waits for another run, in seconds, and how much more it is given here.
PATIENCE, SLACK = 120.0, 30.0
# Seconds after which a run that waits must have said so.
_SAID = 2.5
_WAITING = ": waiting for another run to finish"
# The project of npm, with the patches off.
PROJECT = SCENARIOS[2]
_FORK = multiprocessing.get_context("fork")


def outlive(bench: Bench, at: int) -> tuple[Ended, tuple[str, ...]]:
    """A run that meets a live one at this step of its swap, which is killed after a while."""
    bench.reset()
    with ExitStack() as files:
        with _paused(bench, at):
            started = Started(bench.words, files)
            time.sleep(_SAID)
            early = started.is_over
        wait([started], LIMIT)
        ended = started.ended()
    return ended, tuple(_wrong_survivor(bench, ended, early=early))


@contextmanager
def _paused(bench: Bench, at: int) -> Iterator[None]:
    """A run that stands still at this step for a block, and is killed then."""
    is_there = _FORK.Event()

    def strike() -> None:
        is_there.set()
        signal.pause()

    def work() -> None:
        Injector(at, strike).install()
        cli.main(list(bench.words))

    process = _FORK.Process(target=work)
    process.start()
    try:
        assert is_there.wait(LIMIT), f"there is no step {at}"
        yield
    finally:
        process.kill()
        process.join()


def _wrong_survivor(bench: Bench, ended: Ended, *, early: bool) -> Iterator[str]:
    if early:
        yield f"did not wait for a live run: exit {ended.code}: {ended.out}{ended.err}"
    elif ended.code != 0 or ended.err.count("\n") != 1 or _WAITING not in ended.err:
        yield f"after a killed run: exit {ended.code}: {ended.out}{ended.err}"
    if bench.found() != bench.after:
        yield "after a killed run: not all is patched, or something is left"


def wait_in_vain(directory: Path) -> tuple[Ended, tuple[str, ...]]:
    """A run that waits for a lock which is never given back."""
    bench = Bench(PROJECT, directory)
    bench.reset()
    with ExitStack() as files, held(Path(bench.words[2])):
        started = Started(bench.words, files)
        wait([started], PATIENCE + SLACK)
        ended = started.ended()
    return ended, tuple(_wrong_end(bench, ended))


def _wrong_end(bench: Bench, ended: Ended) -> Iterator[str]:
    heads = re.findall(r"^\S.*", ended.err, re.MULTILINE)
    said = (_WAITING, "another run holds the directory")
    if ended.code != 3 or len(heads) != len(said) or ended.out:
        yield f"exit {ended.code}: {ended.out}{ended.err}"
    elif not all(words in head for words, head in zip(said, heads, strict=True)):
        yield f"does not say what it waits for: {ended.err}"
    if not PATIENCE <= ended.seconds < PATIENCE + SLACK:
        yield f"gave up after {ended.seconds:.1f} seconds, not {PATIENCE:g}"
    if bench.found() != bench.before:
        yield "changed something without the lock"
