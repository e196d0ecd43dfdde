"""The commands that people are told to run reach the project that the report is of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from patchtool.report.remedy import repeat, repeated


@pytest.fixture(autouse=True)
def nothing_to_repeat() -> Iterator[None]:
    """What one test has given must not be repeated in another."""
    yield
    repeat({})


@pytest.mark.parametrize(
    ("remedy", "told"),
    [
        ("patchtool lock", "patchtool lock --root 'an app'"),
        ("patchtool guard fix --fresh", "patchtool guard --root 'an app' fix --fresh"),
        ("git rm a  # then: patchtool lock", "git rm a  # then: patchtool lock --root 'an app'"),
        ("patchtool apply --help", "patchtool apply --help"),
        ("pip install 'patchtool[mutate]'", "pip install 'patchtool[mutate]'"),
        ("npm install a", "npm install a"),
    ],
)
def test_each_command_of_patchtool_repeats_what_says_which_project(remedy: str, told: str) -> None:
    """Wherever it stands in what is told; where no such option was given, nothing is added."""
    assert repeated(remedy) == remedy
    repeat({"root": Path("an app"), "patches": None})
    assert repeated(remedy) == told
