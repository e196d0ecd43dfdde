"""The patch engine: patch files as data, and what they make of a tree. Pure, on bytes.

It touches no disk: a tree comes in as a function from path to file, and what is to change goes
out as a value. The rules are strict, the same both ways, and without any fuzz.
"""

from patchtool.diff.attempt import Moved
from patchtool.diff.model import (
    KINDS,
    Binary,
    Change,
    Hunk,
    Part,
    Patch,
    Payload,
    Section,
    reverse,
)
from patchtool.diff.parse import parse
from patchtool.diff.place import hunk_is_in, other_place
from patchtool.diff.run import Result, State, changes, run
from patchtool.diff.standing import Standing, judge
from patchtool.files import Found, Hindrance, Obstacle, Read

__all__ = [
    "KINDS",
    "Binary",
    "Change",
    "Found",
    "Hindrance",
    "Hunk",
    "Moved",
    "Obstacle",
    "Part",
    "Patch",
    "Payload",
    "Read",
    "Result",
    "Section",
    "Standing",
    "State",
    "changes",
    "hunk_is_in",
    "judge",
    "other_place",
    "parse",
    "reverse",
    "run",
]
