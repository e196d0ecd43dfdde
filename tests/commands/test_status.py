"""`patchtool status`: one screen of what is pinned, installed and patched; no network."""

from __future__ import annotations

import shutil
import threading

import pytest

from app_making import App
from patch_making import file
from patchtool.tree import exclusive

from .conftest import FILES, NEW, Patchtool

INDEX = "dist/index.js"


def test_patched_install_is_a_yes(app: App, patchtool: Patchtool) -> None:
    """Each fix with its reason, its pins and what is installed of them."""
    patchtool("apply")
    before = app.state()
    ran = patchtool("status")
    assert (ran.code, ran.err) == (0, "")
    for words in (
        "fix-1: summary 1",
        "goes when upstream has it",
        "pinned to @s/b@1.0.0, c@1.0.0",
        f"patched  a@1.0.0  {app.root}/node_modules/a",
    ):
        assert words in ran.out
    assert app.state() == before


def test_nothing_is_told_by_a_lock_that_was_changed_by_hand(app: App, patchtool: Patchtool) -> None:
    """What it says of the files may be what was changed: the lock is all that is told."""
    patchtool("apply")
    lock = app.patches / "patches.lock"
    lock.write_text(lock.read_text().replace('"guards": {}', '"guards": { }'))
    document = patchtool("status", "--json").json
    assert [fix["copies"] for fix in document["fixes"]] == [[], []]
    assert [each["message"] for each in document["problems"]] == ["changed by hand, or by a merge"]


def test_install_without_scripts_is_a_no(app: App, patchtool: Patchtool) -> None:
    """Pristine packages: `apply` did not run, and is what to run."""
    ran = patchtool("status")
    assert ran.code == 1
    assert ran.out.count("  pristine  ") == 3
    assert "a+1.0.0.patch: not on what is installed\n  try: patchtool apply\n" in ran.out
    (app.root / "node_modules/c" / INDEX).write_bytes(NEW.data)
    assert "@s+b+1.0.0.patch: not on what is installed" in patchtool("status", "fix-2").out


@pytest.mark.parametrize(
    ("text", "state", "kind"), [("edited\n", "foreign", "foreign"), (None, None, "missing")]
)
def test_what_is_not_as_it_should_be_is_a_problem(
    app: App, patchtool: Patchtool, text: str | None, state: str | None, kind: str
) -> None:
    """Foreign or missing: exit 1, in the row and as a problem with a command."""
    patchtool("apply")
    if text is None:
        shutil.rmtree(app.root / "node_modules/a")
    else:
        (app.root / "node_modules/a" / INDEX).write_text(text)
    document = patchtool("status", "--json").json
    assert document["answer"] == "no"
    (copy,) = document["fixes"][0]["copies"]
    assert copy["before"] == state
    (problem,) = document["problems"]
    assert problem["kind"] == kind
    assert "npm install --save-exact a@1.0.0 && patchtool apply" in problem["try"]


def test_one_fix_at_a_time(app: App, patchtool: Patchtool) -> None:
    """What another fix is pinned to is not looked at."""
    patchtool("apply")
    (app.root / "node_modules/a" / INDEX).write_text("edited\n")
    ran = patchtool("status", "fix-2")
    assert (ran.code, "a@1.0.0" in ran.out) == (0, False)
    assert patchtool("status", "fix-1").code == 1
    assert patchtool("status", "fix-3").code == 2


def test_another_version_is_named(app: App, patchtool: Patchtool) -> None:
    """A copy of another version with the pinned bytes is told as what it is."""
    app.install("a", "1.0.1", FILES)
    patchtool("apply")
    ran = patchtool("status")
    assert (ran.code, "1.0.1" in ran.out) == (0, True)


def test_stale_lock_is_a_no(app: App, patchtool: Patchtool) -> None:
    """A patch that changed, or no lock at all: nothing is believed of what is installed."""
    patchtool("apply")
    app.patch("a+1.0.0.patch", "a", {INDEX: (file("old\n"), file("newer\n"))})
    ran = patchtool("status")
    assert (ran.code, "a+1.0.0.patch: changed since the lock" in ran.out) == (1, True)
    (app.patches / "patches.lock").unlink()
    ran = patchtool("status")
    assert (ran.code, "try: patchtool lock" in ran.out) == (1, True)


def test_bare_directory_is_told_how_to_start_a_manifest(app: App, patchtool: Patchtool) -> None:
    """A patch-package user asks: the command that writes the first manifest is one that works."""
    (app.patches / "patches.toml").unlink()
    ran = patchtool("status")
    assert (ran.code, ran.out) == (2, "")
    assert "patches.toml: no manifest" in ran.err
    assert "try: cat > " in ran.err


@pytest.mark.parametrize("words", [("status",), ("apply", "--dry-run")])
def test_looking_waits_for_a_run_that_is_at_work(
    app: App, patchtool: Patchtool, words: tuple[str, ...]
) -> None:
    """Between two files of another run's the tree is partial: nobody is shown that."""
    ended = threading.Event()

    def look() -> None:
        patchtool(*words)
        ended.set()

    looking = threading.Thread(target=look)
    with exclusive(app.root):
        looking.start()
        assert not ended.wait(0.3)
    looking.join(timeout=60)
    assert ended.is_set()
