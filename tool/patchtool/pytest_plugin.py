"""The pytest plugin for guards: the `stack` fixtures and the `boundary` mark.

It tells the JUnit report which cases are boundary cases and which are marked xfail, so that
`guard` can read both from the report alone. It never knows whether the patch is on.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

BOUNDARY = "boundary"
PROPERTY = "patchtool"


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known, so that `--strict-markers` holds."""
    config.addinivalue_line(
        "markers", f"{BOUNDARY}: documents what no rule can recover; decides nothing"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Write each case's marks into its JUnit properties."""
    for item in items:
        for mark in (BOUNDARY, "xfail"):
            if item.get_closest_marker(mark) is not None:
                item.user_properties.append((PROPERTY, mark))


@pytest.fixture(scope="session")
def stack() -> Path:
    """The directory of the stack under test, from PATCHTOOL_STACK."""
    directory = os.environ.get("PATCHTOOL_STACK")
    if not directory:
        pytest.fail("PATCHTOOL_STACK is not set; try: patchtool guard", pytrace=False)
    return Path(directory)


@pytest.fixture(scope="session")
def stack_python(stack: Path) -> list[str]:
    """The start of a command that runs a Python script in a stack of Python packages.

    Append the script and its arguments. It imports the stack's packages and none of pytest's.
    """
    from patchtool.ecosystems.pypi.interpreter import command

    return command(stack)
