"""Which sections of a patch belong together, and in which order they happen. Pure.

One `git diff` describes one step: every section reads the tree as it was. Patch files that were
put together from several diffs describe a sequence. The paths tell them apart: in one step a path
is used up at most once and made at most once.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import groupby

from patchtool.diff.model import Change, Part, Section
from patchtool.diff.paths import parents
from patchtool.errors import PatchError, Problem


def arrange(sections: Sequence[Section], commits: Sequence[int] = ()) -> tuple[Part, ...]:
    """The sections as parts that share no path, each with its steps.

    `commits` are the lines at which another commit begins: whatever comes after such a line
    happens after what comes before it.
    """
    return tuple(Part(steps=tuple(_steps(group, commits))) for group in _tied(sections))


def _tied(sections: Sequence[Section]) -> Iterable[list[Section]]:
    """Sections grouped by their paths; a directory's path ties what is below it."""
    leader = list(range(len(sections)))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    first: dict[str, int] = {}
    for number, section in enumerate(sections):
        for path in {section.old_path, section.new_path}:
            leader[find(number)] = find(first.setdefault(path, number))
    for path, number in list(first.items()):
        for parent in parents(path):
            if parent in first:
                leader[find(number)] = find(first[parent])
    groups: dict[int, list[Section]] = {}
    for number, section in enumerate(sections):
        groups.setdefault(find(number), []).append(section)
    return groups.values()


def _steps(sections: list[Section], commits: Sequence[int]) -> Iterable[tuple[Section, ...]]:
    by_commit = groupby(sections, key=lambda section: bisect(commits, section.line))
    return (step for _, group in by_commit for step in _steps_of_commit(group))


def _steps_of_commit(sections: Iterable[Section]) -> Iterable[tuple[Section, ...]]:
    step: list[Section] = []
    taken: dict[str, Section] = {}
    made: dict[str, Section] = {}
    earlier: set[str] = set()
    for section in sections:
        _refuse_two_readings(section, taken, earlier)
        if _comes_later(section, taken, made):
            yield tuple(step)
            earlier.update(taken, made)
            step, taken, made = [], {}, {}
            _refuse_two_readings(section, taken, earlier)
        step.append(section)
        if section.taken is not None:
            taken[section.taken] = section
        if section.made is not None:
            made[section.made] = section
    yield tuple(step)


def _comes_later(section: Section, taken: dict[str, Section], made: dict[str, Section]) -> bool:
    """Whether the section can only mean what the step before it has left."""
    if section.taken in taken or section.made in made:
        return True
    return section.change is Change.DELETE and section.taken in made


def _refuse_two_readings(section: Section, taken: dict[str, Section], earlier: set[str]) -> None:
    """Refuse a rename of a file that another section changes too.

    As a sequence it moves the changed file, as one diff the unchanged one; readers differ.
    """
    moves = section.change in (Change.RENAME, Change.COPY)
    other = taken.get(section.taken or "")
    clash = other is not None and Change.RENAME in (section.change, other.change)
    if clash or (moves and section.old_path in earlier):
        raise PatchError(
            Problem(
                kind="ambiguous-order",
                what="the file is moved or copied and changed by another section as well: before "
                "or after? make one diff of the first and the last state",
                path=section.old_path,
                line=section.line,
            )
        )
