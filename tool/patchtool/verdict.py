"""The grid and the verdict: a literal table. Pure; no disk, clock, environment or network.

The table is the one in README.md, "The verdict". DELETE is never said on missing evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What a required case is on one release, by its outcomes without and with the patch."""

    NEEDED = "needed"
    CONTROL = "control"
    HARMFUL = "harmful"
    UNMET = "unmet"


class Word(Enum):
    """The verdicts."""

    DELETE = "DELETE"
    KEEP = "KEEP"
    REBASE = "REBASE"
    UNSURE = "UNSURE"


# (passes without the patch, passes with it) -> what the case is
KINDS = {
    (False, True): Kind.NEEDED,
    (True, True): Kind.CONTROL,
    (True, False): Kind.HARMFUL,
    (False, False): Kind.UNMET,
}


# How the reason begins that the guard may have lost its teeth.
LOST = "the guard has lost cases that the lock has"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the guard on one stack: which required cases passed, or why nothing is known.

    `boundary` holds the boundary cases in the same form; they are reported and decide nothing.
    `details` is what the report says of each required case that failed; it is no evidence.
    """

    passed: Mapping[str, bool] = field(default_factory=dict)
    boundary: Mapping[str, bool] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict, compare=False)
    broken: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One release's two runs. `patched` is None when the patch does not go on there."""

    without: Run
    patched: Run | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The word, why in plain sentences, and the cases it rests on."""

    word: Word
    reasons: tuple[str, ...]
    still_needed: tuple[str, ...] = ()
    now_control: tuple[str, ...] = ()


def classify(column: Column) -> dict[str, Kind]:
    """Each required case's kind on one release; empty when the patch does not go on."""
    if column.patched is None:
        return {}
    return {
        name: KINDS[passed, column.patched.passed[name]]
        for name, passed in column.without.passed.items()
        if name in column.patched.passed
    }


def decide(*, pin: Column, candidate: Column, beside_pin: bool = False) -> Verdict:
    """The verdict on a candidate release, from the grid.

    `beside_pin`: the project has the pin as well as the candidate, and so still needs the patch.

    The rows are read from the top and the first that holds decides: first everything that makes
    the evidence worthless, then the candidate without the patch, then the candidate with it.
    """
    unsure = trouble(pin) or _candidate_trouble(pin, candidate)
    if unsure:
        return Verdict(word=Word.UNSURE, reasons=unsure)
    without = candidate.without.passed
    needed = tuple(name for name, passed in without.items() if not passed)
    control = tuple(
        name for name, kind in classify(pin).items() if kind is Kind.NEEDED and without[name]
    )
    if not needed:
        reason = "every required case passes on the candidate without the patch"
        if beside_pin:
            reasons = (reason, "but the project has the pin as well, which needs the patch")
            return Verdict(word=Word.KEEP, reasons=reasons, now_control=control)
        return Verdict(word=Word.DELETE, reasons=(reason,), now_control=control)
    missing = (
        f"required cases fail on the candidate without the patch: {len(needed)} of {len(without)}"
    )
    if candidate.patched is None:
        word, reason = Word.REBASE, "the patch no longer goes on"
    elif not all(candidate.patched.passed.values()):
        failing = sum(not passed for passed in candidate.patched.passed.values())
        word = Word.REBASE
        reason = f"the patch goes on, but required cases fail with it: {failing} of {len(without)}"
    else:
        word, reason = Word.KEEP, "the patch goes on, and every required case passes with it"
    return Verdict(word=word, reasons=(missing, reason), still_needed=needed, now_control=control)


def lost_cases(pin: Column, recorded: Collection[str]) -> tuple[str, ...]:
    """Why the guard may have lost its teeth: required cases on record that it no longer has."""
    lost = sorted(set(recorded) - pin.without.passed.keys())
    if pin.without.broken or not lost:
        return ()
    return (f"{LOST}: {', '.join(lost)}",)


def missing_evidence(pin: Column) -> tuple[str, ...]:
    """Why the pin's two runs cannot be put side by side; empty when they can."""
    if pin.patched is None:
        return ("the patch does not go on to its own pin",)
    return _broken({"the pin without the patch": pin.without, "the pin with it": pin.patched})


def trouble(pin: Column) -> tuple[str, ...]:
    """Why the pin's own column proves nothing; empty when the guard has teeth and all is met."""
    no_evidence = missing_evidence(pin)
    if no_evidence:
        return no_evidence
    kinds = classify(pin)
    reasons = []
    if not {Kind.NEEDED, Kind.UNMET} & {*kinds.values()}:
        reasons.append("no required case fails on the unpatched pin: the guard has no teeth")
    for kind, words in (
        (Kind.HARMFUL, "worse with the patch"),
        (Kind.UNMET, "not met by the patch"),
    ):
        names = [name for name, found in kinds.items() if found is kind]
        if names:
            reasons.append(f"required cases are {kind.value} ({words}): {', '.join(names)}")
    return tuple(reasons)


def _candidate_trouble(pin: Column, candidate: Column) -> tuple[str, ...]:
    runs = {
        "the pin without the patch": pin.without,
        "the candidate without the patch": candidate.without,
    }
    if candidate.patched is not None:
        runs["the candidate with it"] = candidate.patched
    return _broken(runs)


def _broken(runs: Mapping[str, Run]) -> tuple[str, ...]:
    """Runs that give no evidence: broken, empty, or with other cases than the first."""
    broken = tuple(
        f"the guard run on {place}: {run.broken}" for place, run in runs.items() if run.broken
    )
    if broken:
        return broken
    (first, reference), *_ = runs.items()
    reasons = []
    for place, run in runs.items():
        others = (run.passed.keys() ^ reference.passed.keys()) | (
            run.boundary.keys() ^ reference.boundary.keys()
        )
        if not run.passed:
            reasons.append(f"the guard run on {place} collected no required case")
        elif others:
            names = ", ".join(sorted(others))
            reasons.append(f"the guard run on {place} collected other cases than {first}: {names}")
    return tuple(reasons)
