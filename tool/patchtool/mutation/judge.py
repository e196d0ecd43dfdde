"""Runs a guard on a mutant: a copy of the patched stack with one file changed, gone afterwards.

It says what one run showed; what to run is `analysis`'s part.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from patchtool import stack
from patchtool.guard import Target, run_once, top_folder
from patchtool.mutation.analysis import Fate, Trial
from patchtool.mutation.generator import Mutant
from patchtool.mutation.source import Source
from patchtool.project import Guard
from patchtool.verdict import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardJudge:
    """Runs the guard on mutants of the files in `sources`, by `Mutant.file`.

    `target` is the patched stack that they are files of; the guard's timeout is the deadline of
    one run.
    """

    guard: Guard
    target: Target
    root: Path
    sources: Mapping[str, Source]

    def __call__(
        self, mutant: Mutant, cases: Sequence[str], /, *, first_failure: bool, stop: Event
    ) -> Trial:
        """Run these cases, or all if there are none, to the first failure or to the end."""
        source = self.sources[mutant.file]
        changed = replace(source.file, data=mutant.apply(source.file.data))
        with tempfile.TemporaryDirectory(prefix="patchtool-mutant-") as scratch:
            copy = Path(scratch, self.target.directory.name)
            stack.copy(self.target.directory, copy)
            stack.change(copy, {copy / source.directory: {source.path: changed}})
            started = time.monotonic()
            run = run_once(
                self.guard,
                replace(self.target, directory=copy),
                root=self.root,
                first_failure=first_failure,
                cases=[node_id(case, top_folder(self.guard, self.root)) for case in cases],
                stop=stop,
            )
        return _trial(run, late=time.monotonic() - started >= self.guard.timeout)


def node_id(case: str, top: Path) -> str:
    """The pytest node id of a case, where `top` is pytest's root; the case itself if none fits.

    pytest's JUnit report writes `dir/test_a.py::TestB::test_c[d]` as the class `dir.test_a.TestB`
    and the name `test_c[d]`.
    """
    place, _, name = case.partition("::")
    parts = place.split(".")
    for length in range(len(parts), 0, -1):
        path = top.joinpath(*parts[:length]).with_suffix(".py")
        if path.is_file():
            return "::".join((os.fspath(path), *parts[length:], name))
    return case


def _trial(run: Run, *, late: bool) -> Trial:
    if run.broken is not None:
        return Trial(fate=Fate.TIMED_OUT if late else Fate.BROKE, detail=run.broken)
    failed = tuple(name for name, passed in run.passed.items() if not passed)
    passed = tuple(name for name, passed in run.passed.items() if passed)
    return Trial(fate=Fate.KILLED if failed else Fate.SURVIVED, failed=failed, passed=passed)
