"""What an analysis learns for the next one."""

from __future__ import annotations

from patchtool.mutation import hints
from patchtool.mutation.generator import Mutant
from patchtool.mutation.hints import Hints

CASES = ("one", "two")


def mutant(change: str) -> Mutant:
    """A mutant of which only the change matters."""
    return Mutant(
        id="0",
        file="f",
        operator="o",
        line=1,
        column=1,
        start=0,
        original=b"",
        mutated=b"",
        change=change,
    )


def test_read_back() -> None:
    """What is kept is read back, without the cases that the guard no longer has."""
    learned = Hints(killers={"a": "one", "b": "gone"}, telling=("b", "a"))
    assert Hints.load(learned.dump(), CASES) == Hints(killers={"a": "one"}, telling=("b", "a"))


def test_later_counts_for_more() -> None:
    """What is learned later takes the place of what was known, and comes first."""
    before = Hints(killers={"a": "one", "b": "one"}, telling=("a", "b"))
    both = before.and_then(Hints(killers={"a": "two"}, telling=("c", "b")))
    assert both == Hints(killers={"b": "one", "a": "two"}, telling=("c", "b", "a"))


def test_oldest_are_forgotten() -> None:
    """No more than so many changes are kept, the last ones."""
    old = Hints(killers={str(n): "one" for n in range(hints.MOST)}, telling=("x",) * 2)
    both = old.and_then(Hints(killers={"new": "two"}))
    assert len(both.killers) == hints.MOST
    assert ("0" in both.killers, both.killers["new"]) == (False, "two")


def test_first_to_ask() -> None:
    """A change's own killer is known by the change; over all, those of most changes come first."""
    learned = Hints(killers={"a": "one", "b": "two", "c": "two", "d": "gone"})
    assert learned.killer(mutant("a")) == ("one",)
    assert learned.killer(mutant("z")) == ()
    assert learned.cases(CASES) == ("two", "one")
