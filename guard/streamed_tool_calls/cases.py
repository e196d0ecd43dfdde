"""The constructed cases, read from cases.toml and boundary.toml into streams and expectations.

Owns the notation of these two files, which stands at the top of cases.toml. Runs nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamed_tool_calls.driver import PROVIDERS
from tool_call_shapes.stream import WIRE, Call, Delta, ExpectedId, Stream, load

REQUIRED = Path(__file__).with_name("cases.toml")
BOUNDARY = Path(__file__).with_name("boundary.toml")

ABSENT = "-"
ANY_ID = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constructed:
    """A constructed stream, and what must come of it: its calls, or an error with `error` in it.

    `metadata` is the provider metadata of each call, and `events` are all events, in order, where
    the case is about that.
    `kept` and `lost` say in words, for a boundary case, what of the turn survives.
    """

    stream: Stream
    error: str | None
    providers: tuple[str, ...]
    metadata: tuple[Any, ...] | None
    events: tuple[str, ...] | None
    kept: str
    lost: str


def read(path: Path) -> tuple[Constructed, ...]:
    """The cases of a file, in order; ValueError names the case that cannot be read."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    return tuple(map(_constructed, tables))


def _constructed(table: Mapping[str, Any]) -> Constructed:
    try:
        given = [_call(line) for line in table.get("calls", "").splitlines()]
        deltas = _collected(table["wire"]) if "wire" in table else _chunks(table["stream"])
        stream = Stream(
            id=table["name"],
            gateway="constructed",
            source="",
            date="",
            evidence="constructed",
            group=table["name"],
            shape=table["name"],
            deltas=deltas,
            finish_reason="tool_calls",
            finish_chunks=(),
            calls=tuple(call for call, _ in given),
            expect_ids=tuple(id for _, id in given),
            decidable="kept" not in table,
            why="",
        )
        return Constructed(
            stream=stream,
            error=table.get("error"),
            providers=tuple(table.get("providers", PROVIDERS)),
            metadata=tuple(table["metadata"]) if "metadata" in table else None,
            events=tuple(table["events"].split()) if "events" in table else None,
            kept=table.get("kept", ""),
            lost=table.get("lost", ""),
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"{table.get('name', 'a case without name')}: {error!r}") from error


def _collected(id: str) -> tuple[tuple[Delta, ...], ...]:
    """The deltas of a wire sample."""
    [found] = [stream for stream in load(WIRE) if stream.id == id]
    return found.deltas


def _chunks(text: str) -> tuple[tuple[Delta, ...], ...]:
    chunks: list[tuple[Delta, ...]] = []
    for line in text.splitlines():
        if line == ".":
            chunks.append(())
        elif line.startswith("+ "):
            chunks[-1] = (*chunks[-1], _delta(line.removeprefix("+ ")))
        else:
            chunks.append((_delta(line),))
    return tuple(chunks)


def _delta(line: str) -> Delta:
    if line.startswith("{"):
        delta: Delta = json.loads(line)
        return delta
    index, id, name, arguments = line.split(maxsplit=3)
    function = {**_field("name", name), **_arguments(arguments)}
    return {**_field("index", index), **_field("id", id), "type": "function", "function": function}


def _field(key: str, word: str) -> dict[str, Any]:
    return {} if word == ABSENT else {key: _value(word)}


def _arguments(text: str) -> dict[str, Any]:
    if text.startswith("="):
        return {"arguments": json.loads(text.removeprefix("="))}
    value = _value(text)
    return (
        _field("arguments", text)
        if value is None or isinstance(value, str)
        else {"arguments": text}
    )


def _value(text: str) -> Any:
    """JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _call(line: str) -> tuple[Call, ExpectedId]:
    id, name, *arguments = line.split(maxsplit=2)
    return Call(name=name, arguments="".join(arguments)), None if id == ANY_ID else id
