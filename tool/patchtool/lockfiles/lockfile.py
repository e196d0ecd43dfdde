"""A lockfile as text and as tables. It belongs to the user, and may be large, broken or hostile.

Owns the limits and the messages for what cannot be read. Knows no format.
"""

from __future__ import annotations

import json
from typing import Any

from patchtool.project.reader import Source, Table, Value
from patchtool.values import dataclass

# The largest lockfiles of public monorepos have a few million bytes.
LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Lockfile(Source):
    """A lockfile that is there; `relative` is its path from the root, as messages show it."""

    relative: str

    @property
    def name(self) -> str:
        """The path from the root."""
        return self.relative

    def content(self) -> str:
        """The text. Anything but a plain file is refused: reading a pipe could take for ever."""
        if not self.path.is_file():
            raise self.error("not a file that can be read")
        return self.text(LIMIT)[1]

    def json(self, text: str | None = None) -> Table:
        """The file as JSON, or `text` instead of what stands in it."""
        try:
            raw = json.loads(self.content() if text is None else text)
        except json.JSONDecodeError as error:
            raise self.error(f"not JSON: {error.msg}", line=error.lineno) from error
        except (RecursionError, ValueError) as error:  # nested too deep; an integer too long
            raise self.error(f"not JSON that can be read: {error}") from error
        return self._table(raw)

    def toml(self) -> Table:
        """The file as TOML."""
        import tomli

        try:
            raw = tomli.loads(self.content())
        except tomli.TOMLDecodeError as error:
            raise self.error(f"not TOML: {error.msg}", line=error.lineno) from error
        except (RecursionError, ValueError) as error:
            raise self.error(f"not TOML that can be read: {error}") from error
        return self._table(raw)

    def yaml(self) -> Table:
        """The last document of the file as YAML, with every scalar as a string.

        pnpm may put a document of its own first. Strings alone: a version or a commit must not
        become a number or a date. Anchors give shared values, so nothing here may walk them twice.
        """
        import yaml

        loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        raw = None
        try:
            # The loader is the one that makes strings only.
            for raw in yaml.load_all(self.content(), Loader=loader):  # noqa: B007
                pass
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            line = mark.line + 1 if mark else None
            raise self.error(f"not YAML: {error.problem}", line=line) from error
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise self.error(f"not YAML that can be read: {error}") from error
        return self._table(raw)

    def _table(self, raw: object) -> Table:
        if not isinstance(raw, dict):
            raise self.error("not a table", expected="keys with values")
        return Value(source=self, key="", raw=raw).table()


def text_of(table: Table, key: str) -> str:
    """The string at a key; empty if the key is not there."""
    return table.optional(key, Value.string) or ""


def table_of(table: Table, key: str) -> Table:
    """The table at a key; an empty one if the key is not there."""
    return table.optional(key, Value.table) or Table(source=table.source, key=key, values={})


def tables_of(table: Table, key: str) -> tuple[Table, ...]:
    """The tables of the array at a key; none if the key is not there."""
    return tuple(item.table() for item in table.optional(key, Value.items) or ())
