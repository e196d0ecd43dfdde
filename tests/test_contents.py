"""What a place holds, as hashes: links followed, and every change seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool.contents import contents


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A guard's folder with a link to a directory and a file beside it."""
    root = tmp_path / "root"
    (root / "guard/deep").mkdir(parents=True)
    (root / "guard/deep/a").write_text("a")
    (root / "shared/more").mkdir(parents=True)
    (root / "shared/more/b").write_text("b")
    (root / "other").mkdir()
    (root / "guard/shared").symlink_to("../shared")
    return root


def test_each_file_stands_there_once_by_its_real_path(root: Path) -> None:
    """Directories say where they are; what is not below the place or linked is not there."""
    assert sorted(contents([root / "guard"], root)) == [
        *("guard", "guard/deep", "guard/deep/a", "guard/shared"),
        *("shared", "shared/more", "shared/more/b"),
    ]
    assert list(contents([root / "guard/deep/a"], root)) == ["guard/deep/a"]
    assert contents([root / "nowhere"], root) == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "guard/deep/a").write_text("c"),
        lambda root: (root / "guard/deep/c").write_text("a"),
        lambda root: (root / "guard/deep/a").unlink(),
        lambda root: (root / "shared/more/b").write_text("c"),
        lambda root: (root / "guard/empty").mkdir(),
        lambda root: (root / "guard/shared").rename(root / "guard/more"),
    ],
)
def test_every_change_is_seen(root: Path, change: Callable[[Path], object]) -> None:
    """A file changed, new or gone, also behind a link; a directory; a link of another name."""
    before = contents([root / "guard"], root)
    change(root)
    assert contents([root / "guard"], root) != before


def test_a_link_that_leads_elsewhere_is_seen(root: Path) -> None:
    """Also where all that is in reach stays the same."""
    (root / "guard/other").symlink_to("../other")
    (root / "guard/third").symlink_to("../shared")
    before = contents([root / "guard"], root)
    (root / "guard/third").unlink()
    (root / "guard/third").symlink_to("../other")
    assert contents([root / "guard"], root) != before


def test_links_in_a_circle_have_an_end(root: Path) -> None:
    """A link to a directory above, to itself, or two that lead to each other."""
    (root / "guard/deep/up").symlink_to("..")
    (root / "guard/self").symlink_to("self")
    (root / "shared/back").symlink_to("../guard")
    found = contents([root / "guard"], root)
    assert found["guard/deep/up"] == found["shared/back"] == "is guard"
    assert len(found) == 9


def test_many_links_are_no_more_work_than_what_they_lead_to(root: Path) -> None:
    """Thirty directories with two links each to the next: 2**30 ways to the last."""
    for number in range(30):
        (root / f"guard/{number}").mkdir()
        for name in "ab":
            (root / f"guard/{number}/{name}").symlink_to(f"../{number + 1}")
    assert len(contents([root / "guard/0"], root)) == 30 + 2 * 29


def test_where_the_root_is_makes_no_difference(root: Path, tmp_path: Path) -> None:
    """The same files elsewhere, or reached through a link, are the same contents."""
    before = contents([root / "guard"], root)
    (tmp_path / "link").symlink_to("root")
    assert contents([tmp_path / "link/guard"], tmp_path / "link") == before
    root.rename(tmp_path / "moved")
    assert contents([tmp_path / "moved/guard"], tmp_path / "moved") == before
