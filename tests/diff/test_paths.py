"""Names in a patch: what is stripped from them, and what is refused."""

from __future__ import annotations

import pytest

from patchtool.diff.paths import strip_components
from patchtool.errors import PatchError


@pytest.mark.parametrize(
    ("name", "count", "path"),
    [
        (b"a/d//f", 1, "d/f"),
        (b"a/d///e//f", 1, "d/e/f"),
        (b"d//f", 0, "d/f"),
        (b"d//f", 2, "f"),
        (b"a/.//d//f", 1, "d/f"),
    ],
)
def test_several_slashes_in_a_row(name: bytes, count: int, path: str) -> None:
    """As in git: each counts where components are stripped, and of the rest they are one."""
    assert strip_components(name, count, 1) == path


@pytest.mark.parametrize(
    ("name", "count", "what"),
    [
        (b"orig//f", 1, "every slash counts, strip 2"),
        (b"orig///d/f", 1, "every slash counts, strip 3"),
        (b"//f", 1, "is absolute"),
        (b"/orig//f", 1, "is absolute"),
        (b"a//../f", 2, "has .. in it"),
        (b"a/d//", 1, "has an empty component"),
        (b"a/.git//config", 1, "is inside .git"),
    ],
)
def test_slashes_hide_nothing(name: bytes, count: int, what: str) -> None:
    """A name that is cut in the middle of some is told apart from an absolute one."""
    with pytest.raises(PatchError) as caught:
        strip_components(name, count, 1)
    assert caught.value.problem.kind == "unsafe-path"
    assert what in caught.value.problem.what
