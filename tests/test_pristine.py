"""Releases in memory, and what patches make of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fake_ecosystem import NO_STORE, FakeEcosystem
from patch_making import Edit, file, patch_text
from patchtool import ecosystems
from patchtool.errors import CannotTell, PatchError
from patchtool.files import File
from patchtool.package import Package
from patchtool.pristine import patched_files, pristine_files, put_on
from patchtool.project import Lock, LockedPackage, PatchFile
from test_patch_file import patch_file

LEAD = Package(ecosystem="npm", name="@s/lead", version="1.0.0")
FILES = {"a.js": file("a0\n"), "b.js": file("b0\n")}
PREFIX = "node_modules/@s/lead/"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> FakeEcosystem:
    """A registry with one release."""
    fake = FakeEcosystem()
    fake.publish("@s/lead", "1.0.0", FILES)
    monkeypatch.setattr(ecosystems, "of", lambda _: fake)
    return fake


@pytest.fixture
def patches(tmp_path: Path) -> list[PatchFile]:
    """Two patches, the second of which needs the first."""
    texts: dict[str, dict[str, Edit]] = {
        "@s+lead+1.0.0+001+one.patch": {"a.js": (file("a0\n"), file("a1\n"))},
        "@s+lead+1.0.0+002+two.patch": {
            "a.js": (file("a1\n"), file("a2\n")),
            "new.js": (None, file("new\n")),
        },
    }
    for name, edits in texts.items():
        (tmp_path / name).write_bytes(patch_text(edits, PREFIX))
    return [patch_file(name, tmp_path) for name in texts]


def lock(integrity: str) -> Lock:
    """A lock that has an integrity of the lead."""
    locked = LockedPackage(package=LEAD, integrity=integrity, patches=())
    return Lock(manifest="", packages=(locked,), guards={})


@pytest.mark.usefixtures("registry")
def test_the_lock_s_integrity_decides_what_is_pristine() -> None:
    """With a lock the registry is not asked again what the release should be."""
    asked = pristine_files(LEAD, lock("registry's @s/lead@1.0.0"), NO_STORE)
    assert asked == FILES
    with pytest.raises(CannotTell):
        pristine_files(LEAD, lock("another"), NO_STORE)


@pytest.mark.usefixtures("registry")
def test_without_a_lock_it_is_the_registry_s() -> None:
    """No lock, or none of this release: the registry says what its bytes are."""
    assert pristine_files(LEAD, None, NO_STORE) == FILES
    other = Lock(manifest="", packages=(), guards={})
    assert pristine_files(LEAD, other, NO_STORE) == FILES


def test_patches_go_on_one_after_the_other(patches: list[PatchFile]) -> None:
    """Each step has the files before and after it, and its bytes."""
    one, two = put_on(patches, FILES)
    assert (one.before, one.after) == ({"a.js": file("a0\n")}, {"a.js": file("a1\n")})
    assert two.before == {"a.js": file("a1\n"), "new.js": None}
    assert two.after == {"a.js": file("a2\n"), "new.js": file("new\n")}
    assert two.data == patches[1].path.read_bytes()


def test_what_the_lock_records_of_a_patch(patches: list[PatchFile]) -> None:
    """The hash of its file, and each touched path's identity before and after."""
    _, two = put_on(patches, FILES)
    assert two.locked.sha256 == hashlib.sha256(two.data).hexdigest()
    change = two.locked.files["new.js"]
    assert (change.before, change.after) == (None, file("new\n").identity)


def test_the_first_patch_that_does_not_go_on_is_named(patches: list[PatchFile]) -> None:
    """In the wrong order the second patch is refused, by its file name."""
    with pytest.raises(PatchError) as caught:
        list(put_on(patches[::-1], FILES))
    assert caught.value.problem.subject == "@s+lead+1.0.0+002+two.patch"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.js", "lib/a.js, x/y/a.js"),
        ("y/a.js", "x/y/a.js, lib/a.js"),
        ("src/b.js", "no file named b.js"),
    ],
)
def test_a_wrong_path_is_told_with_the_files_of_that_name(
    tmp_path: Path, path: str, found: str
) -> None:
    """Paths may start at the wrong directory: what could be meant is said, the likeliest first."""
    name = "@s+lead+1.0.0.patch"
    edits = {path: (file("old\n"), file("new\n"))}
    (tmp_path / name).write_bytes(patch_text(edits, PREFIX))
    files = dict.fromkeys(("lib/a.js", "x/y/a.js", "lib/aa.js"), file("old\n"))
    with pytest.raises(PatchError) as caught:
        list(put_on([patch_file(name, tmp_path)], files))
    problem = caught.value.problem
    assert (problem.kind, problem.path, problem.found) == ("missing", path, found)
    assert problem.expected == "the path of a file of the release"


def test_a_hunk_that_moved_goes_on_only_where_that_is_allowed(tmp_path: Path) -> None:
    """On another release a hunk may stand elsewhere; on the pin it must not."""
    name = "@s+lead+1.0.0.patch"
    (tmp_path / name).write_bytes(
        b"--- a/node_modules/@s/lead/a.js\n+++ b/node_modules/@s/lead/a.js\n"
        b"@@ -2,3 +2,3 @@\n one\n-two\n+2\n three\n"
    )
    moved = {"a.js": file("0\n0\n0\none\ntwo\nthree\n")}
    with pytest.raises(PatchError):
        list(put_on([patch_file(name, tmp_path)], moved))
    (step,) = put_on([patch_file(name, tmp_path)], moved, allow_offset=True)
    assert step.after == {"a.js": file("0\n0\n0\none\n2\nthree\n")}


def test_only_packages_with_patches_have_changes(
    registry: FakeEcosystem, patches: list[PatchFile]
) -> None:
    """By name of the package, so that the patches of a pin are tried on other releases."""
    newer = registry.publish("@s/lead", "1.1.0", FILES)
    other = registry.publish("other", "1.0.0", {"a.js": file("a0\n")})
    changes = patched_files(patches, [newer, other], lock=None, store=NO_STORE)
    expected: dict[str, File] = {"a.js": file("a2\n"), "new.js": file("new\n")}
    assert changes == {"@s/lead": expected}


@pytest.mark.usefixtures("registry")
def test_each_copy_starts_from_the_release(tmp_path: Path, patches: list[PatchFile]) -> None:
    """A copy inside another package has patches of its own; a stack has the outermost copy."""
    name = "x++@s+lead+1.0.0.patch"
    edits = {"a.js": (file("a0\n"), file("inner\n"))}
    (tmp_path / name).write_bytes(patch_text(edits, PREFIX))
    inner = patch_file(name, tmp_path)
    for order in ([inner, *patches], [*patches, inner]):
        before = [step.before["a.js"] for step in put_on(order, FILES)]
        assert before.count(file("a0\n")) == 2
        changes = patched_files(order, [LEAD], lock=None, store=NO_STORE)
        assert changes == {"@s/lead": {"a.js": file("a2\n"), "new.js": file("new\n")}}
    alone = patched_files([inner], [LEAD], lock=None, store=NO_STORE)
    assert alone == {"@s/lead": {"a.js": file("inner\n")}}
