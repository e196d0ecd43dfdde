"""Any command's result as one JSON document: its fields by name, enums by value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any

from patchtool.errors import Problem
from patchtool.report.problem import document, printable


def dump(result: Any) -> str:
    """The result's fields as an indented JSON object, or the document it has of its own."""
    return json.dumps(getattr(result, "document", None) or _plain(result), indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Problem):
        return document(value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {printable(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, set, frozenset)):
        return [_plain(item) for item in value]
    return printable(str(value)) if isinstance(value, (str, PurePath)) else value
