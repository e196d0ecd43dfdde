"""The commands that people are told to run reach the project that the report is of."""

from __future__ import annotations

from contextvars import copy_context
from pathlib import Path

import pytest

from patchtool.remedy import repeat, repeated


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

    def answer() -> str:
        repeat({"root": Path("an app"), "patches": None})
        return repeated(remedy)

    assert copy_context().run(answer) == told
    assert repeated(remedy) == remedy


def test_a_command_with_a_root_of_its_own_keeps_it() -> None:
    """It is about another project, and the patches of this one are not there."""

    def answer() -> str:
        repeat({"root": "app", "patches": "app/patches", "python": ".venv"})
        return repeated("patchtool status --root ..")

    assert copy_context().run(answer) == "patchtool status --python .venv --root .."


def test_a_value_that_looks_like_an_option_is_no_option() -> None:
    """Behind a blank, the command line would take it for one."""

    def answer() -> str:
        repeat({"root": "-an app"})
        return repeated("patchtool lock")

    assert copy_context().run(answer) == "patchtool lock --root='-an app'"
