"""`patchtool check-pristine`: the proof, and that one changed byte anywhere breaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from http_server import Server
from npm_registry import Registry
from patch_making import file
from patchtool import diff
from patchtool.diff import Patch, Read
from patchtool.files import blob_id

from .conftest import Patchtool
from .world import AFTER, BEFORE, PATCH_NAME, Kept, World


@pytest.fixture
def locked(kept: Kept, patchtool: Patchtool) -> Kept:
    """The app with its lock."""
    assert patchtool("lock").code == 0
    return kept


@pytest.mark.usefixtures("locked")
def test_proof_names_every_release_and_every_touched_file(patchtool: Patchtool) -> None:
    """Package, integrity, patch, path and both blob ids, in text and as JSON."""
    ran = patchtool("check-pristine")
    assert (ran.code, ran.err) == (0, "")
    before, after = blob_id(BEFORE.encode()), blob_id(AFTER.encode())
    for word in ("lead@1.0.0", "sha512-", PATCH_NAME, "index.js", before, after):
        assert word in ran.out
    assert "ok    consumer@3.0.0" in ran.out
    assert "1 patched release proved" in ran.out
    document = patchtool("check-pristine", "--json").json
    assert document["answer"] == "yes"
    assert document["proofs"][0]["files"]["index.js"]["before"] == {
        "blob": before,
        "mode": "100644",
    }


@pytest.mark.usefixtures("locked")
def test_what_does_not_come_off_byte_for_byte_is_a_no(
    patchtool: Patchtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files with the patches off again are compared with the artefact, not believed."""
    run = diff.run

    def careless(patch: Patch, read: Read, **options: bool) -> diff.Result:
        result = run(patch, read, **options)
        return replace(result, changes={"index.js": file("x")}) if options["backward"] else result

    monkeypatch.setattr("patchtool.commands.check_pristine.diff", SimpleNamespace(run=careless))
    ran = patchtool("check-pristine")
    assert ran.code == 1
    assert f"{PATCH_NAME}: index.js: is not the artefact's file" in ran.out


def positions(data: bytes) -> Iterator[int]:
    """A place in each line of a patch, and one in each of its words."""
    for start in [0, *(at + 1 for at, byte in enumerate(data) if byte in b" \n")]:
        if start < len(data):
            yield start


def test_one_changed_byte_of_the_patch_is_a_no(locked: Kept, patchtool: Patchtool) -> None:
    """Wherever it is, preamble or hunk: exit 1, and the patch is named."""
    path = locked.patches / PATCH_NAME
    good = path.read_bytes()
    for at in positions(good):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        ran = patchtool("check-pristine")
        assert ran.code == 1, at
        assert f"{PATCH_NAME}: " in ran.out
    path.write_bytes(good)
    assert patchtool("check-pristine").code == 0


def leaves(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a JSON document that has none below it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, *path, key)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, *path, number)
    else:
        yield path


def test_one_changed_byte_of_the_lock_is_never_a_yes(locked: Kept, patchtool: Patchtool) -> None:
    """In every value of it: exit 1 when it can be read, 2 when it cannot, and the file is named."""
    path = locked.patches / "patches.lock"
    good = path.read_bytes()
    document = json.loads(good)
    seen = set()
    for place in leaves(document):
        text = good.decode()
        value = document
        for key in place:
            value = value[key]
        # The last character of the value, as it stands in the file.
        at = text.index(json.dumps(value)) + len(json.dumps(value)) - 2
        other = b"1" if good[at : at + 1] != b"1" else b"2"
        path.write_bytes(good[:at] + other + good[at + 1 :])
        ran = patchtool("check-pristine")
        seen.add(ran.code)
        assert ran.code in (1, 2), place
        assert "patches.lock" in ran.out + ran.err, place
    assert seen == {1, 2}
    # And what is no value: a blank more.
    path.write_bytes(good.replace(b"{}", b"{ }", 1))
    assert patchtool("check-pristine").code == 1
    document = patchtool("check-pristine", "--json").json
    assert document["problems"][0]["subject"] == "patches.lock"


@pytest.fixture
def own_cache(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test uses, for what changes it."""
    del kept  # it sets the one of the world
    cache = tmp_path / "own-cache"
    monkeypatch.setenv("PATCHTOOL_CACHE", str(cache))
    return cache


def test_one_changed_byte_of_the_cached_artefact_is_not_known(
    kept: Kept, patchtool: Patchtool, own_cache: Path
) -> None:
    """Exit 3, the file in the cache is named, and the command that removes it."""
    kept.manifest(["pkg:npm/lead@1.0.0"])
    assert patchtool("lock").code == 0
    (artefact,) = (own_cache / "artefacts/sha512").iterdir()
    data = artefact.read_bytes()
    artefact.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    ran = patchtool("check-pristine")
    assert (ran.code, ran.out) == (3, "")
    assert f"{artefact}: the cached artefact is not what was fetched" in ran.err
    assert f"try: rm {artefact}" in ran.err
    document = patchtool("check-pristine", "--json")
    assert (document.code, document.json["error"]["path"]) == (3, str(artefact))
    artefact.unlink()
    assert patchtool("check-pristine").code == 0


@pytest.mark.usefixtures("own_cache", "locked")
def test_offline_works_from_the_cache_and_says_what_is_missing(
    patchtool: Patchtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the lock needed is enough; with an empty cache the package is named."""
    assert patchtool("check-pristine", "--offline").code == 0
    monkeypatch.setenv("PATCHTOOL_CACHE", str(tmp_path / "empty"))
    ran = patchtool("check-pristine", "--offline")
    assert (ran.code, ran.out) == (3, "")
    assert "lead@1.0.0: is not in the cache, and --offline forbids to fetch it" in ran.err


def test_release_that_was_published_again_is_not_the_pin(
    kept: Kept,
    patchtool: Patchtool,
    own_cache: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The registry serves other bytes for the pinned version: never a yes."""
    kept.manifest(["pkg:npm/lead@1.0.0"])
    assert patchtool("lock").code == 0
    for path in (own_cache / "artefacts/sha512").iterdir():
        path.unlink()
    for path in (own_cache / "npm-releases").iterdir():
        path.unlink()
    other = Registry(server)
    other.publish("lead", "1.0.0", {"index.js": b"other\n"})
    other.serve()
    monkeypatch.setenv("npm_config_registry", other.url)
    ran = patchtool("check-pristine")
    assert (ran.code, ran.out) == (3, "")
    assert "lead@1.0.0: what was fetched is not the release that is pinned" in ran.err


def test_without_a_lock_it_is_a_no(kept: Kept, patchtool: Patchtool) -> None:
    """There is nothing to compare with; the command that writes it is named."""
    ran = patchtool("check-pristine")
    assert (ran.code, ran.err) == (1, "")
    assert "patches.lock: there is no lock" in ran.out
    assert "try: patchtool lock" in ran.out
    assert kept.runs == []


def test_manifest_that_changed_since_the_lock_is_a_no(locked: Kept, patchtool: Patchtool) -> None:
    """The lock was written for another manifest."""
    with (locked.patches / "patches.toml").open("a") as manifest:
        manifest.write("# changed\n")
    ran = patchtool("check-pristine")
    assert (ran.code, "patches.toml: changed since the lock was written" in ran.out) == (1, True)


def test_what_is_installed_is_told_and_decides_nothing(locked: Kept, patchtool: Patchtool) -> None:
    """The proof is of the artefact: an installed copy has its state beside it."""
    for text, state in ((BEFORE, "pristine"), (AFTER, "patched"), ("edited\n", "foreign")):
        directory = locked.install("lead", "1.0.0", {"index.js": file(text)})
        ran = patchtool("check-pristine")
        assert ran.code == 0
        assert f"installed: lead@1.0.0 in {directory}: {state}" in ran.out
    locked.install("lead", "1.0.1", {"index.js": file("edited\n")})
    out = patchtool("check-pristine").out
    assert f"installed: lead@1.0.0 (installed is 1.0.1) in {directory}: foreign" in out


def test_linked_copy_is_told_as_that(locked: Kept, patchtool: Patchtool, tmp_path: Path) -> None:
    """Of a copy outside the project, which nobody looks at, no state is told."""
    locked.install("other/node_modules/lead", "1.0.0", {"index.js": file(BEFORE)})
    working = tmp_path / "elsewhere/lead"
    working.mkdir(parents=True)
    (working / "package.json").write_text('{"name": "lead", "version": "1.0.0"}')
    (locked.root / "node_modules/lead").symlink_to(working)
    out = patchtool("check-pristine").out
    assert f"installed: lead@1.0.0 in {working}: linked, and left alone\n" in out


def test_unpatched_sibling_is_a_warning_and_no_finding(
    kept: Kept, patchtool: Patchtool, world: World
) -> None:
    """A second build of the code that is patched is named; the answer stays yes."""
    code = "function track(index, id) { return calls[index] ?? (calls[index] = { id }) }\n"
    world.registry.publish("two", "1.0.0", {"a.js": code.encode(), "b.js": code.encode()})
    world.registry.serve()
    fixed = code.replace("index] ??", "id] ??")
    kept.patch("two+1.0.0.patch", "two", {"a.js": (file(code), file(fixed))})
    (kept.patches / PATCH_NAME).unlink()
    kept.manifest(["pkg:npm/two@1.0.0"])
    assert patchtool("lock").code == 0
    ran = patchtool("check-pristine")
    assert ran.code == 0
    assert "warnings:\ntwo+1.0.0.patch: b.js: holds the same code as a.js" in ran.out


@pytest.mark.parametrize("ids", ["1234567..89abcde", "1234567..abcdefg"])
def test_a_wrong_blob_id_is_a_warning_and_no_finding(
    kept: Kept, patchtool: Patchtool, ids: str
) -> None:
    """Whoever edits a patch by hand learns that its index line is of another file."""
    path = kept.patches / PATCH_NAME
    text = path.read_text()
    path.write_text(text.replace("\n---", f"\nindex {ids} 100644\n---", 1))
    assert patchtool("lock").code == 0
    ran = patchtool("check-pristine")
    assert ran.code == 0
    said = "the blob id in the index line is of another file; the hunks fit all the same"
    assert f"{PATCH_NAME}: index.js: " in ran.out
    assert said in ran.out
    (warning,) = patchtool("check-pristine", "--json").json["proofs"][0]["warnings"]
    assert (warning["expected"], warning["found"]) == ("1234567", blob_id(BEFORE.encode()))


@pytest.mark.usefixtures("locked")
def test_one_fix_is_proved_by_itself(patchtool: Patchtool) -> None:
    """Names of fixes choose; a name that is none is wrong usage."""
    assert patchtool("check-pristine", "fix-1").code == 0
    assert patchtool("check-pristine", "fix-2").code == 2


def test_patches_of_a_nested_copy_are_proved_by_themselves(
    kept: Kept, patchtool: Patchtool
) -> None:
    """The lead inside the consumer has another patch of the same lines: both are locked, proved."""
    text = (kept.patches / PATCH_NAME).read_text()
    (kept.patches / f"consumer++{PATCH_NAME}").write_text(text.replace("patched", "nested"))
    assert patchtool("lock").code == 0
    ran = patchtool("check-pristine")
    assert (ran.code, f"consumer++{PATCH_NAME}, {PATCH_NAME}" in ran.out) == (0, True), ran.out
