"""What the corpus command prints of one part: the tables, what is explained and what is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.corpus.agreement import Standing, explains, outcomes, stale, standing
from benchmarks.corpus.data import Explanation
from benchmarks.corpus.trial import Outcome, Trial
from patchtool.report.layout import table


def text(
    trials: Sequence[Trial], explained: Sequence[Explanation], missing: Sequence[str]
) -> tuple[str, bool]:
    """The report, and whether all is agreed on; `missing` says what was not tried and why."""
    standings = [(trial, standing(trial, explained)) for trial in trials]
    counts = Counter(found for _, found in standings)
    old = stale(explained, trials)
    pieces = [
        table(outcomes(trials)),
        table((each.value, str(counts[each])) for each in Standing),
        *_explained(standings, explained),
        *_disagreements(standings),
        *(f"  STALE EXPLANATION: {each.subject}: {each.patch}\n" for each in old),
        *(f"  NOT TRIED: {each}\n" for each in missing),
    ]
    return "".join(pieces), not counts[Standing.UNEXPLAINED] and not old


def _explained(
    standings: Sequence[tuple[Trial, Standing]], explained: Sequence[Explanation]
) -> Iterator[str]:
    counts: Counter[Explanation] = Counter()
    for trial, found in standings:
        if found is Standing.EXPLAINED:
            counts[next(each for each in explained if explains(each, trial))] += 1
    for each, count in counts.items():
        yield f"  {count} explained: {each.subject}: {each.patch}: {each.kind}: {each.why}\n"


def _disagreements(standings: Sequence[tuple[Trial, Standing]]) -> Iterator[str]:
    for trial, found in standings:
        if found is Standing.UNEXPLAINED:
            yield f"  DISAGREEMENT: {trial}\n"
            yield table(
                (tool, answer.outcome.value, _detail(answer.detail, answer.outcome))
                for tool, answer in trial.answers.items()
            )


def _detail(detail: str, outcome: Outcome) -> str:
    return f"first at {detail}" if outcome is Outcome.OTHER else detail
