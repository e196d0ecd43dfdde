"""Every copy of every patched package, judged by its content and by the patches meant for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app_making import App
from patch_making import file
from patchtool.errors import CannotTell, UsageError
from patchtool.installed import Installed, bare_series, locked_series, survey
from patchtool.project.load import bare, load
from patchtool.series import State

OLD, NEW, OTHER = file("old\n"), file("new\n"), file("other\n")
FILES = {"x.js": OLD}
EDIT = {"x.js": (OLD, NEW)}


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An app without anything in it."""
    return App(tmp_path)


def locked(app: App) -> tuple[Installed, ...]:
    """What stands there, by the lock."""
    lock = load(app.root).lock
    assert lock is not None
    return survey(locked_series(lock, app.patches), app.root, {})


def unlocked(app: App, **environment: str) -> tuple[Installed, ...]:
    """What stands there, by the patch files alone."""
    return survey(bare_series(bare(app.patches)), app.root, environment)


def states(found: tuple[Installed, ...], app: App) -> dict[str, str]:
    """Each copy's place and state."""
    return {
        each.copy.directory.relative_to(app.root).as_posix(): each.plan.state.value
        for each in found
        if each.copy
    }


@pytest.fixture
def two_releases(app: App) -> App:
    """Two pins of one package, each with a patch for its own bytes."""
    app.patch("a+1.0.0.patch", "a", EDIT)
    app.patch("a+2.0.0.patch", "a", {"x.js": (file("old 2\n"), file("new 2\n"))})
    app.manifest(["pkg:npm/a@1.0.0"], ["pkg:npm/a@2.0.0"])
    app.lock({"a@1.0.0": FILES, "a@2.0.0": {"x.js": file("old 2\n")}})
    return app


def test_each_copy_is_judged_by_the_series_that_knows_it(two_releases: App) -> None:
    """Two releases installed side by side: each has the patch of its own pin."""
    two_releases.install("a", "1.0.0", FILES)
    two_releases.install("a", "2.0.0", {"x.js": file("new 2\n")}, within="node_modules/b")
    found = locked(two_releases)
    assert states(found, two_releases) == {
        "node_modules/a": "pristine",
        "node_modules/b/node_modules/a": "patched",
    }
    assert [str(each.series.package) for each in found] == ["a@1.0.0", "a@2.0.0"]


def test_content_decides_and_not_the_version(two_releases: App) -> None:
    """A copy that says 2.0.0 and has the bytes of 1.0.0 gets the patch of 1.0.0."""
    two_releases.install("a", "2.0.0", FILES)
    (found,) = locked(two_releases)
    assert (str(found.series.package), found.plan.state) == ("a@1.0.0", State.PRISTINE)


def test_foreign_copy_is_told_by_the_series_of_its_version(two_releases: App) -> None:
    """Of several series that all refuse, the one of the copy's own version says why."""
    two_releases.install("a", "2.0.0", {"x.js": OTHER})
    (found,) = locked(two_releases)
    assert (str(found.series.package), found.plan.state) == ("a@2.0.0", State.FOREIGN)


def test_one_missing_package_is_one_problem(two_releases: App) -> None:
    """Two pins of one package that is not installed: it is missing once."""
    (found,) = locked(two_releases)
    assert found.copy is None
    assert [problem.kind for problem in found.plan.problems] == ["missing"]


def test_patch_of_a_nested_copy_leaves_the_others_alone(app: App) -> None:
    """a++b is the b inside a: the b beside it is another release and none of its business."""
    app.patch("a++b+1.0.0.patch", "a/node_modules/b", EDIT)
    app.install("b", "2.0.0", {"x.js": OTHER})
    app.install("b", "1.0.0", FILES, within="node_modules/a")
    assert states(unlocked(app), app) == {"node_modules/a/node_modules/b": "pristine"}


def test_patch_of_a_nested_copy_follows_it_when_it_is_hoisted(app: App) -> None:
    """Where a's b was deduplicated to the top there is no copy inside a: that one is meant."""
    app.patch("a++b+1.0.0.patch", "a/node_modules/b", EDIT)
    app.install("b", "1.0.0", FILES)
    assert states(unlocked(app), app) == {"node_modules/b": "pristine"}


def test_patch_of_a_nested_copy_is_for_one_nested_in_that_order(app: App) -> None:
    """a++b++c is the c inside b inside a, and not one inside a inside b."""
    app.patch("a++b++c+1.0.0.patch", "a/node_modules/b/node_modules/c", EDIT)
    app.install("c", "1.0.0", FILES, within="node_modules/a/node_modules/b")
    app.install("c", "1.0.0", FILES, within="node_modules/b/node_modules/a")
    assert [*states(unlocked(app), app)] == ["node_modules/a/node_modules/b/node_modules/c"]


@pytest.mark.parametrize("place", ["a", "a/packages/app", "node_modules/a/app"])
def test_place_of_the_project_makes_no_copy_a_nested_one(tmp_path: Path, place: str) -> None:
    """In /srv/a/app the b beside a is not inside a, though its path has an a in it."""
    app = App(tmp_path / place)
    app.patch("a++b+1.0.0.patch", "a/node_modules/b", EDIT)
    app.install("b", "1.0.0", FILES)
    app.install("b", "1.0.0", FILES, within="node_modules/a")
    assert states(unlocked(app), app) == {"node_modules/a/node_modules/b": "pristine"}


def test_nested_copy_with_a_patch_of_its_own_is_judged_by_that(app: App) -> None:
    """B has a patch, and the b inside a another one."""
    app.patch("b+1.0.0.patch", "b", EDIT)
    app.patch("a++b+1.0.0.patch", "a/node_modules/b", {"x.js": (OLD, OTHER)})
    app.install("b", "1.0.0", {"x.js": NEW})
    app.install("b", "1.0.0", {"x.js": OTHER}, within="node_modules/a")
    assert states(unlocked(app), app) == {
        "node_modules/b": "patched",
        "node_modules/a/node_modules/b": "patched",
    }


def test_changed_patch_file_is_a_problem_of_each_copy(app: App) -> None:
    """What the lock does not know is not run."""
    app.patch("a+1.0.0.patch", "a", EDIT)
    app.manifest(["pkg:npm/a@1.0.0"])
    app.lock({"a@1.0.0": FILES})
    app.patch("a+1.0.0.patch", "a", {"x.js": (OLD, OTHER)})
    app.install("a", "1.0.0", FILES)
    (found,) = locked(app)
    assert (found.plan.state, found.plan.changes) == (State.FOREIGN, {})
    assert found.plan.problems[0].kind == "stale"


def test_patch_that_cannot_be_read_is_a_problem_and_no_error(app: App) -> None:
    """One broken patch file does not hide what stands elsewhere."""
    app.patch("a+1.0.0.patch", "a", EDIT).write_bytes(b"not a patch\n")
    app.patch("b+1.0.0.patch", "b", EDIT)
    app.install("a", "1.0.0", FILES)
    app.install("b", "1.0.0", FILES)
    assert states(unlocked(app), app) == {"node_modules/a": "foreign", "node_modules/b": "pristine"}


def test_absence_needs_a_reason(app: App) -> None:
    """A missing package is a problem, unless its patch or the way it was installed says why."""
    app.patch("a+1.0.0.patch", "a", EDIT)
    app.patch("b+1.0.0.dev.patch", "b", EDIT)
    app.patch("c+1.0.0.patch", "c", EDIT)
    (app.root / "package.json").write_text('{"devDependencies": {"c": "1.0.0"}}')
    a, b, c = unlocked(app, NODE_ENV="production")
    assert (a.absent, [problem.kind for problem in a.plan.problems]) == (None, ["missing"])
    assert b.absent
    assert c.absent
    assert b.plan.problems == c.plan.problems == ()
    assert unlocked(app)[2].plan.problems


def test_symlink_out_of_the_project_is_not_followed(
    app: App, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`npm link` leads to somebody's working copy: refused, and told."""
    other = App(tmp_path_factory.mktemp("other"))
    real = other.install("a", "1.0.0", FILES)
    (app.root / "node_modules").mkdir()
    (app.root / "node_modules/a").symlink_to(real)
    app.patch("a+1.0.0.patch", "a", EDIT)
    with pytest.raises(CannotTell) as caught:
        unlocked(app)
    assert caught.value.problem.path == str(real)


def test_patch_file_that_is_gone_is_wrong_usage(app: App) -> None:
    """The lock names a file that is not there any more."""
    path = app.patch("a+1.0.0.patch", "a", EDIT)
    app.install("a", "1.0.0", FILES)
    series = bare_series(bare(app.patches))
    path.unlink()
    with pytest.raises(UsageError):
        survey(series, app.root, {})


@pytest.fixture
def moved(app: App) -> App:
    """A release that is pinned, and copies of two others whose bytes no patch knows."""
    app.patch("a+1.0.0.patch", "a", EDIT)
    app.install("a", "1.0.0", FILES)
    app.install("a", "2.0.0", {"x.js": OTHER}, within="node_modules/b")
    app.install("a", "3.0.0", {"x.js": OTHER}, within="node_modules/c")
    return app


def left_alone(found: tuple[Installed, ...]) -> list[str]:
    """The versions that are left alone; no other copy of these is known, none has a problem."""
    return [each.copy.version for each in found if each.copy and each.left_alone]


def test_pin_says_which_versions_are_left_alone(moved: App) -> None:
    """A version it names stays as it is and is no problem; one it does not name is one."""
    moved.manifest(["pkg:npm/a@1.0.0"], pin='leave-alone = ["2.0.0", "4.0.0"]\n')
    moved.lock({"a@1.0.0": FILES})
    found = locked(moved)
    assert left_alone(found) == ["2.0.0"]
    assert [len(each.plan.problems) for each in found] == [0, 0, 1]
    assert [bool(each.plan.changes) for each in found] == [True, False, False]


def test_known_bytes_are_patched_whatever_their_version(moved: App) -> None:
    """A version that may be left alone, with the pinned bytes, takes the patch."""
    moved.manifest(["pkg:npm/a@1.0.0"], pin='leave-alone = ["2.0.0", "3.0.0"]\n')
    moved.lock({"a@1.0.0": FILES})
    moved.install("a", "2.0.0", FILES, within="node_modules/b")
    assert left_alone(locked(moved)) == ["3.0.0"]


@pytest.mark.parametrize("is_locked", [True, False])
def test_nothing_is_left_alone_while_no_copy_takes_the_patch(moved: App, is_locked: bool) -> None:
    """A package that has moved on altogether has lost its fix: that is told, by pin or without."""
    moved.install("a", "4.0.0", {"x.js": OTHER})
    if is_locked:
        moved.manifest(["pkg:npm/a@1.0.0"], pin='leave-alone = ["2.0.0", "3.0.0", "4.0.0"]\n')
        moved.lock({"a@1.0.0": FILES})
    found = locked(moved) if is_locked else unlocked(moved)
    assert left_alone(found) == []
    assert [len(each.plan.problems) for each in found] == [1, 1, 1]


def test_without_a_manifest_other_versions_are_left_alone(moved: App) -> None:
    """As with patch-package; but other bytes under the patch's own version are refused."""
    assert left_alone(unlocked(moved)) == ["2.0.0", "3.0.0"]
    moved.install("a", "1.0.0", {"x.js": OTHER}, within="node_modules/d")
    found = unlocked(moved)
    assert left_alone(found) == ["2.0.0", "3.0.0"]
    assert [each.copy.version for each in found if each.copy and each.plan.problems] == ["1.0.0"]


def test_releases_of_another_fix_are_no_business_of_this_one(two_releases: App) -> None:
    """A copy with the bytes of a pin that was not asked for is neither foreign nor told."""
    two_releases.install("a", "1.0.0", FILES)
    two_releases.install("a", "2.0.0", {"x.js": file("old 2\n")}, within="node_modules/b")
    lock = load(two_releases.root).lock
    assert lock is not None
    second = [each.package for each in lock.packages if each.package.version == "2.0.0"]
    series = locked_series(lock, two_releases.patches)
    found = survey(series, two_releases.root, {}, only=second)
    assert states(found, two_releases) == {"node_modules/b/node_modules/a": "pristine"}
    (two_releases.root / "node_modules").rename(two_releases.root / "gone")
    (missing,) = survey(series, two_releases.root, {}, only=second)
    assert missing.plan.problems[0].expected == "a@2.0.0"
