"""The verdict table, row by row."""

from __future__ import annotations

import itertools

import pytest

from patchtool.verdict import LOST, Column, Kind, Run, Word, classify, decide, lost_cases

A, B = "two calls at index 0", "one call"

TEETH = Column(without=Run(passed={A: False, B: True}), patched=Run(passed={A: True, B: True}))


def column(without: dict[str, bool], patched: dict[str, bool] | None) -> Column:
    """One release's runs, from plain mappings."""
    return Column(
        without=Run(passed=without), patched=None if patched is None else Run(passed=patched)
    )


@pytest.mark.parametrize(
    ("without", "patched", "kind"),
    [
        (False, True, Kind.NEEDED),
        (True, True, Kind.CONTROL),
        (True, False, Kind.HARMFUL),
        (False, False, Kind.UNMET),
    ],
)
def test_a_case_is_named_by_its_two_outcomes(without: bool, patched: bool, kind: Kind) -> None:
    """The four pairs of outcomes give the four kinds."""
    assert classify(column({A: without}, {A: patched})) == {A: kind}


def test_delete_when_the_candidate_passes_every_required_case_without_the_patch() -> None:
    """DELETE names the cases the patch was kept for, now control."""
    verdict = decide(pin=TEETH, candidate=column({A: True, B: True}, None))
    assert (verdict.word, verdict.now_control) == (Word.DELETE, (A,))


def test_keep_when_the_patch_goes_on_and_delivers() -> None:
    """KEEP names the cases that still fail without the patch."""
    verdict = decide(pin=TEETH, candidate=column({A: False, B: True}, {A: True, B: True}))
    assert (verdict.word, verdict.still_needed) == (Word.KEEP, (A,))


def test_keep_while_the_project_has_the_pin_too() -> None:
    """What the candidate no longer needs, the pin beside it does."""
    clean = column({A: True, B: True}, None)
    verdict = decide(pin=TEETH, candidate=clean, beside_pin=True)
    assert (verdict.word, verdict.still_needed, verdict.now_control) == (Word.KEEP, (), (A,))
    assert "has the pin as well" in verdict.reasons[-1]


def test_rebase_when_the_patch_no_longer_goes_on() -> None:
    """A case still fails and there is no patched run: REBASE."""
    verdict = decide(pin=TEETH, candidate=column({A: False, B: True}, None))
    assert (verdict.word, verdict.still_needed) == (Word.REBASE, (A,))


def test_rebase_when_the_patch_goes_on_and_does_not_deliver() -> None:
    """A case still fails with the patch on: REBASE, not KEEP."""
    verdict = decide(pin=TEETH, candidate=column({A: False, B: True}, {A: False, B: True}))
    assert verdict.word is Word.REBASE


@pytest.mark.parametrize(
    ("pin", "words"),
    [
        (column({A: True, B: True}, {A: True, B: True}), "no teeth"),
        (column({A: False, B: True}, {A: True, B: False}), "harmful"),
        (column({A: False, B: False}, {A: True, B: False}), "unmet"),
        (column({A: False}, None), "does not go on"),
        (column({}, {}), "collected no required case"),
        (column({A: False, B: True}, {A: True}), "other cases"),
        (Column(without=Run(broken="timed out"), patched=Run(passed={A: True})), "timed out"),
        (Column(without=Run(passed={A: False}), patched=Run(broken="crashed")), "crashed"),
    ],
)
def test_unsure_when_the_pin_proves_nothing(pin: Column, words: str) -> None:
    """Whatever makes the pin's column worthless is UNSURE, even if the candidate looks fixed."""
    verdict = decide(pin=pin, candidate=column({A: True, B: True}, {A: True, B: True}))
    assert verdict.word is Word.UNSURE
    assert words in " ".join(verdict.reasons)


def test_a_case_that_fails_is_not_denied() -> None:
    """Where all that fails on the unpatched pin fails with the patch too, the patch is at fault."""
    verdict = decide(pin=column({A: False}, {A: False}), candidate=column({A: True}, None))
    assert verdict.reasons == (f"required cases are unmet (not met by the patch): {A}",)


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        (Column(without=Run(broken="timed out"), patched=None), "timed out"),
        (column({}, None), "collected no required case"),
        (column({B: True}, None), A),
        (column({A: True, B: True, "new": True}, None), "new"),
        (column({A: False, B: True}, {A: True}), "other cases"),
        (
            Column(without=Run(passed={A: True, B: True}, boundary={"x": True}), patched=None),
            "other cases",
        ),
        (
            Column(without=Run(passed={A: True, B: True}), patched=Run(broken="crashed")),
            "crashed",
        ),
    ],
)
def test_unsure_when_the_candidate_gave_no_evidence(candidate: Column, words: str) -> None:
    """A broken, empty or different run on the candidate is UNSURE, and says which."""
    verdict = decide(pin=TEETH, candidate=candidate)
    assert verdict.word is Word.UNSURE
    assert words in " ".join(verdict.reasons)


def test_delete_needs_every_case_to_pass_in_every_grid() -> None:
    """Over all grids of two cases: DELETE exactly when pin is sound and the candidate is clean."""
    outcomes = list(itertools.product([True, False], repeat=2))
    for a, b, c in itertools.product(outcomes, repeat=3):
        pin = column(dict(zip((A, B), a, strict=True)), dict(zip((A, B), b, strict=True)))
        candidate = column(dict(zip((A, B), c, strict=True)), None)
        sound = all(b) and not all(a)
        deleted = decide(pin=pin, candidate=candidate).word is Word.DELETE
        assert deleted == (sound and all(c)), (a, b, c)


def test_cases_on_record_that_the_guard_no_longer_has_are_named() -> None:
    """They are lost only if the guard ran: a broken run has no case to compare."""
    assert lost_cases(TEETH, [A, B]) == ()
    assert lost_cases(TEETH, [B, "gone", "away"]) == (f"{LOST}: away, gone",)
    assert lost_cases(Column(without=Run(broken="timed out"), patched=None), [A]) == ()
