"""One round: twenty runs at once on one tree, which must be as if one came after the other."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import random
import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from diff.engine_case import look
from faults.bench import Bench, Tree

from .processes import Ended, Started, wait

KILLED = 6
# Seconds for which runs are held back: those that stand before the lock by then say so.
_GATHERING = 2.0
# All of them, one after the other, take a few seconds; what takes longer waits for itself.
LIMIT = 100.0
_WAITING = re.compile(r".+: waiting for another run to finish\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What came of one round; `waited` are the runs that said so, `wrong` is what must not be."""

    ended: tuple[Ended, ...]
    killed: int
    wrong: tuple[str, ...]

    @property
    def moved(self) -> int:
        """How many runs changed the tree."""
        return sum(1 for each in self.ended if each.code == 0 and _moved(each))

    @property
    def waited(self) -> int:
        """How many runs said that they wait."""
        return sum(1 for each in self.ended if each.err)

    @property
    def longest(self) -> float:
        """The seconds that the longest run took."""
        return max(each.seconds for each in self.ended)


def play(bench: Bench, rng: random.Random, *, gather: bool, kill: bool) -> Round:
    """Start all runs at once; with `gather` they all stand before the lock before one gets it."""
    bench.reset()
    with ExitStack() as files:
        with held(_top(bench)) if gather else ExitStack():
            started = [Started(words, files) for words in _mix(bench, rng)]
            if gather:
                time.sleep(_GATHERING)
        victims = rng.sample(started, KILLED) if kill else []
        for victim in victims:
            time.sleep(rng.uniform(0, 0.15))
            victim.kill()
        wait(started, LIMIT)
        ended = tuple(each.ended() for each in started)
    killed = sum(each.code == -signal.SIGKILL for each in ended)
    return Round(ended=ended, killed=killed, wrong=tuple(_wrong(bench, ended, killed)))


def _top(bench: Bench) -> Path:
    """The directory that the runs lock first: the value of --root, or of --into."""
    return Path(bench.words[-1] if "--into" in bench.words else bench.words[2])


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Hold a directory's lock, as another run does."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _mix(bench: Bench, rng: random.Random) -> list[tuple[str, ...]]:
    """Half of the runs put the patches on; the others take them off, or look."""
    apply = (*bench.words, "--json")
    kinds = [apply] * 10 + [(*apply, "--reverse")] * 6
    if "--root" in apply:  # only a project has a status
        kinds += [("status", *bench.words[1:], "--json")] * 4
    return rng.sample(kinds, len(kinds))


def _wrong(bench: Bench, ended: Sequence[Ended], killed: int) -> Iterator[str]:
    """What must not be; without a kill, that the tree is not what the runs say of it."""
    found = look(bench.place)
    last = bench.apply()
    if (last.code, last.err) != (0, "") or look(bench.place) != bench.after:
        yield f"the next run: exit {last.code}: {last.err}{last.out}"
    bad = False
    for each in ended:
        for what in _wrong_run(each, killed):
            bad = True
            yield f"{' '.join(each.words)}: {what}"
    if bad or killed:
        return
    on, off = (sum(_moved(each) for each in ended if _goes(each, way)) for way in (True, False))
    if on - off not in (0, 1):
        yield f"put on {on} times and taken off {off} times"
    elif found != (bench.after if on > off else _taken_off(bench) if on else bench.before):
        yield f"put on {on} times and taken off {off} times, but there is {sorted(found)}"


def _wrong_run(each: Ended, killed: int) -> Iterator[str]:
    if each.code == -signal.SIGKILL:
        return
    if each.code is None:
        yield f"did not end in {LIMIT:g} seconds: {each.err}"
        return
    is_status = each.words[0] == "status"
    if each.code not in ((0, 1) if is_status else (0,)) or _WAITING.sub("", each.err):
        yield f"exit {each.code}: {each.out}{each.err}"
        return
    states = {before for before, _ in _states(each)}
    if not killed and (len(states) != 1 or states - {"pristine", "patched"}):
        yield f"saw the tree neither pristine nor patched: {sorted(states)}"


@functools.cache
def _taken_off(bench: Bench) -> Tree:
    """The files after the patches were put on and taken off: stale bytecode stays away."""
    bench.reset()
    bench.apply()
    assert bench.apply(None, "--reverse").code == 0
    return bench.found()


# What `apply --file` says that it did, as the states before and after.
_DONE = {
    "applied": ("pristine", "patched"),
    "already-applied": ("patched", "patched"),
    "reversed": ("patched", "pristine"),
    "already-reversed": ("pristine", "pristine"),
}


def _states(each: Ended) -> list[tuple[str, str]]:
    """The state of each copy of a package, before and after a run."""
    document = json.loads(each.out)
    if "state" in document:
        return [_DONE[document["state"]]]
    fixes = [document] if each.words[0] == "apply" else document["fixes"]
    return [(copy["before"], copy["after"]) for fix in fixes for copy in fix["copies"]]


def _goes(each: Ended, on: bool) -> bool:
    return each.words[0] == "apply" and ("--reverse" not in each.words) == on


def _moved(each: Ended) -> bool:
    return any(before != after for before, after in _states(each))
