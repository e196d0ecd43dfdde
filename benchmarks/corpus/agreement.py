"""Where patchtool stands in a trial: with the others, apart with a reason, or apart without one.

Pure: trials and explanations in, counts and findings out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from benchmarks.corpus.data import Explanation
from benchmarks.corpus.trial import Answer, Outcome, Trial

STRICT, WITH_OFFSETS = "patchtool", "patchtool --allow-offset"
# In an explanation: every patch of the subject that is refused like that.
ANY = "*"
_OFFSET = Answer(outcome=Outcome.REFUSED, detail="offset")


class Standing(Enum):
    """How patchtool's answer compares with the right result and with the other tools' answers."""

    EXACT = "the same"
    OFFSET = "the same with --allow-offset, refused without"
    REFUSED_BY_ALL = "refused, as by every other tool"
    EXPLAINED = "otherwise, and explained"
    UNEXPLAINED = "DISAGREEMENT"


def standing(trial: Trial, explained: Iterable[Explanation]) -> Standing:
    """Where patchtool stands in this trial."""
    strict, with_offsets = trial.answers[STRICT], trial.answers[WITH_OFFSETS]
    others = [answer for name, answer in trial.answers.items() if not name.startswith(STRICT)]
    if strict.outcome is Outcome.SAME and with_offsets.outcome is Outcome.SAME:
        return Standing.EXACT
    if strict == _OFFSET and with_offsets.outcome is Outcome.SAME:
        return Standing.OFFSET
    ours_refuse = strict.outcome is with_offsets.outcome is Outcome.REFUSED
    if ours_refuse and all(each.outcome in (Outcome.REFUSED, Outcome.TORN) for each in others):
        return Standing.REFUSED_BY_ALL
    if any(explains(explanation, trial) for explanation in explained):
        return Standing.EXPLAINED
    return Standing.UNEXPLAINED


def explains(explanation: Explanation, trial: Trial) -> bool:
    """Whether the explanation is of this answer: its kind of refusal, or else its outcome."""
    answer = trial.answers[WITH_OFFSETS]
    is_refusal = answer.outcome is Outcome.REFUSED
    patches = (trial.patch, ANY) if is_refusal else (trial.patch,)
    kind = answer.detail if is_refusal else answer.outcome.value
    return (
        explanation.subject == trial.subject
        and explanation.patch in patches
        and explanation.kind == kind
    )


def stale(explained: Iterable[Explanation], trials: Sequence[Trial]) -> list[Explanation]:
    """The explanations whose patch was tried and not refused like that."""
    return [
        explanation
        for explanation in explained
        if any(t.subject == explanation.subject for t in trials)
        and any(explanation.patch in (t.patch, ANY) for t in trials)
        and not any(explains(explanation, trial) for trial in trials)
    ]


def outcomes(trials: Sequence[Trial]) -> Iterator[tuple[str, ...]]:
    """A table's rows: for each tool, how often it had which outcome."""
    yield ("", *(outcome.value for outcome in Outcome))
    tools = dict.fromkeys(name for trial in trials for name in trial.answers)
    for tool in tools:
        counts = Counter(trial.answers[tool].outcome for trial in trials if tool in trial.answers)
        yield (tool, *(str(counts[outcome]) for outcome in Outcome))
