"""`patchtool should-delete`: say from evidence whether a fix can go, now that upstream has moved.

Yes if some fix can go everywhere it is pinned. What cannot be known is UNSURE, never DELETE.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patchtool.candidate import LATEST, Candidate, choose
from patchtool.commands import Answer
from patchtool.commands.guard import doubts, pin_column
from patchtool.commands.next_command import next_command
from patchtool.commands.options import (
    add_fixes,
    add_fresh,
    add_network,
    add_patches,
    explain,
    guarded,
    open_store,
)
from patchtool.errors import CannotTell, PatchError, Problem
from patchtool.grid import DECIDING_RUNS, Trials
from patchtool.guard import agree
from patchtool.pristine import patched_files
from patchtool.project import Fix, Pin, Project
from patchtool.project.load import load
from patchtool.remedy import repeated
from patchtool.upstreamed import Adopted, adopted_hunks
from patchtool.verdict import Column, Verdict, Word, decide

_DESCRIPTION = """\
Runs the guard on the pin and on another release, without and with the patch, and says

  DELETE  every required case passes there without the patch             exit 0
  KEEP    some case fails there; the patch still goes on and delivers;   exit 1
          or the pin itself is still installed beside it
  REBASE  some case fails there; the patch does not go on, or not help   exit 1
  UNSURE  there is no evidence, or it contradicts itself                 exit 3

Of several fixes, one that can go is enough for exit 0.
"""

_EXAMPLES = """\
  patchtool should-delete                what is installed, or else the newest release
  patchtool should-delete --to latest
  patchtool should-delete --to 5.0.81 streamed-tool-calls
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinVerdict:
    """The verdict on one pin of a fix.

    `candidate` is None when none could be chosen; `refusal` says why the patch does not go on as it
    is, or what kept the answer from being known; `adopted` are the hunks upstream already has;
    `next` is the one command to run.
    """

    fix: str
    pin: str
    candidate: Candidate | None
    verdict: Verdict
    cases: int
    refusal: Problem | None
    adopted: tuple[Adopted, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The verdicts on all pins that were asked for."""

    answer: Answer
    pins: tuple[PinVerdict, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)
    parser.add_argument(
        "--to",
        metavar="VERSION",
        help=f"the release to judge: a version, or {LATEST!r} (default: what is installed, "
        "if that is not the pin, else the newest)",
    )
    add_network(parser)
    add_fresh(parser)


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    fixes: Sequence[str],
    patches: Path | None,
    to: str | None,
    offline: bool,
    fresh: bool,
) -> Result:
    """Judge each pin of each fix by itself."""
    project = load(root, patches, believe_lock=True)
    store = open_store(root, environment, offline=offline)
    pins = []
    for fix, guard in guarded(project, fixes, "patchtool should-delete"):
        for pin in fix.pins:
            trials = Trials(guard=guard, store=store, fresh=fresh)
            pins.append(_judge(fix, pin, to=to, trials=trials, project=project))
    return Result(answer=_answer(pins), pins=tuple(pins))


def _answer(pins: Sequence[PinVerdict]) -> Answer:
    """Yes if all pins of some fix can go; otherwise what is not known outweighs what is."""
    words: dict[str, set[Word]] = {}
    for pin in pins:
        words.setdefault(pin.fix, set()).add(pin.verdict.word)
    if {Word.DELETE} in words.values():
        return Answer.YES
    unsure = any(Word.UNSURE in found for found in words.values())
    return Answer.UNKNOWN if unsure else Answer.NO


def _judge(fix: Fix, pin: Pin, *, to: str | None, trials: Trials, project: Project) -> PinVerdict:
    """Choose the candidate, fill the grid, decide. What cannot be told makes the pin UNSURE."""
    candidate = None
    refusal = None
    adopted: tuple[Adopted, ...] = ()
    cases = 0
    try:
        candidate = choose(pin, root=trials.store.root, to=to, store=trials.store)
        column = pin_column(pin, trials, project.lock)
        cases = len(column.without.passed)
        if reasons := doubts(fix, pin, column, project.lock):
            verdict = Verdict(word=Word.UNSURE, reasons=reasons)
        else:
            other, refusal = _candidate_column(pin, candidate, trials)
            verdict = decide(pin=column, candidate=other, beside_pin=candidate.beside_pin)
            if verdict.word is Word.DELETE:
                verdict = decide(pin=_seen_again(pin, column, candidate, trials), candidate=other)
            if verdict.word is Word.UNSURE:
                refusal = None  # where the patch goes on is not what is unclear
            adopted = adopted_hunks(pin.patches, candidate.packages, trials.store)
    except (CannotTell, PatchError) as error:
        refusal = error.problem
        verdict = Verdict(word=Word.UNSURE, reasons=(_sentence(refusal),))
    return PinVerdict(
        fix=fix.name,
        pin=str(pin.lead),
        candidate=candidate,
        verdict=verdict,
        cases=cases,
        refusal=refusal,
        adopted=adopted,
        next=repeated(
            next_command(
                fix,
                pin,
                candidate,
                verdict,
                refusal,
                project,
                to=to,
                environment=trials.store.environment,
            )
        ),
    )


def _seen_again(pin: Pin, column: Column, candidate: Candidate, trials: Trials) -> Column:
    """The pin's column with one run more without the patch, as new as those of the candidate.

    A clock or a service that the guard reads may have changed since the runs that are kept.
    """
    again = trials.run_beside(pin.packages, candidate.packages)
    without = again if again.broken is not None else agree([column.without, again])
    return replace(column, without=without)


def _candidate_column(
    pin: Pin, candidate: Candidate, trials: Trials
) -> tuple[Column, Problem | None]:
    """Run the guard on the candidate; with the patch only if that can still matter."""
    without = trials.run(candidate.packages)
    if without.passed and all(without.passed.values()):
        # This run decides for DELETE: it has to give the same again.
        again = replace(trials, fresh=False)
        return Column(
            without=again.run(candidate.packages, times=DECIDING_RUNS), patched=None
        ), None
    refusal = None
    for allow_offset in (False, True):
        try:
            changes = patched_files(
                pin.patches,
                candidate.packages,
                lock=None,
                store=trials.store,
                allow_offset=allow_offset,
            )
        except PatchError as error:
            refusal = error.problem
        else:
            return Column(without=without, patched=trials.run(candidate.packages, changes)), refusal
    return Column(without=without, patched=None), refusal


def _sentence(problem: Problem) -> str:
    where = f"{problem.subject}: " if problem.subject else ""
    found = f" ({problem.found})" if problem.found else ""
    return f"{where}{problem.what}{found}"
