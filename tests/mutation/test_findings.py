"""What is made of an analysis: rows, survivors, stale entries, idle cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from patchtool.files import File
from patchtool.mutation import findings
from patchtool.mutation.analysis import Fate, Trial
from patchtool.mutation.source import Source, mutants_of
from patchtool.project import AcceptedMutant
from patchtool.project.patch_name import parse

NAME = "left+1.0.0.patch"
SOURCE = Source(
    patch=NAME,
    directory=PurePath("node_modules/left"),
    path="index.js",
    pristine=b"a();\n",
    file=File(data=b"a();\nb = 1;\nif (c) d();\n"),
)
SOURCES = {SOURCE.name: SOURCE}
MUTANTS = mutants_of([SOURCE])
ACCEPTED = AcceptedMutant(
    patch=parse(NAME), original="b = 1;", mutant="b = 2;", reason="b is never read"
)


def trials(surviving: Sequence[bytes] = ()) -> Mapping[str, Trial]:
    """A trial for each mutant: those that put in these bytes live, the others are killed."""
    return {
        mutant.id: Trial(fate=Fate.SURVIVED)
        if mutant.mutated in surviving
        else Trial(fate=Fate.KILLED, failed=("case",))
        for mutant in MUTANTS
    }


def expired(accepted: AcceptedMutant) -> list[str]:
    """What is wrong with one entry of the manifest."""
    return [problem.what for problem in findings.expired([accepted], MUTANTS, SOURCES)]


def test_rows() -> None:
    """Each mutant has a row with its place, its change in whole lines, and its killer."""
    row = next(row for row in findings.rows(MUTANTS, trials(), SOURCES, []) if row.line == 2)
    assert (row.patch, row.path, row.line, row.column) == (NAME, "index.js", 2, 1)
    assert (row.original, row.mutant) == ("b = 1;", ";")
    assert (row.fate, row.cases, row.accepted) == (Fate.KILLED, ("case",), None)


def test_survivors() -> None:
    """A survivor is a finding with its lines and the command that judges it alone, once."""
    table = findings.rows(MUTANTS, trials([b"2", b"0"]), SOURCES, [])
    problems = list(findings.survivors(table))
    assert [(p.subject, p.path, p.line, p.expected, p.found) for p in problems] == [
        (NAME, "index.js", 2, "b = 1;", "b = 2;"),
        (NAME, "index.js", 2, "b = 1;", "b = 0;"),
    ]
    assert {p.remedy for p in problems} == {
        f"patchtool mutate --only {row.id}" for row in table if row.fate is Fate.SURVIVED
    }


def test_accepted() -> None:
    """A mutant with a reason in the manifest is in the table though it is not judged."""
    table = findings.rows(MUTANTS, {}, SOURCES, [ACCEPTED])
    assert [(row.mutant, row.fate, row.accepted) for row in table] == [
        ("b = 2;", Fate.ACCEPTED, "b is never read")
    ]
    assert list(findings.survivors(table)) == []
    assert expired(ACCEPTED) == []


def test_entry_of_another_patch() -> None:
    """An entry speaks only of the patch that it names."""
    other = AcceptedMutant(
        patch=parse("right+1.0.0.patch"), original="b = 1;", mutant="b = 2;", reason="r"
    )
    table = findings.rows(MUTANTS, trials([b"2"]), SOURCES, [other])
    assert len(list(findings.survivors(table))) == 1


def test_stale_entries() -> None:
    """An entry expires when its text is gone, and when it means two mutants."""
    gone = AcceptedMutant(patch=parse(NAME), original="b = 3;", mutant="b = 4;", reason="r")
    assert expired(gone) == ["the accepted mutant is not among those made now"]
    double = Source(
        patch=NAME,
        directory=SOURCE.directory,
        path="index.js",
        pristine=b"",
        file=File(data=b"b = 1;\nb = 1;\n"),
    )
    made = mutants_of([double])
    (problem,) = findings.expired([ACCEPTED], made, {double.name: double})
    assert "lines 1, 2" in problem.what


def test_idle() -> None:
    """A needed case that kills nothing is a finding of its own."""
    assert [problem.subject for problem in findings.idle(["one", "two"])] == ["one", "two"]
