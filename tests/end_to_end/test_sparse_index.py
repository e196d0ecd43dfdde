"""A whole fix project on the real packages: what each command says of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import SPARSE, RealApp

pytestmark = pytest.mark.network

# Counts the guard's runs: pytest loads it once in each.
CONFTEST = """\
from pathlib import Path

with Path(__file__).parents[1].joinpath("runs").open("a") as runs:
    runs.write("x")
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for these tests alone, so that the real packages are fetched."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def project(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> RealApp:
    """A copy of the project, whose guard counts its runs."""
    monkeypatch.setenv("PATCHTOOL_CACHE", str(cache))
    root = tmp_path / "project"
    shutil.copytree(SPARSE, root, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (root / "guard/conftest.py").write_text(CONFTEST)
    return RealApp(root)


def runs(project: RealApp) -> int:
    """How often the guard was run."""
    path = project.root / "runs"
    return len(path.read_text()) if path.exists() else 0


def test_check_pristine_names_the_pristine_blob(project: RealApp) -> None:
    """The pinned release's file is the recorded one, by its full id."""
    done = project.run("patchtool", "check-pristine")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "851fce41d6cd5e8afd14d28ffb07db90b19572c9" in done.stdout


def test_lock_is_as_it_is_kept(project: RealApp) -> None:
    """What is committed is what `patchtool lock` writes today."""
    done = project.run("patchtool", "lock")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "patches.lock: unchanged" in done.stdout


def test_upstream_s_fix_is_a_true_delete_and_the_release_before_it_a_keep(
    project: RealApp,
) -> None:
    """5.0.12 still crashes and the patch goes on; 5.0.21 does not crash. Then from the cache."""
    keep = project.run("patchtool", "should-delete", "--to", "5.0.12")
    assert (keep.returncode, keep.stdout[:4]) == (1, "KEEP"), keep.stdout + keep.stderr
    assert "still needed there (1):\n    test_sparse_index::test_index_2_before_1" in keep.stdout
    delete = project.run("patchtool", "should-delete", "--to", "5.0.21")
    assert (delete.returncode, delete.stdout[:6]) == (0, "DELETE"), delete.stdout + delete.stderr
    counted = runs(project)
    assert counted
    again = project.run("patchtool", "should-delete", "--to", "5.0.21")
    assert (again.returncode, again.stdout) == (0, delete.stdout)
    assert project.run("patchtool", "should-delete", "--to", "5.0.21", "--offline").returncode == 0
    assert runs(project) == counted


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("5.0.8", "there is no such release"),
        ("5.0.24", "no release depends on exactly @ai-sdk/provider-utils@5.0.24"),
    ],
)
def test_candidate_that_cannot_be_had_is_unsure(project: RealApp, version: str, words: str) -> None:
    """A number that was never published, and a release that no openai-compatible asks for."""
    done = project.run("patchtool", "should-delete", "--to", version)
    assert (done.returncode, done.stdout[:6]) == (3, "UNSURE"), done.stdout + done.stderr
    assert words in done.stdout
