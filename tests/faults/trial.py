"""One trial: faults in one or several runs, then a run without; and what is wrong with each."""

from __future__ import annotations

import errno
import os
import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .bench import Bench, Tree
from .injector import READING, WRITING, Ended, Injector, failure, kill

KILL = "kill"
CODES = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EACCES", "EROFS")}

# What a run says when the disk has stopped it: what of its work is there.
_UNCHANGED = ("nothing is changed", "everything is put back", "cannot read", "cannot open")
_PARTIAL = ("some files are changed; run the same again", "cannot finish what a killed run")
_COMPLETE = "everything is written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong at a step: a kill, or an error by its name; `lasting`: ever after as well."""

    kind: str
    at: int
    lasting: bool = False
    reading: bool = False

    def __str__(self) -> str:
        """What it is, and where."""
        step = f"{'reading' if self.reading else 'writing'} step {self.at}"
        return f"{self.kind} at {step}{' and after' if self.lasting else ''}"

    @property
    def injector(self) -> Injector:
        """What lets it go wrong."""
        strike = kill if self.kind == KILL else failure(CODES[self.kind])
        names = READING if self.reading else WRITING
        return Injector(self.at, strike, names=names, lasting=self.lasting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of it: how each of the runs with a fault ended, and all that was wrong."""

    ends: tuple[int, ...]
    wrong: tuple[str, ...]


def attempt(bench: Bench, *faults: Fault) -> Trial:
    """Run with each of the faults in turn, and at last without: that must finish the job."""
    bench.reset()
    ends: list[int] = []
    wrong: list[str] = []
    for fault in faults:
        ended = bench.apply(fault.injector)
        ends.append(ended.code)
        wrong += _wrong(bench, fault, ended)
    last = bench.apply()
    if (last.code, last.err) != (0, ""):
        wrong.append(f"the next run: exit {last.code}: {last.err}{last.out}")
    if bench.found() != bench.after:
        wrong.append(f"the next run leaves {_difference(bench.found(), bench.after)}")
    where = f"{bench.name}: {', then '.join(map(str, faults))}"
    return Trial(ends=tuple(ends), wrong=tuple(f"{where}: {what}" for what in wrong))


def _wrong(bench: Bench, fault: Fault, ended: Ended) -> Iterator[str]:
    """What a run with a fault did that it must not."""
    for path in bench.torn():
        yield f"torn: {path}"
    if ended.code == 0:  # there was no such step, or it can be done without
        if ended.err or bench.settled() != bench.after:
            yield f"exit 0 with {_difference(bench.settled(), bench.after)}: {ended.err}"
    elif fault.kind == KILL:
        if ended.code != -signal.SIGKILL:
            yield f"exit {ended.code}, not killed: {ended.err}"
    else:
        yield from _wrong_message(bench, fault, ended)


def _wrong_message(bench: Bench, fault: Fault, ended: Ended) -> Iterator[str]:
    """What is wrong with how a failure is told: its code, its form, or what it says of the tree."""
    heads = re.findall(r"^\S.*", ended.err, re.MULTILINE)
    reason = os.strerror(CODES[fault.kind])
    if ended.code != 3 or ended.out or len(heads) != 1:
        yield f"exit {ended.code} and not one message: {ended.out}{ended.err}"
        return
    if not re.fullmatch(rf"patchtool: \S+: .+: {reason}", heads[0]):
        yield f"does not say where and why: {heads[0]}"
    said = _said(bench, heads[0])
    if said is not None and bench.settled() not in said:
        yield f"{heads[0]!r}, but there is {_difference(bench.settled(), said[0])}"


def _said(bench: Bench, message: str) -> Sequence[Tree] | None:
    """The trees that a message can be true of; None if it says that not all is as it was."""
    if any(words in message for words in _PARTIAL):
        return None
    if any(words in message for words in _UNCHANGED):
        return [bench.before]
    if _COMPLETE in message:
        return [bench.after]
    return [bench.before, bench.after]


def _difference(found: Tree, expected: Tree) -> str:
    paths = [
        path
        for path in sorted(found.keys() | expected.keys())
        if found.get(path) != expected.get(path)
    ]
    return f"{len(paths)} paths that are not as they must be: {', '.join(paths[:8])}"
