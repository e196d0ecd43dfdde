"""`patchtool mutate`: change each line a patch adds, and see whether the guard notices.

Yes if every mutant is noticed or accepted with a reason, and every needed case notices one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from patchtool import ecosystems
from patchtool.commands import Answer
from patchtool.commands.guard import doubts, pin_column
from patchtool.commands.options import (
    add_fixes,
    add_fresh,
    add_network,
    add_patches,
    explain,
    guarded,
    open_store,
)
from patchtool.errors import CannotTell, Problem, UsageError
from patchtool.files import Mode
from patchtool.grid import Trials
from patchtool.guard import Target
from patchtool.mutation import findings
from patchtool.mutation.analysis import Fate, Question
from patchtool.mutation.bench import Bench
from patchtool.mutation.findings import Row
from patchtool.mutation.generator import Mutant
from patchtool.mutation.remembered import judge
from patchtool.mutation.source import Source, mutants_of
from patchtool.pristine import in_stack, patched_files, pristine_files, put_on
from patchtool.project import AcceptedMutant, Fix, Lock, Pin
from patchtool.project.load import load
from patchtool.store import Store
from patchtool.verdict import Kind, classify

_DESCRIPTION = """\
Makes small changes to what the patches add, one at a time, and runs the guard on each. A change
that no case notices is a line that the guard does not guard.

Exit 0: every change is noticed, or accepted in patches.toml with a reason.
"""

_EXAMPLES = """\
  patchtool mutate
  patchtool mutate streamed-tool-calls --jobs 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMutants:
    """What became of the mutants of a pin's patches; `unread` are files no grammar is there for."""

    fix: str
    pin: str
    mutants: tuple[Row, ...]
    unread: tuple[str, ...]
    problems: tuple[Problem, ...]

    def count(self, fate: Fate) -> int:
        """How many mutants met this fate."""
        return sum(row.fate is fate for row in self.mutants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of the mutants of every pin that was asked for."""

    answer: Answer
    pins: tuple[PinMutants, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)
    add_network(parser)
    add_fresh(parser)
    parser.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="how many mutants to judge at once (default: one for each core if the guard says "
        "that it is parallel, else 1)",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="ID", help="judge this mutant alone"
    )


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    fixes: Sequence[str],
    patches: Path | None,
    offline: bool,
    fresh: bool,
    jobs: int | None,
    only: Sequence[str],
) -> Result:
    """Judge the mutants of each fix, pin by pin."""
    project = load(root, patches, believe_lock=True)
    store = open_store(root, environment, offline=offline)
    pins = []
    for fix, guard in guarded(project, fixes, "patchtool mutate"):
        trials = Trials(guard=guard, store=store, fresh=fresh)
        at_once = jobs or (os.cpu_count() or 1 if trials.guard.parallel else 1)
        for pin in fix.pins:
            kinds = _kinds(fix, pin, trials, project.lock)
            pins.append(_judge_pin(fix, pin, trials, kinds, project.lock, jobs=at_once, only=only))
    for unknown in set(only) - {row.id for pin in pins for row in pin.mutants}:
        raise UsageError(Problem(kind="mutant", what="no such mutant", subject=unknown))
    answer = Answer.NO if any(pin.problems for pin in pins) else Answer.YES
    return Result(answer=answer, pins=tuple(pins))


def _kinds(fix: Fix, pin: Pin, trials: Trials, lock: Lock | None) -> Mapping[str, Kind]:
    """What each case is on the pin; `CannotTell` if the guard proves nothing there."""
    column = pin_column(pin, trials, lock)
    for reason in doubts(fix, pin, column, lock):
        raise CannotTell(
            Problem(
                kind="guard",
                what=f"the guard proves nothing: {reason}",
                subject=f"{fix.name}, {pin.lead}",
                remedy=f"patchtool guard {fix.name}",
            )
        )
    return classify(column)


def _judge_pin(
    fix: Fix,
    pin: Pin,
    trials: Trials,
    kinds: Mapping[str, Kind],
    lock: Lock | None,
    *,
    jobs: int,
    only: Sequence[str],
) -> PinMutants:
    changes = patched_files(pin.patches, pin.packages, lock=lock, store=trials.store)
    target = trials.target(pin.packages, changes)
    sources = {source.name: source for source in _sources(pin, target, lock, trials.store)}
    made = mutants_of(sources.values())
    patches = {str(patch.name) for patch in pin.patches}
    accepted = [each for each in fix.accepted_mutants if str(each.patch) in patches]
    question = Question(
        mutants=tuple(
            mutant
            for mutant in made
            if (mutant.id in only if only else not _is_accepted(mutant, accepted, sources))
        ),
        # Whether a needed case is idle shows only when all is judged.
        needed=() if only else _of_kind(Kind.NEEDED, kinds),
        controls=_of_kind(Kind.CONTROL, kinds),
    )
    bench = _bench(pin, trials, target, sources, kinds)
    judged = judge(question, bench, trials.store, jobs=jobs, fresh=trials.fresh)
    table = findings.rows(made, judged.trials, sources, () if only else accepted)
    problems = list(findings.survivors(table))
    if not only:
        problems += findings.expired(accepted, made, sources)
        problems += findings.idle(judged.idle)
    return PinMutants(
        fix=fix.name,
        pin=str(pin.lead),
        mutants=table,
        unread=tuple(source.name for source in sources.values() if not source.is_read),
        problems=tuple(problems),
    )


def _of_kind(kind: Kind, kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    return tuple(name for name, found in kinds.items() if found is kind)


def _bench(
    pin: Pin,
    trials: Trials,
    target: Target,
    sources: Mapping[str, Source],
    kinds: Mapping[str, Kind],
) -> Bench:
    return Bench(
        guard=trials.guard,
        target=target,
        root=trials.store.root,
        sources=sources,
        cases=tuple(kinds),
        unpatched=trials.target(pin.packages).directory,
        needed=_of_kind(Kind.NEEDED, kinds),
    )


def _is_accepted(
    mutant: Mutant, accepted: Sequence[AcceptedMutant], sources: Mapping[str, Source]
) -> bool:
    return any(findings.means(each, mutant, sources[mutant.file]) for each in accepted)


def _sources(pin: Pin, target: Target, lock: Lock | None, store: Store) -> Iterator[Source]:
    """Every file that the pin's patches change or make, by the last patch that touches it."""
    for package in pin.packages:
        place = ecosystems.of(package).package_directory(target.directory, package.name)
        patches = in_stack(pin.patches, package)
        pristine = pristine_files(package, lock, store) if patches else {}
        touched = {
            path: (file, step.file.name)
            for step in put_on(patches, pristine)
            for path, file in step.after.items()
        }
        for path, (file, name) in touched.items():
            if file is not None and file.mode is not Mode.SYMLINK:
                yield Source(
                    patch=str(name),
                    directory=place.relative_to(target.directory),
                    path=path,
                    pristine=pristine[path].data if path in pristine else b"",
                    file=file,
                )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number of jobs: {text!r}")
    return int(text)
