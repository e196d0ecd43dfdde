"""`patchtool lock`: what is recorded, that it is stable, and what it is not written for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from patchtool.files import blob_id

from .conftest import Patchtool
from .world import AFTER, BEFORE, PATCH, PATCH_NAME, Kept


def read(kept: Kept) -> dict[str, Any]:
    """The lock as it was written."""
    document: dict[str, Any] = json.loads((kept.patches / "patches.lock").read_bytes())
    return document


def test_lock_has_integrities_blobs_and_cases(kept: Kept, patchtool: Patchtool) -> None:
    """Each pinned release, each touched file before and after, each case by its kind."""
    ran = patchtool("lock")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{kept.patches}/patches.lock: written, 2 pinned packages\n"
    lock = read(kept)
    lead = lock["packages"]["pkg:npm/lead@1.0.0"]
    assert lead["integrity"].startswith("sha512-")
    assert lead["patches"][PATCH_NAME] == {
        "sha256": hashlib.sha256(PATCH.encode()).hexdigest(),
        "files": {
            "index.js": {
                "before": {"blob": blob_id(BEFORE.encode()), "mode": "100644"},
                "after": {"blob": blob_id(AFTER.encode()), "mode": "100644"},
            }
        },
    }
    assert lock["packages"]["pkg:npm/consumer@3.0.0"]["patches"] == {}
    assert lock["guards"]["fix-1"]["pkg:npm/lead@1.0.0"] == {
        "needed": ["is right"],
        "control": ["is there"],
        "boundary": [],
    }
    assert "127.0.0.1" not in json.dumps(lock)


def test_what_may_stay_unpatched_is_recorded_of_what_is_patched(
    kept: Kept, patchtool: Patchtool
) -> None:
    """A consumer without a patch has no copies that could be left alone."""
    manifest = kept.patches / "patches.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace("\npackages =", '\nleave-alone = ["0.1.0"]\npackages =', 1))
    assert patchtool("lock").code == 0
    packages = read(kept)["packages"]
    assert packages["pkg:npm/lead@1.0.0"]["leave-alone"] == ["0.1.0"]
    assert "leave-alone" not in packages["pkg:npm/consumer@3.0.0"]


def test_second_run_changes_nothing(kept: Kept, patchtool: Patchtool) -> None:
    """Byte for byte, and the file is not even written; no guard is run again."""
    patchtool("lock")
    path = kept.patches / "patches.lock"
    before, runs = (path.read_bytes(), path.stat().st_mtime_ns), kept.runs
    assert patchtool("lock").out == f"{path}: unchanged, 2 pinned packages\n"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert kept.runs == runs
    assert patchtool("lock", "--offline").code == 0


def test_broken_lock_is_written_anew(kept: Kept, patchtool: Patchtool) -> None:
    """An old lock is not believed in anything."""
    patchtool("lock")
    good = read(kept)
    (kept.patches / "patches.lock").write_text("<<<<<<< ours\n")
    assert patchtool("lock").code == 0
    assert read(kept) == good


@pytest.mark.parametrize(
    ("guard", "code", "words"),
    [
        ("write({'a': True})", 1, "no teeth"),
        ("write(cases | {'unmet': False})", 1, "unmet"),
        ("write(cases | {'worse': cell == 'pin without'})", 1, "harmful"),
        ("sys.exit(1)", 3, "wrote no JUnit report"),
        ("write({'a': None})", 3, "skipped"),
        ("write(cases | {'is there': number % 2 == 0})", 3, "two outcomes"),
    ],
)
def test_nothing_is_written_for_a_guard_without_teeth(
    kept: Kept, patchtool: Patchtool, guard: str, code: int, words: str
) -> None:
    """A guard that proves nothing on the pin is no baseline: the old lock stays as it is."""
    patchtool("lock")
    before = (kept.patches / "patches.lock").read_bytes()
    kept.guard(guard)
    ran = patchtool("lock")
    assert ran.code == code
    assert words in ran.out + ran.err
    assert "try: patchtool guard fix-1" in ran.out + ran.err
    assert (kept.patches / "patches.lock").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("// two", "// too", "index.js"),
        ("node_modules/lead/", "node_modules/other/", "outside of lead"),
        ("@@ -2,3", "@@ -1,3", "index.js"),
        (" // four\n", "", "inside a hunk"),
    ],
)
def test_nothing_is_written_for_a_patch_that_does_not_go_on(
    kept: Kept, patchtool: Patchtool, old: str, new: str, words: str
) -> None:
    """Other bytes, another package, another line, a short hunk: told with the patch's name."""
    path = kept.patches / PATCH_NAME
    path.write_text(path.read_text().replace(old, new))
    ran = patchtool("lock")
    assert ran.code == 1
    assert PATCH_NAME in ran.out
    assert words in ran.out
    assert not (kept.patches / "patches.lock").exists()


def test_nothing_is_written_for_a_patch_that_the_release_has_already(
    kept: Kept, patchtool: Patchtool
) -> None:
    """Its record would name no file, and no other command would take that lock."""
    head, _, _ = PATCH.partition("@@")
    hunk = "@@ -2,4 +2,4 @@\n // two\n-worse\n+module.exports = 'broken';\n // four\n // five\n"
    (kept.patches / PATCH_NAME).write_text(head + hunk)
    kept.manifest(["pkg:npm/lead@1.0.0"])
    ran = patchtool("lock")
    assert (ran.code, f"{PATCH_NAME}: changes nothing: lead@1.0.0 has it" in ran.out) == (1, True)
    assert not (kept.patches / "patches.lock").exists()


def test_patch_that_two_readers_read_differently_is_refused(
    kept: Kept, patchtool: Patchtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What unidiff sees otherwise is not locked."""
    import unidiff.patch

    monkeypatch.setattr(unidiff.patch.PatchedFile, "__len__", lambda _: 7)
    ran = patchtool("lock")
    assert (ran.code, "unidiff" in ran.out) == (1, True)
    assert not (kept.patches / "patches.lock").exists()


def test_every_patch_that_does_not_go_on_is_named(kept: Kept, patchtool: Patchtool) -> None:
    """Two broken patches are told at once."""
    (kept.patches / PATCH_NAME).write_text(PATCH.replace("// two", "// too"))
    (kept.patches / "consumer+3.0.0.patch").write_text("not a patch\n")
    assert len(patchtool("lock", "--json").json["problems"]) == 2


def test_lock_that_cannot_be_written_is_told(kept: Kept, patchtool: Patchtool) -> None:
    """What stands in its place is named; no traceback."""
    (kept.patches / "patches.lock").mkdir()
    ran = patchtool("lock")
    assert (ran.code, ran.out) == (3, "")
    assert f"{kept.patches}/patches.lock: cannot write the lock: Is a directory" in ran.err


def test_release_that_is_not_published_is_not_known(kept: Kept, patchtool: Patchtool) -> None:
    """A pin to a version that does not exist: exit 3, and the command that lists those that do."""
    kept.manifest(["pkg:npm/lead@1.0.9"], guard='[fix.guard]\npath = "guard"\n')
    (kept.patches / PATCH_NAME).rename(kept.patches / "lead+1.0.9.patch")
    ran = patchtool("lock")
    assert (ran.code, ran.out) == (3, "")
    assert "lead@1.0.9: there is no such release" in ran.err
    assert "try: npm view lead versions" in ran.err


def test_fix_without_a_guard_has_no_baseline(kept: Kept, patchtool: Patchtool) -> None:
    """Only what can be known is recorded."""
    kept.manifest(["pkg:npm/lead@1.0.0"])
    assert patchtool("lock").code == 0
    assert read(kept)["guards"] == {}


MANIFEST = Path("patches.toml")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('summary = "summary 1"', 'summary = "summary 1"\nsumary = "x"', "fix[0].sumary"),
        ('summary = "summary 1"', "summary = 7", "fix[0].summary"),
        ("timeout = 30", 'timeout = "30"', "fix[0].guard.timeout"),
        ('path = "guard"', 'path = "gard"', "fix[0].guard.path"),
        ("lead@1.0.0", "lead@1.0.1", "fix[0].pin[0].packages"),
        ("lead@1.0.0", "lead@^1", "fix[0].pin[0].packages[0]"),
        ('"pkg:npm/consumer@3.0.0"', '"pkg:npm/lead@1.0.0"', "fix[0].pin[0].packages[1]"),
    ],
    ids=["unknown", "type", "guard type", "reference", "no patch", "version", "twice"],
)
@pytest.mark.parametrize("command", ["lock", "guard", "should-delete", "check-pristine", "status"])
def test_wrong_manifest_is_wrong_usage_with_the_key(
    kept: Kept, patchtool: Patchtool, command: str, old: str, new: str, key: str
) -> None:
    """Every command that reads the manifest says at which key it is wrong, and exits 2."""
    path = kept.patches / MANIFEST
    path.write_text(path.read_text().replace(old, new))
    ran = patchtool(command)
    assert (ran.code, ran.out) == (2, "")
    assert key in ran.err
    document = patchtool(command, "--json")
    assert document.code == 2
    assert key in document.json["error"]["path"]


def test_patch_that_no_fix_is_pinned_to_is_wrong_usage(kept: Kept, patchtool: Patchtool) -> None:
    """A patch file that the manifest does not account for, and one release in two pins."""
    stray = kept.patches / "stray+1.0.0.patch"
    stray.write_text(PATCH)
    ran = patchtool("lock")
    assert (ran.code, ran.out) == (2, "")
    assert "stray+1.0.0.patch" in ran.err
    stray.unlink()
    path = kept.patches / MANIFEST
    path.write_text(path.read_text() + '[[fix.pin]]\npackages = ["pkg:npm/lead@1.0.0"]\n')
    ran = patchtool("lock")
    assert (ran.code, ran.out) == (2, "")
    assert "fix[0].pin[1]" in ran.err
