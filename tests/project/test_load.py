import shlex
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from patchtool.errors import Problem, UsageError
from patchtool.package import Package
from patchtool.project import Lock
from patchtool.project.load import bare, current_lock, load
from patchtool.project.lock import dump

from .conftest import Repository

FIND = "find . -name '*.patch' -not -path '*/node_modules/*'"
HOLDS = "a directory with patch files, such as name+1.2.3.patch"


def written(repository: Repository) -> Lock:
    """A lock of the manifest that says nothing of any package, in its place."""
    digest = sha256(repository.manifest.read_bytes()).hexdigest()
    lock = Lock(manifest=digest, packages=(), guards={})
    repository.lock.write_bytes(dump(lock))
    return lock


def refused_directory(directory: Path) -> Problem:
    """The problem that a bare directory ends with."""
    with pytest.raises(UsageError) as caught:
        bare(directory)
    return caught.value.problem


def test_a_project_knows_where_it_is(repository: Repository) -> None:
    """Root, directory and the digest of the manifest are part of what is loaded."""
    project = repository.load()
    assert project.root == repository.root
    assert project.directory == repository.root / "patches"
    assert project.digest == sha256(repository.manifest.read_bytes()).hexdigest()
    assert project.lock is None


def test_another_directory_may_be_named(repository: Repository) -> None:
    """The patch files need not be in patches/; a guard's path still starts at the root."""
    moved = (repository.root / "patches").rename(repository.root / "elsewhere")
    project = load(repository.root, moved)
    assert project.directory == moved
    assert project.fixes[0].patches[0].path == moved / "@s+lead+1.0.0.patch"


def test_a_lock_that_is_there_is_loaded(repository: Repository) -> None:
    """The lock is read with the project."""
    lock = written(repository)
    assert repository.load().lock == lock


def test_a_broken_lock_stops_all_but_who_writes_it_anew(repository: Repository) -> None:
    """`patchtool lock` helps against a broken lock, so it must not stumble over one."""
    repository.lock.write_text("{")
    assert repository.refused().kind == "lock"
    assert load(repository.root, ignore_lock=True).lock is None


def test_a_fix_is_found_by_its_name(repository: Repository) -> None:
    """The name gives the fix; any other name is an error that says which there are."""
    project = repository.load()
    assert project.fix("calls") is project.fixes[0]
    with pytest.raises(UsageError) as caught:
        project.fix("cals")
    assert caught.value.problem == Problem(
        kind="fix",
        what="no such fix",
        subject="cals",
        expected="calls",
        remedy="patchtool status",
    )


@pytest.mark.parametrize("read", [bare, lambda directory: load(directory.parent, directory)])
def test_a_directory_that_is_not_there_is_told(tmp_path: Path, read: object) -> None:
    """Named and missing is an error, with a command that looks for patch files."""
    assert callable(read)
    with pytest.raises(UsageError) as caught:
        read(tmp_path / "patches")
    assert caught.value.problem == Problem(
        kind="missing",
        what="no directory of patches",
        path=str(tmp_path / "patches"),
        expected=HOLDS,
        found="No such file or directory",
        remedy=FIND,
    )


def test_a_file_in_place_of_the_directory_is_told(tmp_path: Path) -> None:
    """The system's reason is in the message."""
    (tmp_path / "patches").write_text("")
    assert refused_directory(tmp_path / "patches").found == "Not a directory"


def test_the_remedy_without_manifest_starts_one(repository: Repository) -> None:
    """The command in the message writes a manifest that can be read, with every patch in it."""
    repository.manifest.unlink()
    repository.patch("a++JSONStream+1.3.5+001+x.patch")
    repository.patch("JSONStream+1.3.5.patch")
    problem = repository.refused()
    assert problem.kind == "missing"
    assert problem.path == str(repository.manifest)
    assert problem.remedy is not None
    subprocess.run(["sh", "-c", problem.remedy], check=True, timeout=10)
    fixes = repository.load().fixes
    assert [fix.name for fix in fixes] == ["s-lead-1.0.0", "JSONStream-1.3.5"]
    assert [len(fix.patches) for fix in fixes] == [1, 2]


def test_a_manifest_is_started_for_a_python_package_by_the_paths_of_its_patch(
    repository: Repository,
) -> None:
    """They start at site-packages, and patch-package's at the project's root."""
    repository.manifest.unlink()
    repository.patch("idna+3.10.patch", "--- a/idna/core.py\n+++ b/idna/core.py\n")
    repository.patch("ms+2.1.2.patch", "--- /dev/null\n+++ b/node_modules/ms/index.js\n")
    remedy = repository.refused().remedy
    assert remedy is not None
    assert "pkg:pypi/idna@3.10" in remedy
    assert "pkg:npm/ms@2.1.2" in remedy


def test_a_manifest_that_is_started_can_be_read_whatever_a_release_is_called(
    repository: Repository,
) -> None:
    """A name of a package, and a version, may have letters that the name of a fix may not have."""
    repository.manifest.unlink()
    repository.patch("Demo_core+1!2.0.patch", "--- a/demo/core.py\n+++ b/demo/core.py\n")
    repository.patch("~old+1.0.0.patch")
    subprocess.run(["sh", "-c", repository.refused().remedy or ""], check=True, timeout=10)
    names = {fix.name for fix in repository.load().fixes}
    assert names == {"s-lead-1.0.0", "demo-core-1-2.0", "old-1.0.0"}


@pytest.mark.parametrize("below", ["src", "packages/a b/src", "patches"])
def test_from_a_subdirectory_the_project_above_is_named(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    """By a command that works from there."""
    (repository.root / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(repository.root / below)
    remedy = refused_directory(Path("patches")).remedy
    assert remedy is not None
    *command, above = shlex.split(remedy)
    assert command == ["patchtool", "status", "--root"]
    assert load(Path(above)).fix("calls").pins


def test_without_manifest_and_patches_there_is_nothing_to_start_from(tmp_path: Path) -> None:
    """An empty directory is told as such."""
    with pytest.raises(UsageError) as caught:
        load(tmp_path, tmp_path)
    assert caught.value.problem == Problem(
        kind="missing",
        what="neither a manifest nor a patch file in this directory",
        path=str(tmp_path),
        expected=HOLDS,
        remedy=FIND,
    )


def test_a_bare_directory_gives_its_patches_in_order(tmp_path: Path) -> None:
    """What patch-package works with: file names alone, other files left alone."""
    for name in ["b+1.0.0+002+a.patch", "b+1.0.0+001+z.patch", "@s+a+2.0.0.patch", "README.md"]:
        (tmp_path / name).write_text("")
    files = bare(tmp_path)
    assert [file.path.name for file in files] == [
        "@s+a+2.0.0.patch",
        "b+1.0.0+001+z.patch",
        "b+1.0.0+002+a.patch",
    ]
    assert files[0].package == Package(ecosystem="npm", name="@s/a", version="2.0.0")


def test_a_bare_directory_without_patches_is_told(tmp_path: Path) -> None:
    """Naming a directory that patches nothing is a mistake, not a success."""
    assert refused_directory(tmp_path).what == "no patch files in the directory of patches"


def test_a_bad_name_in_the_directory_is_told(tmp_path: Path) -> None:
    """A patch file nobody could place is an error, never passed over."""
    (tmp_path / "fix.patch").write_text("")
    assert refused_directory(tmp_path).subject == "fix.patch"
    (tmp_path / "fix.patch").rename(tmp_path / ".patch")
    assert refused_directory(tmp_path).subject == ".patch"


@pytest.mark.parametrize(
    ("kind", "shown"), [("file", "+++ b/lead/x.js"), ("directory", "fix.patch"), ("link", "gone")]
)
def test_the_remedy_of_a_bad_name_works(tmp_path: Path, kind: str, shown: str) -> None:
    """It shows whose patch it is, or what is there in place of a file."""
    path = tmp_path / "it's" / "fix.patch"
    path.parent.mkdir()
    if kind == "file":
        path.write_text("--- a/lead/x.js\n+++ b/lead/x.js\n")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("gone")
    remedy = refused_directory(tmp_path / "it's").remedy
    assert remedy is not None
    done = subprocess.run(["sh", "-c", remedy], check=True, timeout=10, stdout=subprocess.PIPE)
    assert shown in done.stdout.decode()


def test_patches_in_a_subdirectory_are_told(tmp_path: Path) -> None:
    """A patch that nothing would read is an error, and the command moves it."""
    (tmp_path / "@s dir").mkdir()
    (tmp_path / "@s dir" / "a+1.0.0.patch").write_text("")
    problem = refused_directory(tmp_path)
    assert problem.subject == str(tmp_path / "@s dir")
    assert problem.remedy is not None
    subprocess.run(["sh", "-c", problem.remedy], check=True, timeout=10)
    assert [file.path.name for file in bare(tmp_path)] == ["a+1.0.0.patch"]


def test_a_directory_named_like_a_patch_is_told(tmp_path: Path) -> None:
    """A patch is a file."""
    (tmp_path / "a+1.0.0.patch").mkdir()
    assert refused_directory(tmp_path).what == "not a file"


def test_the_lock_is_current_as_long_as_nothing_it_was_made_from_changes(
    repository: Repository,
) -> None:
    """`apply` may go by the lock alone until the manifest or the set of patch files differs."""
    patches = repository.root / "patches"
    assert current_lock(patches) is None
    repository.patch("@s+lead+1.0.0.patch").unlink()
    lock = written(repository)
    assert current_lock(patches) == lock
    repository.patch("x+1.0.0.patch")
    assert current_lock(patches) is None
    (patches / "x+1.0.0.patch").unlink()
    repository.append("# a comment\n")
    assert current_lock(patches) is None
    repository.manifest.unlink()
    assert current_lock(patches) is None
