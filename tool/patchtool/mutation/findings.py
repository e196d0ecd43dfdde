"""What an analysis means for a project: each mutant's row, and what is wrong. Pure.

A survivor must be killed or accepted with a reason; a reason must still be needed; a needed case
must kill something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from patchtool.errors import Problem
from patchtool.mutation.acceptance import entries, matches
from patchtool.mutation.analysis import Fate, Trial
from patchtool.mutation.generator import Mutant
from patchtool.mutation.source import Source
from patchtool.project import AcceptedMutant


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One mutant and what became of it.

    `original` and `mutant` are what an `accepted-mutant` of the manifest would say; `cases` are
    the required cases that failed in the run that decided; `accepted` is the manifest's reason.
    """

    id: str
    patch: str
    path: str
    line: int
    column: int
    operator: str
    original: str
    mutant: str
    fate: Fate
    cases: tuple[str, ...]
    detail: str
    accepted: str | None


def rows(
    mutants: Sequence[Mutant],
    trials: Mapping[str, Trial],
    sources: Mapping[str, Source],
    accepted: Sequence[AcceptedMutant],
) -> tuple[Row, ...]:
    """A row for each mutant that was judged or is accepted; `sources` by `Mutant.file`."""
    texts: dict[str, tuple[str, str]] = {}
    for file, source in sources.items():
        alike = [mutant for mutant in mutants if mutant.file == file]
        texts |= entries(alike, source.file.data)
    found = []
    for mutant in mutants:
        source = sources[mutant.file]
        original, changed = texts[mutant.id]
        reasons = [each.reason for each in accepted if means(each, mutant, source)]
        trial = trials.get(mutant.id, Trial(fate=Fate.ACCEPTED) if reasons else None)
        if trial is None:
            continue
        found.append(
            Row(
                id=mutant.id,
                patch=source.patch,
                path=source.path,
                line=mutant.line,
                column=mutant.column,
                operator=mutant.operator,
                original=original,
                mutant=changed,
                fate=trial.fate,
                cases=trial.failed,
                detail=trial.detail,
                accepted=reasons[0] if reasons else None,
            )
        )
    return tuple(found)


def means(accepted: AcceptedMutant, mutant: Mutant, source: Source) -> bool:
    """Whether an entry of the manifest speaks of a mutant."""
    return str(accepted.patch) == source.patch and matches(
        accepted.original, accepted.mutant, mutant, source.file.data
    )


def survivors(rows: Sequence[Row]) -> Iterator[Problem]:
    """A finding for each mutant that no required case notices."""
    for row in rows:
        if row.fate is Fate.SURVIVED:
            yield Problem(
                kind="survived",
                what=f"no required case notices {row.operator} (mutant {row.id})",
                subject=row.patch,
                path=row.path,
                line=row.line,
                expected=row.original,
                found=row.mutant,
                remedy=f"patchtool mutate --only {row.id}",
            )


def expired(
    accepted: Sequence[AcceptedMutant], mutants: Sequence[Mutant], sources: Mapping[str, Source]
) -> Iterator[Problem]:
    """A finding for each entry of the manifest that does not mean exactly one mutant."""
    for each in accepted:
        found = [mutant for mutant in mutants if means(each, mutant, sources[mutant.file])]
        if len(found) == 1:
            continue
        lines = ", ".join(str(mutant.line) for mutant in found)
        yield Problem(
            kind="stale",
            what=f"the accepted mutant could be at any of the lines {lines}: name more lines"
            if found
            else "the accepted mutant is not among those made now",
            subject=str(each.patch),
            path="accepted-mutant",
            expected=each.original,
            found=each.mutant,
        )


def idle(cases: Sequence[str]) -> Iterator[Problem]:
    """A finding for each needed case that fails on no mutant, or only where all cases do."""
    for case in cases:
        what = "a needed case, but no mutant makes it fail and leaves any other standing"
        yield Problem(kind="idle", what=what, subject=case)
