"""Reads a text file of the project with care, and its tables key by key.

Owns the messages for what is wrong with a file or a key: each says where, what was expected and
what was found. Knows neither patches.toml nor patches.lock, and imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from patchtool import plain_file
from patchtool.errors import Problem, UsageError
from patchtool.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TypeVar

    T = TypeVar("T")

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "float"}
_CONFLICT = rb"(?m)^(?:<{7}|>{7})(?: |\r?$)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that is read: its path, the kind of its problems, and the command that helps."""

    path: Path
    kind: str
    remedy: str | None = None

    @property
    def name(self) -> str:
        """The path as messages show it: the file in its directory."""
        return f"{self.path.parent.name}/{self.path.name}"

    def error(
        self,
        what: str,
        *,
        key: str | None = None,
        line: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> UsageError:
        """An error about this file, or about one key in it."""
        return UsageError(
            Problem(
                kind=self.kind,
                what=what,
                subject=self.name if key else None,
                path=key or self.name,
                line=line,
                expected=expected,
                found=found,
                remedy=self.remedy,
            )
        )

    def text(self, limit: int) -> tuple[bytes, str]:
        """The file's bytes, of which there may be `limit`, and the text they are in UTF-8."""
        try:
            data = plain_file.read(self.path, limit)
        except plain_file.TooLarge as error:
            raise self.error("too large", expected=f"at most {limit} bytes") from error
        except OSError as error:
            raise self.error("cannot be read", found=error.strerror) from error
        if conflict := re.search(_CONFLICT, data):
            raise self.error(
                "has the marks of a merge conflict", line=_line(data, conflict.start())
            )
        if (nul := data.find(b"\0")) >= 0:
            raise self.error("has a NUL byte", line=_line(data, nul))
        try:
            return data, data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.error("not UTF-8", line=_line(data, error.start)) from error


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def describe(value: object) -> str:
    """A value's type and text, cut to a length that fits a message.

    What is in a table or an array is left out: it may be nested deeper than `repr` can go.
    """
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    if value is None:
        return "null"
    text = repr(value)
    name = _TYPES.get(type(value), type(value).__name__)
    return f"{name} {text if len(text) <= 60 else text[:57] + '...'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value and the key path it stands at, such as `fix[0].pin[1].packages[2]`."""

    source: Source
    key: str
    raw: object

    def error(self, what: str, expected: str | None = None, found: str | None = None) -> UsageError:
        """An error about this value."""
        return self.source.error(
            what, key=self.key, expected=expected, found=found or describe(self.raw)
        )

    def string(self) -> str:
        """Any string."""
        if not isinstance(self.raw, str):
            raise self.error("wrong type", "a string")
        return self.raw

    def line(self) -> str:
        """A string of one line that says something."""
        text = self.string()
        if not text.strip():
            raise self.error("blank", "some text")
        if not text.isprintable():
            raise self.error("has control characters", "one line of printable text")
        return text

    def boolean(self) -> bool:
        """True or false."""
        if not isinstance(self.raw, bool):
            raise self.error("wrong type", "true or false")
        return self.raw

    def integer(self) -> int:
        """A whole number."""
        if not isinstance(self.raw, int) or isinstance(self.raw, bool):
            raise self.error("wrong type", "an integer")
        return self.raw

    def number(self) -> int | float:
        """A whole number or a fraction, of any size."""
        if not isinstance(self.raw, int | float) or isinstance(self.raw, bool):
            raise self.error("wrong type", "a number")
        return self.raw

    def items(self) -> tuple[Value, ...]:
        """The items of an array."""
        if not isinstance(self.raw, list):
            raise self.error("wrong type", "an array")
        return tuple(
            Value(source=self.source, key=f"{self.key}[{number}]", raw=item)
            for number, item in enumerate(self.raw)
        )

    def some(self) -> tuple[Value, ...]:
        """The items of an array that has at least one."""
        items = self.items()
        if not items:
            raise self.error("empty", "at least one item")
        return items

    def table(self, *known: str) -> Table:
        """A table that has no other keys than `known`; any keys, if none are named."""
        if not isinstance(self.raw, dict):
            raise self.error("wrong type", "a table")
        table = Table(source=self.source, key=self.key, values=self.raw)
        if known:
            table.refuse_others(known)
        return table


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table, the key path it stands at ("" for the whole file), and its values."""

    source: Source
    key: str
    values: Mapping[str, object]

    def __getitem__(self, key: str) -> Value:
        """The value of a key that must be there."""
        if key not in self.values:
            raise self.source.error("missing key", key=self._path(key))
        return Value(source=self.source, key=self._path(key), raw=self.values[key])

    def optional(self, key: str, read: Callable[[Value], T]) -> T | None:
        """What `read` makes of the key's value; None if the key is not there."""
        return read(self[key]) if key in self.values else None

    def items(self) -> Iterator[tuple[str, Value]]:
        """Every key and its value."""
        return ((key, self[key]) for key in self.values)

    def refuse_others(self, known: tuple[str, ...]) -> None:
        """Refuse a key that is not in `known`, and suggest the nearest that is."""
        for key in self.values:
            if key not in known:
                from difflib import get_close_matches  # only a bad file needs it

                near = get_close_matches(key, known, n=1)
                expected = near[0] if near else "one of " + ", ".join(sorted(known))
                raise self.source.error("unknown key", key=self._path(key), expected=expected)

    def _path(self, key: str) -> str:
        """The key's path; a key that is no plain word stands in brackets and quotes."""
        is_plain = key.isascii() and key.isidentifier()  # nearly always, and told sooner
        if not is_plain and not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            return f"{self.key}[{describe(key).removeprefix('string ')}]"
        return f"{self.key}.{key}" if self.key else key
