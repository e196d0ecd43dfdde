"""`patchtool apply`, as it is run at every install: all or nothing, and never a store's bytes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app_making import App, write
from patch_making import file
from patchtool.files import Mode

from .conftest import FILES, NEW, OLD, Patchtool

INDEX = "dist/index.js"


def contents(app: App) -> dict[str, str]:
    """What stands in each package's patched file."""
    return {
        name: (app.root / "node_modules" / name / INDEX).read_text().strip()
        for name in ("a", "@s/b", "c")
    }


def test_fresh_install_is_patched(app: App, patchtool: Patchtool) -> None:
    """Every package gets its patch; each is named with its file, and nothing else is left."""
    before = app.state()
    ran = patchtool("apply")
    assert (ran.code, ran.err) == (0, "")
    assert set(contents(app).values()) == {"new"}
    assert app.state().keys() == before.keys()
    for name in ("a", "@s/b", "c"):
        assert f"{name}@1.0.0: now patched: {INDEX}" in ran.out


def test_again_says_so_and_changes_nothing(app: App, patchtool: Patchtool) -> None:
    """A second run writes no byte and touches no time or inode, of files and directories."""
    patchtool("apply")
    before = app.state()
    ran = patchtool("apply")
    assert ran.code == 0
    assert ran.out.count("already patched") == 3
    assert app.state() == before


def test_modes_are_kept(app: App, patchtool: Patchtool) -> None:
    """A file that was executable, or closed to others, still is."""
    path = app.root / "node_modules/a" / INDEX
    path.chmod(0o640)
    patchtool("apply")
    assert path.stat().st_mode & 0o777 == 0o640


def test_one_edited_file_is_refused_and_nothing_written(app: App, patchtool: Patchtool) -> None:
    """The file, the ids it could have and the one it has, and a command that helps."""
    (app.root / "node_modules/c" / INDEX).write_text("edited\n")
    before = app.state()
    ran = patchtool("apply")
    assert ran.code == 1
    assert app.state() == before
    assert f"c+1.0.0.patch: node_modules/c/{INDEX}: " in ran.out
    for each in (OLD, NEW, file("edited\n")):
        assert each.identity.blob in ran.out
    assert "nothing was written" in ran.out
    install = f"rm -r {app.root}/node_modules/c && npm install --save-exact c@1.0.0"
    assert f"try: {install} && patchtool apply\n" in ran.out


def test_patch_of_another_pin_that_is_on_is_named(tmp_path: Path, patchtool: Patchtool) -> None:
    """Without a lock a patch goes on whatever it fits; with one it is told, and how to mend it."""
    app = App(tmp_path / "app")

    path = f"node_modules/a/{INDEX}"
    hunk = f"--- a/{path}\n+++ b/{path}\n@@ -1,4 +1,4 @@\n-old\n+new\n 2\n 3\n 4\n"
    releases = {f"a@1.{n}.0": {INDEX: file(f"old\n2\n3\n4\n{n}\n")} for n in range(2)}
    app.install("a", "1.1.0", releases["a@1.1.0"])
    (app.patches / "a+1.0.0.patch").write_text(hunk)
    assert patchtool("apply").code == 0
    (app.patches / "a+1.1.0.patch").write_text(hunk.replace("+new", "+newer"))
    app.manifest(["pkg:npm/a@1.0.0"], ["pkg:npm/a@1.1.0"])
    app.lock(releases)
    ran = patchtool("apply")
    assert ran.code == 1
    assert ": a+1.0.0.patch is on it, which the lock has for another release (installed" in ran.out
    assert "npm install --save-exact a@1.1.0 && patchtool apply\n" in ran.out


def test_foreign_package_in_the_way_of_a_reverse(app: App, patchtool: Patchtool) -> None:
    """The command that helps ends with the one that was run."""
    (app.root / "node_modules/c" / INDEX).write_text("edited\n")
    ran = patchtool("apply", "--reverse")
    assert "npm install --save-exact c@1.0.0 && patchtool apply --reverse\n" in ran.out


def test_every_foreign_package_is_named(app: App, patchtool: Patchtool) -> None:
    """Two of three foreign: both are told at once, and the third stays pristine."""
    for name in ("a", "@s/b"):
        (app.root / "node_modules" / name / INDEX).write_text("edited\n")
    before = app.state()
    document = patchtool("apply", "--json").json
    assert [(each["kind"], each["subject"]) for each in document["problems"]] == [
        ("foreign", "@s+b+1.0.0.patch"),
        ("foreign", "a+1.0.0.patch"),
    ]
    assert app.state() == before


def test_partial_tree_is_finished(app: App, patchtool: Patchtool) -> None:
    """A package that a killed run has patched, and one that it has not: both end patched."""
    (app.root / "node_modules/a" / INDEX).write_bytes(NEW.data)
    ran = patchtool("apply")
    assert ran.code == 0
    assert set(contents(app).values()) == {"new"}
    assert "a@1.0.0: already patched" in ran.out


def test_partial_package_is_finished(tmp_path: Path, patchtool: Patchtool) -> None:
    """Of one patch's two files one is on: the other follows, as each is one of its contents."""
    app = App(tmp_path / "app")
    app.install("a", "1.0.0", {"x": NEW, "y": OLD})
    app.patch("a+1.0.0.patch", "a", {"x": (OLD, NEW), "y": (OLD, NEW)})
    app.manifest(["pkg:npm/a@1.0.0"])
    app.lock({"a@1.0.0": {"x": OLD, "y": OLD}})
    ran = patchtool("apply")
    assert (ran.code, ran.out) == (
        0,
        f"a@1.0.0: now patched from partial: y ({app.root}/node_modules/a)\n",
    )
    assert (app.root / "node_modules/a/y").read_bytes() == NEW.data


def test_store_keeps_its_bytes(app: App, patchtool: Patchtool, tmp_path: Path) -> None:
    """Installed files are often hard links into a store that other projects share."""
    store = tmp_path / "store"
    store.write_bytes(OLD.data)
    path = app.root / "node_modules/a" / INDEX
    path.unlink()
    path.hardlink_to(store)
    for arguments, content in (((), NEW), (("--reverse",), OLD)):
        assert patchtool("apply", *arguments).code == 0
        assert path.read_bytes() == content.data
        assert store.read_bytes() == OLD.data
        assert store.stat().st_nlink == 1


def test_pnpm_s_links_are_followed_to_the_copy(tmp_path: Path, patchtool: Patchtool) -> None:
    """node_modules/a is a link into node_modules/.pnpm: the real directory is patched, once."""
    app = App(tmp_path / "app")
    real = app.install("a", "1.0.0", FILES, within="node_modules/.pnpm/a@1.0.0")
    (app.root / "node_modules/a").symlink_to(real)
    app.patch("a+1.0.0.patch", "a", {INDEX: (OLD, NEW)})
    ran = patchtool("apply")
    assert (ran.code, ran.out.count("now patched")) == (0, 1)
    assert (real / INDEX).read_bytes() == NEW.data
    assert (app.root / "node_modules/a").is_symlink()


@pytest.mark.parametrize("is_locked", [True, False])
def test_linked_copy_is_named_and_left_alone(
    tmp_path: Path, patchtool: Patchtool, is_locked: bool
) -> None:
    """`npm link` beside a real copy: that is patched, and the report says which one is not."""
    app = App(tmp_path / "app")
    real = app.install("a", "1.0.0", FILES, within="node_modules/c")
    working = App(tmp_path / "elsewhere").install("a", "1.0.0", FILES)
    (app.root / "node_modules/a").symlink_to(working)
    app.patch("a+1.0.0.patch", "a", {INDEX: (OLD, NEW)})
    if is_locked:
        app.manifest(["pkg:npm/a@1.0.0"])
        app.lock({"a@1.0.0": FILES})
    ran = patchtool("apply")
    assert ran.code == 0
    why = "it is only linked, and outside of the project"
    assert f"a@1.0.0: left alone, as {why} ({working})\n" in ran.out
    assert f"a@1.0.0: now patched: {INDEX} ({real})\n" in ran.out
    assert ((real / INDEX).read_bytes(), (working / INDEX).read_bytes()) == (NEW.data, OLD.data)
    copies = {copy["directory"]: copy for copy in patchtool("apply", "--json").json["copies"]}
    assert (copies[str(working)]["left_alone"], copies[str(working)]["after"]) == (why, None)
    if is_locked:
        assert f"left alone  a@1.0.0  {working}\n" in patchtool("status").out


def test_reverse_takes_the_patches_off(app: App, patchtool: Patchtool) -> None:
    """Bytes and names are as before; a second --reverse says so and changes nothing."""
    before = {path: seen[:2] for path, seen in app.state().items()}
    patchtool("apply")
    ran = patchtool("apply", "--reverse")
    assert ran.code == 0
    assert ran.out.count("now pristine") == 3
    assert {path: seen[:2] for path, seen in app.state().items()} == before
    again = patchtool("apply", "--reverse")
    assert (again.code, again.out.count("already pristine")) == (0, 3)


@pytest.mark.parametrize("arguments", [[], ["--reverse"]])
def test_dry_run_tells_and_writes_nothing(
    app: App, patchtool: Patchtool, arguments: list[str]
) -> None:
    """What would be done, file by file, and the same exit code."""
    if arguments:
        patchtool("apply")
    before = app.state()
    ran = patchtool("apply", "--dry-run", *arguments)
    word = "pristine" if arguments else "patched"
    assert (ran.code, ran.out.count(f"would be {word}: {INDEX}")) == (0, 3)
    assert app.state() == before
    (app.root / "node_modules/c" / INDEX).write_text("edited\n")
    assert patchtool("apply", "--dry-run", *arguments).code == 1


def test_missing_package_is_an_error(app: App, patchtool: Patchtool) -> None:
    """What is pinned and not there is told with a command that installs it; nothing is written."""
    shutil.rmtree(app.root / "node_modules/c")
    before = app.state()
    ran = patchtool("apply")
    assert ran.code == 1
    assert "c: " in ran.out
    assert "is not installed" in ran.out
    assert "try: npm install --save-exact c@1.0.0 && patchtool apply" in ran.out
    assert app.state() == before


def test_dev_patch_may_be_missing(tmp_path: Path, patchtool: Patchtool) -> None:
    """A .dev.patch says itself that the package may not be there; if it is, it is patched."""
    app = App(tmp_path / "app")
    app.patch("a+1.0.0.dev.patch", "a", {INDEX: (OLD, NEW)})
    ran = patchtool("apply")
    assert (ran.code, ran.out) == (
        0,
        "a@1.0.0: not installed: its patch is for development alone\n",
    )
    app.install("a", "1.0.0", FILES)
    assert "now patched" in patchtool("apply").out


@pytest.mark.parametrize(("mode", "code"), [("production", 0), ("development", 1)])
def test_development_dependency_may_be_missing_in_production(
    app: App, patchtool: Patchtool, monkeypatch: pytest.MonkeyPatch, mode: str, code: int
) -> None:
    """An install that leaves out devDependencies is whole without them; another is not."""
    shutil.rmtree(app.root / "node_modules/c")
    (app.root / "package.json").write_text(json.dumps({"devDependencies": {"c": "1.0.0"}}))
    monkeypatch.setenv("NODE_ENV", mode)
    ran = patchtool("apply")
    assert ran.code == code
    assert ("c@1.0.0: not installed: it is a development dependency" in ran.out) == (code == 0)


def test_named_fixes_are_applied_and_no_others(app: App, patchtool: Patchtool) -> None:
    """Only the packages of the fixes that are named are patched, or looked for."""
    shutil.rmtree(app.root / "node_modules/a")
    ran = patchtool("apply", "fix-2")
    assert (ran.code, ran.err) == (0, "")
    assert "now patched" in ran.out
    assert "a@1.0.0" not in ran.out
    assert {(app.root / "node_modules" / name / INDEX).read_text() for name in ("@s/b", "c")} == {
        "new\n"
    }


def test_fix_that_is_none_is_wrong_usage(app: App, patchtool: Patchtool) -> None:
    """A name that no fix has, or one where there is no manifest, is told with what there is."""
    before = app.state()
    ran = patchtool("apply", "fix-9")
    assert (ran.code, ran.out) == (2, "")
    assert "fix-9" in ran.err
    assert "fix-1" in ran.err
    (app.patches / "patches.toml").unlink()
    assert patchtool("apply", "fix-1").code == 2
    assert app.state() == {
        path: kept for path, kept in before.items() if path != "patches/patches.toml"
    }


@pytest.mark.parametrize("variables", [{}, {"CI": "true"}, {"NODE_ENV": "production"}])
def test_patches_directory_that_is_not_there_is_wrong_usage(
    app: App, patchtool: Patchtool, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    """Named or not, in CI or not: an install must not pass because there was nothing to apply."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ran = patchtool("apply", "--patches", app.root / "no-such")
    assert (ran.code, ran.out) == (2, "")
    assert str(app.root / "no-such") in ran.err
    shutil.rmtree(app.patches)
    assert patchtool("apply").code == 2


def test_patches_directory_without_patches_is_wrong_usage(
    tmp_path: Path, patchtool: Patchtool
) -> None:
    """An empty directory patches nothing, which nobody asks for."""
    App(tmp_path / "app")
    assert patchtool("apply").code == 2


@pytest.mark.parametrize("state", ["old\n", "new\n"])
def test_lock_that_lost_a_file_by_hand_is_not_believed(
    tmp_path: Path, patchtool: Patchtool, state: str
) -> None:
    """Else the file that is not in it would count as patched; status says so, too."""
    app = App(tmp_path / "app")
    files = {"i.js": file("old\n"), "j.js": file("old\n")}
    app.install("a", "1.0.0", {"i.js": file(state), "j.js": file("old\n")})
    app.patch("a+1.0.0.patch", "a", {name: (old, file("new\n")) for name, old in files.items()})
    app.manifest(["pkg:npm/a@1.0.0"])
    app.lock({"a@1.0.0": files})
    lock = app.patches / "patches.lock"
    told = json.loads(lock.read_text())
    del told["packages"]["pkg:npm/a@1.0.0"]["patches"]["a+1.0.0.patch"]["files"]["j.js"]
    lock.write_text(json.dumps(told))
    before = app.state()
    for arguments in (["apply"], ["apply", "fix-1"], ["apply", "--reverse"]):
        ran = patchtool(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "patches.lock: changed by hand, or by a merge\n  try: patchtool lock" in ran.err
    ran = patchtool("status")
    assert ran.code == 1
    assert "patches.lock: changed by hand, or by a merge" in ran.out
    assert app.state() == before


@pytest.mark.parametrize("text", ["", "not a patch\n", "\ufeff".encode("utf-16").decode("latin-1")])
def test_broken_patch_is_no_reason_to_install_anew(
    app: App, patchtool: Patchtool, text: str
) -> None:
    """What is wrong with the patch file itself is told of that file, with a command about it."""
    (app.patches / "patches.toml").unlink()
    (app.patches / "patches.lock").unlink()
    (app.patches / "a+1.0.0.patch").write_text(text)
    ran = patchtool("apply")
    assert ran.code == 1
    (line,) = (line for line in ran.out.splitlines() if line.startswith("a+1.0.0.patch: "))
    assert "node_modules" not in line
    assert f"try: head -n 10 {app.patches}/a+1.0.0.patch | tail\n" in ran.out


def test_bare_directory_works_as_for_patch_package(app: App, patchtool: Patchtool) -> None:
    """Without a manifest and a lock the same patches go on, again, and off."""
    (app.patches / "patches.toml").unlink()
    (app.patches / "patches.lock").unlink()
    assert patchtool("apply").code == 0
    assert set(contents(app).values()) == {"new"}
    before = app.state()
    assert patchtool("apply").out.count("already patched") == 3
    assert app.state() == before
    assert patchtool("apply", "--reverse").code == 0
    assert set(contents(app).values()) == {"old"}


def test_bare_directory_refuses_what_does_not_fit(app: App, patchtool: Patchtool) -> None:
    """A foreign file is refused by the engine, and nothing is written."""
    (app.patches / "patches.toml").unlink()
    (app.patches / "patches.lock").unlink()
    (app.root / "node_modules/c" / INDEX).write_text("edited\n")
    before = app.state()
    ran = patchtool("apply")
    assert ran.code == 1
    assert f"c+1.0.0.patch: node_modules/c/{INDEX}: " in ran.out
    assert app.state() == before


def test_patch_with_other_line_ends_gets_a_command_that_mends_it(
    tmp_path: Path, patchtool: Patchtool
) -> None:
    """Where the patch file's line ends are the trouble, the command that is told mends it."""
    app = App(tmp_path / "app")
    app.install("a", "1.0.0", {"main.js": file("1\nold\n3\n")})
    patch = app.patch("a+1.0.0.patch", "a", {"main.js": (file("1\nold\n3\n"), file("1\nnew\n3\n"))})
    text = patch.read_bytes()
    patch.write_bytes(text.replace(b"\n", b"\r\n"))
    ran = patchtool("apply")
    assert (ran.code, "the patch file has CRLF endings" in ran.out) == (1, True)
    (told,) = (line for line in ran.out.splitlines() if "try: " in line)
    subprocess.run(told.partition("try: ")[2], shell=True, check=True)  # noqa: S602
    assert patch.read_bytes() == text
    assert patchtool("apply").code == 0


def test_what_is_wrong_with_a_patch_is_told_once(tmp_path: Path, patchtool: Patchtool) -> None:
    """It is no other trouble for each copy that it would go on."""
    app = App(tmp_path / "app")
    app.install("a", "1.0.0", {"main.js": OLD})
    app.install("a", "1.0.0", {"main.js": OLD}, within="node_modules/b")
    patch = app.patch("a+1.0.0.patch", "a", {"main.js": (OLD, NEW)})
    patch.write_bytes(patch.read_bytes()[:-4])
    ran = patchtool("apply")
    assert (ran.code, ran.out.count("a+1.0.0.patch: ")) == (1, 1)


def test_another_version_with_the_same_files_is_fine_and_told(
    app: App, patchtool: Patchtool
) -> None:
    """Content decides: 1.0.1 did not change the touched file."""
    app.install("a", "1.0.1", FILES)
    ran = patchtool("apply")
    assert ran.code == 0
    assert "a@1.0.0: now patched: dist/index.js, although the version is 1.0.1" in ran.out


def test_another_version_is_not_said_to_be_the_same_where_only_the_patch_fits(
    tmp_path: Path, patchtool: Patchtool
) -> None:
    """Without a lock nobody knows the pinned file: that the patch fits is all that is known."""
    app = App(tmp_path / "app")
    app.install("a", "2.0.0", {"main.js": file("1\nold\n3\nmore\n")})
    hunk = "--- a/node_modules/a/main.js\n+++ b/node_modules/a/main.js\n"
    hunk += "@@ -1,3 +1,3 @@\n 1\n-old\n+new\n 3\n"
    app.patches.mkdir(exist_ok=True)
    (app.patches / "a+1.0.0.patch").write_text(hunk)
    ran = patchtool("apply")
    assert ran.code == 0
    assert "main.js, although the version is 2.0.0: the patch fits it, too (" in ran.out


def test_no_npm_package_is_named_for_the_patch_of_a_python_package(
    app: App, patchtool: Patchtool
) -> None:
    """There may be one of its name, by somebody else: it needs a manifest, and that is told."""
    for path in app.patches.iterdir():
        path.unlink()
    (app.patches / "idna+3.10.patch").write_text(
        "--- a/idna/core.py\n+++ b/idna/core.py\n@@ -1 +1 @@\n-old\n+new\n"
    )
    ran = patchtool("apply")
    assert (ran.code, "npm" in ran.out) == (1, False)
    assert "idna: is not installed" in ran.out
    assert "try: patchtool status\n" in ran.out
    assert "pkg:pypi/idna@3.10" in patchtool("status").err


def test_another_version_with_other_files_is_refused(app: App, patchtool: Patchtool) -> None:
    """Both versions are named, and the command that judges what is installed, for each fix."""
    app.install("a", "2.0.0", {INDEX: file("rewritten\n")})
    ran = patchtool("apply")
    assert ran.code == 1
    assert "installed is 2.0.0, pinned 1.0.0" in ran.out
    assert "try: patchtool should-delete\n" in ran.out


def test_pinned_version_with_other_bytes_is_refused(app: App, patchtool: Patchtool) -> None:
    """A git fork under the pinned version is not the pinned release."""
    app.install("a", "1.0.0", {INDEX: file("fork\n")})
    ran = patchtool("apply")
    assert (ran.code, "is neither pristine nor patched" in ran.out) == (1, True)


def sequence(tmp_path: Path, *, bare: bool) -> App:
    """Three patches of one file."""
    app = App(tmp_path / "app")
    versions = [file(f"{number}\n") for number in range(4)]
    for number in (1, 2, 3):
        edits = {"x": (versions[number - 1], versions[number])}
        app.patch(f"a+1.0.0+00{number}+what.patch", "a", edits)
    if not bare:
        app.manifest(["pkg:npm/a@1.0.0"])
        app.lock({"a@1.0.0": {"x": versions[0]}})
    return app


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("level", range(4))
def test_sequence_goes_on_from_wherever_it_stands(
    tmp_path: Path, patchtool: Patchtool, level: int, bare: bool
) -> None:
    """None, one, two or all of three patches are on: the rest goes on, and all come off."""
    app = sequence(tmp_path, bare=bare)
    directory = app.install("a", "1.0.0", {"x": file(f"{level}\n")})
    assert patchtool("apply").code == 0
    assert (directory / "x").read_text() == "3\n"
    write(directory, {"x": file(f"{level}\n")})
    assert patchtool("apply", "--reverse").code == 0
    assert (directory / "x").read_text() == "0\n"


def test_files_are_made_and_deleted(tmp_path: Path, patchtool: Patchtool) -> None:
    """What a patch makes is there, what it deletes is gone, both ways."""
    app = App(tmp_path / "app")
    run = file("#!/bin/sh\n", Mode.EXECUTABLE)
    directory = app.install("a", "1.0.0", {"gone/x": OLD})
    app.patch("a+1.0.0.patch", "a", {"gone/x": (OLD, None), "bin/run": (None, run)})
    app.manifest(["pkg:npm/a@1.0.0"])
    app.lock({"a@1.0.0": {"gone/x": OLD}})
    assert patchtool("apply").code == 0
    assert not (directory / "gone").exists()
    assert os.access(directory / "bin/run", os.X_OK)
    assert patchtool("apply", "--reverse").code == 0
    assert (directory / "gone/x").read_bytes() == OLD.data
    assert not (directory / "bin").exists()


def test_every_copy_of_a_package_is_patched(app: App, patchtool: Patchtool) -> None:
    """A nested copy of the pinned bytes as well; one of another release is refused with all."""
    nested = app.install("a", "1.0.0", FILES, within="node_modules/c")
    assert patchtool("apply").code == 0
    assert (nested / INDEX).read_bytes() == NEW.data
    app.install("a", "0.9.0", {INDEX: file("older\n")}, within="node_modules/@s/b")
    before = app.state()
    ran = patchtool("apply", "--reverse")
    assert ran.code == 1
    assert f"node_modules/@s/b/node_modules/a/{INDEX}" in ran.out
    assert app.state() == before


def test_patch_that_changed_since_the_lock_is_refused(app: App, patchtool: Patchtool) -> None:
    """The patch file is part of what is locked; the command that locks it anew is named."""
    path = app.patches / "a+1.0.0.patch"
    path.write_bytes(b"More words\n" + path.read_bytes())
    before = app.state()
    ran = patchtool("apply")
    assert ran.code == 1
    assert "a+1.0.0.patch: " in ran.out
    assert "try: patchtool lock" in ran.out
    assert app.state() == before


@pytest.mark.parametrize("name", ["patches.toml", "patches.lock"])
def test_manifest_without_its_lock_is_wrong_usage(
    app: App, patchtool: Patchtool, name: str
) -> None:
    """A manifest that changed, or has no lock: `apply` does not guess what is meant."""
    if name == "patches.lock":
        (app.patches / name).unlink()
    else:
        with (app.patches / name).open("a") as manifest:
            manifest.write("# changed\n")
    before = app.state()
    ran = patchtool("apply")
    assert (ran.code, ran.out) == (2, "")
    assert name in ran.err
    assert "try: patchtool lock" in ran.err
    assert app.state() == before


def test_inside_another_git_repository_files_are_patched(app: App, patchtool: Patchtool) -> None:
    """An app that an outer repository ignores is patched all the same, from its own directory."""
    outer = app.root.parent
    subprocess.run(["git", "init", "-q", outer], check=True)
    (outer / ".gitignore").write_text("*\n")
    script = "import sys; from patchtool.cli import main; sys.exit(main(['apply']))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=app.root, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(contents(app).values()) == {"new"}
    assert patchtool("apply").out.count("already patched") == 3


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """A user who may not write where it is forbidden, which root may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_app(app: App) -> Iterator[App]:
    """The app where another user can reach it."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        shutil.copytree(app.root, f"{directory}/app")
        moved = App.__new__(App)
        moved.root = Path(directory, "app")
        moved.patches = moved.root / "patches"
        yield moved


@pytest.mark.parametrize("closed", ["app", "app/node_modules/c/dist"])
def test_without_permission_to_write_nothing_is_changed(
    open_app: App, patchtool: Patchtool, closed: str
) -> None:
    """The project, or one package of three, is read-only: told with the path, all as it was."""
    patchtool("apply", "--dry-run", root=open_app.root)
    directories = [open_app.root, *(p for p in open_app.root.rglob("*") if p.is_dir())]
    for directory in directories:
        directory.chmod(0o777)
    shut = open_app.root.parent / closed
    shut.chmod(0o555)
    before = open_app.state()
    with nobody():
        ran = patchtool("apply", root=open_app.root)
    assert (ran.code, ran.out) == (3, "")
    assert "Permission denied" in ran.err
    assert str(shut) in ran.err or "node_modules/c/dist" in ran.err
    assert open_app.state() == before


def test_patched_already_needs_no_permission_to_write(open_app: App, patchtool: Patchtool) -> None:
    """A read-only image that was patched when it was built passes."""
    patchtool("apply", root=open_app.root)
    for directory in [open_app.root, *(p for p in open_app.root.rglob("*") if p.is_dir())]:
        directory.chmod(0o555)
    with nobody():
        ran = patchtool("apply", root=open_app.root)
    assert (ran.code, ran.out.count("already patched")) == (0, 3)
    for directory in [open_app.root, *(p for p in open_app.root.rglob("*") if p.is_dir())]:
        directory.chmod(0o755)


def test_json_tells_every_copy(app: App, patchtool: Patchtool) -> None:
    """State before and after, files and directory of each, and the answer."""
    app.install("a", "1.0.1", FILES)
    document = patchtool("apply", "--json").json
    assert document["answer"] == "yes"
    assert document["problems"] == []
    one = next(each for each in document["copies"] if each["package"] == "a@1.0.0")
    assert one == {
        "package": "a@1.0.0",
        "patches": ["a+1.0.0.patch"],
        "directory": str(app.root / "node_modules/a"),
        "version": "1.0.1",
        "before": "pristine",
        "after": "patched",
        "files": [INDEX],
        "absent": None,
        "left_alone": None,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["--file", "x.patch"],
        ["--into", "."],
        ["--strip", "1"],
        ["--allow-offset"],
        ["--no-such-option"],
        ["fix-1", "--file", "x.patch", "--into", "."],
    ],
)
def test_wrong_usage_is_told(app: App, patchtool: Patchtool, arguments: list[str]) -> None:
    """Options that need each other, and unknown ones: exit 2, a way to help, nothing written."""
    before = app.state()
    ran = patchtool("apply", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "try: patchtool apply --help" in ran.err
    assert app.state() == before


def test_one_file_goes_into_any_directory(app: App, patchtool: Patchtool) -> None:
    """--file and --into need no project, and say what was done in the engine's words."""
    target = app.root / "node_modules/a"
    patch = app.patches / "a+1.0.0.patch"
    arguments = ("--file", patch, "--into", target, "--strip", "3")
    ran = patchtool("apply", *arguments)
    assert (ran.code, ran.out) == (0, f"applied: {INDEX}\n")
    assert patchtool("apply", *arguments, "--json").json["state"] == "already-applied"
    assert patchtool("apply", *arguments, "--reverse").out == f"reversed: {INDEX}\n"
    (target / INDEX).write_text("edited\n")
    ran = patchtool("apply", *arguments, "--json")
    assert (ran.code, ran.json["error"]["kind"], ran.json["error"]["path"]) == (
        1,
        "no-match",
        INDEX,
    )


def test_copies_left_alone_are_told_and_keep_their_bytes(app: App, patchtool: Patchtool) -> None:
    """What the pin allows is said by apply and status, both ways, and is no problem."""
    app.manifest(
        ["pkg:npm/a@1.0.0"],
        ["pkg:npm/%40s/b@1.0.0", "pkg:npm/c@1.0.0"],
        pin='leave-alone = ["2.0.0"]\n',
    )
    app.lock(dict.fromkeys(["a@1.0.0", "@s/b@1.0.0", "c@1.0.0"], FILES))
    nested = app.install("a", "2.0.0", {INDEX: file("rewritten\n")}, within="node_modules/c")
    told = f"a@1.0.0: left alone, as the pin allows that for version 2.0.0 ({nested})\n"
    for arguments in ([], ["--reverse"], []):
        ran = patchtool("apply", *arguments)
        assert (ran.code, told in ran.out) == (0, True)
        assert (nested / INDEX).read_text() == "rewritten\n"
    ran = patchtool("status")
    assert (ran.code, f"left alone  a@1.0.0 (installed is 2.0.0)  {nested}" in ran.out) == (0, True)
    app.install("a", "3.0.0", {INDEX: file("rewritten\n")}, within="node_modules/@s/b")
    ran = patchtool("apply")
    assert (ran.code, 'its pin may say leave-alone = ["3.0.0"]' in ran.out) == (1, True)


def test_bare_directory_leaves_other_versions_alone(app: App, patchtool: Patchtool) -> None:
    """patch-package's users have nested copies of other versions: one line says so."""
    (app.patches / "patches.toml").unlink()
    (app.patches / "patches.lock").unlink()
    nested = app.install("a", "2.0.0", {INDEX: file("rewritten\n")}, within="node_modules/c")
    ran = patchtool("apply")
    assert ran.code == 0
    assert f"a@1.0.0: left alone, as the patch does not fit version 2.0.0 ({nested})" in ran.out
    assert set(contents(app).values()) == {"new"}


@pytest.mark.parametrize("is_bare", [True, False])
def test_sequences_of_nested_and_development_patches(
    tmp_path: Path, patchtool: Patchtool, is_bare: bool
) -> None:
    """Two patches of the b inside a, two of the b beside it: each copy has its own, in order."""
    app = App(tmp_path / "app")
    texts = [file(f"{number}\n") for number in range(3)]
    for name, path, edits in (
        ("b+1.0.0+001+x", "b", (texts[0], OLD)),
        ("b+1.0.0+002+y", "b", (OLD, NEW)),
        ("a++b+1.0.0+001+x.dev", "a/node_modules/b", (texts[0], texts[1])),
        ("a++b+1.0.0+002+y.dev", "a/node_modules/b", (texts[1], texts[2])),
    ):
        app.patch(f"{name}.patch", path, {"x": edits})
    if not is_bare:
        app.manifest(["pkg:npm/b@1.0.0"])
        app.lock({"b@1.0.0": {"x": texts[0]}})
    beside = app.install("b", "1.0.0", {"x": texts[0]})
    inside = app.install("b", "1.0.0", {"x": texts[1]}, within="node_modules/a")
    for arguments, first, second in (([], NEW, texts[2]), (["--reverse"], texts[0], texts[0])):
        ran = patchtool("apply", *arguments)
        assert ran.code == 0, ran.out
        assert ((beside / "x").read_bytes(), (inside / "x").read_bytes()) == (
            first.data,
            second.data,
        )
    assert "b@1.0.0: now pristine: x" in ran.out
