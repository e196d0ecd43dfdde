"""One patch put on or taken off by several tools, and how each result compares with the right one.

Owns the directories in which the tools work, one for each, kept in step with the right tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchmarks.corpus.tools import Job, Tool, timed
from benchmarks.corpus.trees import Tree, TreeReader, change_tree, difference, write_tree


class Outcome(Enum):
    """What a tool made of a patch."""

    SAME = "same"
    OTHER = "other"
    REFUSED = "refused"
    # Refused, and the tree is no longer what it was.
    TORN = "torn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A tool's outcome; why it refused, or the first path that came out wrong."""

    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The answers of all tools to one patch, on (forward) or off."""

    subject: str
    patch: str
    backward: bool
    answers: Mapping[str, Answer]

    def __str__(self) -> str:
        return f"{self.subject}: {self.patch}, {'off' if self.backward else 'on'}"


class Workbench:
    """One directory for each tool, all holding the same tree between two trials."""

    def __init__(self, directory: Path, tools: Mapping[str, Tool], tree: Tree) -> None:
        self.tree = tree
        self._tools = tools
        self._places = {name: directory / name for name in tools}
        self._readers = {name: TreeReader(place) for name, place in self._places.items()}
        for place in self._places.values():
            write_tree(place, tree)

    def ask(self, name: str, patch: Path, strip: int, *, backward: bool) -> tuple[str | None, Tree]:
        """What one tool says, and the tree it leaves; its directory is put back."""
        place = self._places[name]
        job = Job(patch=patch, directory=place, strip=strip, backward=backward)
        refusal = timed(self._tools[name], job)
        left = self._readers[name].read()
        change_tree(place, left, self.tree)
        return refusal, left

    def compare(
        self, patch: Path, strip: int, wanted: Tree, *, backward: bool
    ) -> dict[str, Answer]:
        """Let every tool turn the tree into `wanted`; afterwards it is that."""
        answers = {}
        for name in self._tools:
            refusal, left = self.ask(name, patch, strip, backward=backward)
            answers[name] = self._judge(refusal, left, wanted)
        self._step_to(wanted)
        return answers

    def _judge(self, refusal: str | None, left: Tree, wanted: Tree) -> Answer:
        if refusal is not None:
            torn = left != self.tree
            return Answer(outcome=Outcome.TORN if torn else Outcome.REFUSED, detail=refusal)
        wrong = difference(left, wanted)
        if wrong:
            return Answer(outcome=Outcome.OTHER, detail=wrong[0])
        return Answer(outcome=Outcome.SAME)

    def _step_to(self, wanted: Tree) -> None:
        for place in self._places.values():
            change_tree(place, self.tree, wanted)
        self.tree = wanted
