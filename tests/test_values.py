"""Values made without `dataclasses`: they must behave as those it makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from patchtool import values
from patchtool.errors import Problem


def made(maker: Any) -> tuple[Any, ...]:
    """The same classes, by one maker: with and without keywords."""

    @maker.dataclass(frozen=True, slots=True, kw_only=True, order=True)
    class Keyed:
        """A class with a default and a property."""

        first: int
        second: str = "two"
        third: list[int] = maker.field(default_factory=list)

        @property
        def both(self) -> str:
            """Something worked out."""
            return f"{self.first} {self.second}"

    @maker.dataclass(slots=True)
    class Changing:
        """A class whose values can be changed."""

        only: int

    @maker.dataclass(frozen=True, slots=True, kw_only=True)
    class Further(Keyed):
        """A class that adds a field."""

        fourth: int

    return Keyed, Changing, Further


OURS, ORIGINAL = made(values), made(dataclasses)


@pytest.fixture(params=[OURS, ORIGINAL], ids=["ours", "original"])
def classes(request: pytest.FixtureRequest) -> tuple[Any, ...]:
    """The classes as each maker has made them: each test holds for both."""
    found: tuple[Any, ...] = request.param
    return found


def test_values_and_defaults(classes: tuple[Any, ...]) -> None:
    """Fields have what was given, else their default; one that is made is another each time."""
    one, other = classes[0](first=1), classes[0](second="2", first=1)
    assert (one.first, one.second, one.both, other.second) == (1, "two", "1 two", "2")
    assert one.third == []
    assert one.third is not other.third


@pytest.mark.parametrize(
    "arguments", [{}, {"first": 1, "fourth": 4}, {"second": "2"}, {"first": 1, "self_": 2}]
)
def test_wrong_arguments(classes: tuple[Any, ...], arguments: dict[str, object]) -> None:
    """A field that is missing, and one that is not there, are refused."""
    with pytest.raises(TypeError):
        classes[0](**arguments)


def test_positions(classes: tuple[Any, ...]) -> None:
    """Positional arguments are taken only where keywords are not asked for, and not too many."""
    assert classes[1](3).only == 3
    with pytest.raises(TypeError):
        classes[0](1)
    with pytest.raises(TypeError):
        classes[1](1, 2)


def test_equality_order_and_hash(classes: tuple[Any, ...]) -> None:
    """Values are equal, ordered and hashed by their fields, within their class."""
    keyed = classes[0]
    assert keyed(first=1) == keyed(first=1) != keyed(first=2)
    assert keyed(first=1) != 1
    assert keyed(first=1) < keyed(first=2) <= keyed(first=2)
    assert max(keyed(first=1), keyed(first=2)).first == 2
    assert hash(keyed(first=1, third=())) == hash(keyed(first=1, third=()))
    with pytest.raises(TypeError):
        hash(classes[1](1))


def test_frozen(classes: tuple[Any, ...]) -> None:
    """A frozen value cannot be changed, another can; neither takes a further attribute."""
    value, changing = classes[0](first=1), classes[1](1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.first = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.first
    changing.only = 2
    assert changing.only == 2
    with pytest.raises(AttributeError):
        changing.more = 1


def test_the_original_functions(classes: tuple[Any, ...]) -> None:
    """What `dataclasses` offers works on both, as does our `replace`."""
    value = classes[0](first=1)
    assert [field.name for field in dataclasses.fields(value)] == ["first", "second", "third"]
    assert dataclasses.asdict(value) == {"first": 1, "second": "two", "third": []}
    assert dataclasses.replace(value, first=2) == values.replace(value, first=2)
    assert values.replace(value, first=2).first == 2
    with pytest.raises(TypeError):
        values.replace(value, fourth=4)
    assert dataclasses.is_dataclass(value)


def test_inheritance(classes: tuple[Any, ...]) -> None:
    """A class that is derived has the fields of both, and is no equal of its base."""
    value = classes[2](first=1, fourth=4)
    assert (value.first, value.second, value.fourth, value.both) == (1, "two", 4, "1 two")
    assert values.replace(value, first=2) == classes[2](first=2, fourth=4)
    assert value != classes[0](first=1)


def test_copies() -> None:
    """A value can be copied and pickled, as those of `dataclasses` can."""
    problem = Problem(kind="missing", what="is not there", line=3)
    assert copy.deepcopy(problem) == problem == pickle.loads(pickle.dumps(problem))  # noqa: S301


def test_the_text(classes: tuple[Any, ...]) -> None:
    """The text of a value is the call that makes it."""
    assert repr(classes[1](1)).endswith("Changing(only=1)")
