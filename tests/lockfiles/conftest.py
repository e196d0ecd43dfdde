"""The lockfiles in cases/: each was written by its own tool for the same small app.

The app asks for a release, an older one under another package's name, a fork in git that has a
release's name and version, an archive at an address, a directory, a link, and a member of its
workspace. Only the names of the hosts were changed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool.lockfiles import Resolved, Source, resolved

CASES = Path(__file__).parent / "cases"

# The integrity of @ai-sdk/provider-utils 5.0.11, which every npm app here asks for.
UTILS = (
    "sha512-7/96wE+ZsKB35iS9ASyllrE4Ym/EolXEB7AkuJ5FI++"
    "fmS85BVTAs77890C+1Z2jwHfBKjBQSBmsliOsAh0iFQ=="
)

Copies = Callable[[str, str], list[tuple[str, Source]]]


@pytest.fixture
def npm() -> Copies:
    """The version and source of every copy of an npm package in a case, in no order."""
    return lambda case, name: _pairs(resolved(CASES / case, "npm", name))


@pytest.fixture
def pypi() -> Copies:
    """The same for a Python package."""
    return lambda case, name: _pairs(resolved(CASES / case, "pypi", name))


def _pairs(copies: tuple[Resolved, ...]) -> list[tuple[str, Source]]:
    return sorted(((copy.version, copy.source) for copy in copies), key=str)
