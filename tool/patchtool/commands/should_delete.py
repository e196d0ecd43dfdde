"""`patchtool should-delete`: say from evidence whether a fix can go, now that upstream has moved.

Yes if some fix can go everywhere it is pinned. What cannot be known is UNSURE, never DELETE.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patchtool import ecosystems
from patchtool.candidate import LATEST, Candidate, choose
from patchtool.commands import Answer
from patchtool.commands.guard import doubts, pin_column
from patchtool.commands.options import (
    add_fixes,
    add_fresh,
    add_network,
    add_patches,
    chosen,
    explain,
    guard_of,
    open_store,
)
from patchtool.errors import CannotTell, PatchError, Problem
from patchtool.grid import DECIDING_RUNS, Trials
from patchtool.guard import agree
from patchtool.pristine import patched_files
from patchtool.project import Fix, Pin, Project
from patchtool.project.load import load
from patchtool.report.remedy import repeated
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
    fixes: Sequence[str],
    patches: Path | None,
    to: str | None,
    offline: bool,
    fresh: bool,
) -> Result:
    """Judge each pin of each fix by itself."""
    project = load(root, patches, believe_lock=True)
    store = open_store(root, offline=offline)
    pins = []
    for fix in chosen(project, fixes):
        for pin in fix.pins:
            trials = Trials(guard=guard_of(fix), root=root, store=store, fresh=fresh)
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
        candidate = choose(pin, root=trials.root, to=to, store=trials.store)
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
        next=repeated(_next(fix, pin, candidate, verdict, refusal, project)),
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


def _next(
    fix: Fix,
    pin: Pin,
    candidate: Candidate | None,
    verdict: Verdict,
    refusal: Problem | None,
    project: Project,
) -> str:
    """The one command to run next; what follows it stands behind a `#`."""
    word = verdict.word
    if word is Word.UNSURE or candidate is None:
        remedy = refusal.remedy if refusal else None
        return remedy or f"patchtool guard {fix.name} --fresh"
    releases = " and ".join(map(str, candidate.packages))
    if word is Word.DELETE:
        files = " ".join(shlex.quote(str(file.path)) for file in pin.patches)
        rest = "the pin in patches.toml; then: patchtool lock"
        if [each for fix in project.fixes for each in fix.pins] == [pin]:
            rest = "all of its directory: no fix is left, and patchtool apply has nothing to do"
        return f"git rm {files}  # once {releases} is what is installed; and {rest}"
    lead = candidate.lead
    install = ecosystems.of(lead).install_command(lead, project.root)
    if word is Word.REBASE:
        return f"{install}  # then make the patch anew against it"
    if candidate.packages == pin.packages:
        return "patchtool check-pristine"
    if not verdict.still_needed:
        return f"{install}  # in place of {pin.lead}, wherever that is installed"
    if refusal is not None:
        return f"{install}  # then make the patch anew: it fits, but at other lines"
    moves = " && ".join(f"git mv {' '.join(names)}" for names in _moved(pin, candidate))
    if not moves:
        return f"patchtool lock  # once the pin in patches.toml has {releases}"
    return f"{moves}  # and the pin in patches.toml; then: patchtool lock"


def _moved(pin: Pin, candidate: Candidate) -> Iterator[tuple[str, str]]:
    """The path of each patch that is now named for another release, and its path for that one."""
    versions = {package.name: package.version for package in candidate.packages}
    for file in pin.patches:
        name = replace(file.name, version=versions[file.package.name])
        if name != file.name:
            yield shlex.quote(str(file.path)), shlex.quote(str(file.path.with_name(str(name))))
