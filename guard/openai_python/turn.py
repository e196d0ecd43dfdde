"""Runs streamed turns through the openai package of a stack, in a child process.

Owns what is asked of the child. Must not judge what comes of a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from json_lines import Child
from openai_python.chunks import Chunk, chunks
from tool_call_shapes.stream import Stream

FEED = Path(__file__).with_name("feed.py")

Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The events in the order they came, the message of each choice, and what was raised."""

    events: Sequence[Plain]
    messages: Sequence[Plain]
    error: str | None


def run(child: Child, streams: Sequence[Stream]) -> list[Turn]:
    """Run the turns of streams through the state class."""
    return run_chunks(child, [chunks(stream) for stream in streams])


def run_chunks(
    child: Child, turns: Sequence[Sequence[Chunk]], tools: Sequence[Plain] = ()
) -> list[Turn]:
    """Run turns through the state class, which knows of `tools`."""
    requests = [{"way": "state", "chunks": turn, "tools": tools} for turn in turns]
    return [Turn(**answer) for answer in child.ask(requests)]


def run_served(child: Child, way: str, url: str) -> Turn:
    """Let a client ("client" or "async client") stream the turn that a server has."""
    [answer] = child.ask([{"way": way, "url": url}])
    return Turn(**answer)
