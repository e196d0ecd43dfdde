"""Results as JSON: fields by name, values that any program reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patchtool.commands import Answer
from patchtool.commands.apply_file import FileApplied
from patchtool.errors import Problem
from patchtool.report.document import dump


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One field of each kind that results have."""

    answer: Answer = Answer.NO
    path: Path = Path("a/b")
    names: tuple[str, ...] = ("x", "\x1b")
    problems: tuple[Problem, ...] = (Problem(kind="k", what="w"),)
    by_name: Mapping[str, Any] | None = None
    count: int = 3
    known: bool = True


def test_each_kind_of_value_has_its_form() -> None:
    """Enums by value, paths as text, problems as documents, mappings and sequences inside."""
    found = json.loads(dump(Sample(by_name={"\x07": (True, False)})))
    assert found == {
        "answer": "no",
        "path": "a/b",
        "names": ["x", "\\x1b"],
        "problems": [{"kind": "k", "message": "w"}],
        "by_name": {"\\x07": [True, False]},
        "count": 3,
        "known": True,
    }


def test_result_with_a_document_of_its_own_is_that() -> None:
    """`apply --file` has the form that its cases document."""
    refused = FileApplied(problem=Problem(kind="no-match", what="no", path="x"))
    assert json.loads(dump(refused))["error"]["kind"] == "no-match"
