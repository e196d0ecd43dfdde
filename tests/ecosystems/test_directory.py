"""Vendored packages: parts of a project that were copied from an origin."""

import io
import os
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cannot_tell import failure
from http_server import Server
from npm_registry import Registry
from patchtool import ecosystems, stack
from patchtool.ecosystems import Copy
from patchtool.ecosystems.directory.differences import differences, without
from patchtool.ecosystems.directory.working_tree import read_files
from patchtool.errors import UsageError
from patchtool.files import File, Mode
from patchtool.package import Package, Vendored
from patchtool.store import Store

MakeStore = Callable[..., Store]
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def package(origin: str = "https://archive.invalid/demo-1.0.tar.gz", **declared: Any) -> Package:
    """A vendored package, by default at lib/demo."""
    vendored = Vendored(**{"path": "lib/demo", "origin": origin} | declared)
    return Package(ecosystem="generic", name="demo", version="1.0", vendored=vendored)


A, B, C = (File(data=text) for text in (b"a", b"b", b"c"))


def found(
    expected: dict[str, File], tree: dict[str, File], **declared: Any
) -> Iterator[tuple[str, str | None]]:
    """What differs, as kind and path."""
    vendored = package(**declared).vendored
    assert vendored
    for problem in differences(expected, tree, vendored, subject="demo@1.0"):
        assert problem.subject == "demo@1.0"
        yield problem.kind, problem.path


def test_equal_trees_do_not_differ() -> None:
    """A tree that is its origin has no differences."""
    assert list(found({"a": A, "b/c": B}, {"b/c": B, "a": A})) == []


def test_every_difference_is_listed() -> None:
    """Content, mode, what is missing and what is too much: all at once, by path."""
    expected = {"a": A, "b": B, "c": C, "same": A}
    executable = File(data=b"b", mode=Mode.EXECUTABLE)
    tree = {"a": B, "b": executable, "d": A, "same": A}
    assert list(found(expected, tree)) == [
        ("foreign", "lib/demo/a"),
        ("foreign", "lib/demo/b"),
        ("missing", "lib/demo/c"),
        ("unexpected", "lib/demo/d"),
    ]


def test_added_files_may_be_declared() -> None:
    """A declared file may be there and have any content; a star also takes in directories."""
    tree = {"a": A, "NOTES": B, "own/x/y": C}
    assert list(found({"a": A}, tree, added=("NOTES", "own/*"))) == []
    assert list(found({"a": A}, tree, added=("own/*",))) == [("unexpected", "lib/demo/NOTES")]


def test_a_declared_file_must_be_there() -> None:
    """A declaration that is true of nothing is a difference."""
    assert list(found({"a": A}, {"a": A}, added=("NOTES",))) == [("missing", "lib/demo/NOTES")]


def test_a_declaration_does_not_excuse_the_origins_files() -> None:
    """What the origin has must be as the origin has it, declared as added or not."""
    kinds = dict(found({"a": A}, {"a": B}, added=("*",)))
    assert kinds == {"foreign": "lib/demo/a", "missing": "lib/demo/*"}


def test_a_difference_tells_both_sides() -> None:
    """Expected and found are blob ids with modes."""
    vendored = package().vendored
    assert vendored
    (problem,) = differences({"a": A}, {"a": B}, vendored, subject="x")
    assert problem.expected == f"{A.identity.blob} 100644"
    assert problem.found == f"{B.identity.blob} 100644"


def test_a_part_of_the_origin_is_taken() -> None:
    """Only what is below the origin's path, without what is left out."""
    files = {"src/demo/a.py": A, "src/demo/tests/t.py": B, "src/demos/x": C, "setup.py": C}
    vendored = package(origin_path="src/demo", left_out=("tests/*",)).vendored
    assert vendored
    assert without(files, vendored) == {"a.py": A}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a vendored tree."""
    directory = tmp_path / "project/lib/demo"
    (directory / "sub").mkdir(parents=True)
    (directory / "a.py").write_bytes(b"a")
    (directory / "sub/run").write_bytes(b"b")
    (directory / "sub/run").chmod(0o755)
    (directory / "link").symlink_to("a.py")
    return tmp_path / "project"


TREE = {
    "a.py": A,
    "sub/run": File(data=b"b", mode=Mode.EXECUTABLE),
    "link": File(data=b"a.py", mode=Mode.SYMLINK),
}


def git(root: Path, *arguments: str) -> None:
    """Run git in the project."""
    subprocess.run(["git", *arguments], cwd=root, check=True, timeout=60, capture_output=True)


def test_without_git_every_file_is_read(root: Path) -> None:
    """Bytes, modes and links."""
    assert read_files(root / "lib/demo", ENVIRONMENT) == TREE
    assert read_files(root / "lib/demo", {"PATH": "/nowhere"}) == TREE
    assert read_files(root / "lib/none", ENVIRONMENT) == {}


def test_what_git_ignores_is_no_part_of_the_project(root: Path) -> None:
    """Tracked and new files count, ignored ones and deleted ones do not."""
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.pyc\n")
    (root / "lib/demo/gone").touch()
    git(root, "add", "lib/demo/a.py", "lib/demo/gone")
    (root / "lib/demo/gone").unlink()
    (root / "lib/demo/a.pyc").touch()
    assert read_files(root / "lib/demo", ENVIRONMENT) == TREE


def test_a_tree_that_git_ignores_as_a_whole_is_read_all_the_same(root: Path) -> None:
    """A project may itself be in a directory that another repository ignores."""
    git(root.parent, "init", "-q")
    (root.parent / ".gitignore").write_text("project\n")
    assert read_files(root / "lib/demo", ENVIRONMENT) == TREE


def test_a_pipe_is_no_file(root: Path) -> None:
    """What cannot be compared is named."""
    os.mkfifo(root / "lib/demo/pipe")
    problem = failure(lambda: read_files(root / "lib/demo", ENVIRONMENT))
    assert problem.path == str(root / "lib/demo/pipe")


def test_the_directory_is_the_installed_copy(root: Path) -> None:
    """One copy, at the declared path, taken for the pinned version."""
    here = ecosystems.of(package())
    expected = Copy(name="demo", version="1.0", directory=root / "lib/demo")
    assert here.installed(root, ["demo"], {}) == {"demo": (expected,)}
    elsewhere = ecosystems.of(package(path="lib/none"))
    assert elsewhere.installed(root, ["demo"], {}) == {"demo": ()}


def test_a_directory_outside_of_the_project_is_refused(root: Path) -> None:
    """A link out of the project leads to what belongs to somebody else."""
    (root.parent / "outside").mkdir()
    (root / "lib/out").symlink_to(root.parent / "outside")
    here = ecosystems.of(package(path="lib/out"))
    assert failure(lambda: here.installed(root, ["demo"], {})).kind == "linked"


def test_paths_of_a_patch_start_at_the_root() -> None:
    """As `git diff` writes them; what lies elsewhere is no part of the package."""
    here = ecosystems.of(package())
    assert here.path_in_package("lib/demo/sub/a.py", "demo") == "sub/a.py"
    assert here.path_in_package("lib/demolition/a.py", "demo") is None
    assert here.path_in_package("a.py", "demo") is None


def test_a_package_that_nobody_declares_is_refused() -> None:
    """The name alone does not say where it is."""
    bare = Package(ecosystem="generic", name="demo", version="1.0")
    with pytest.raises(UsageError):
        ecosystems.of(bare).path_in_package("a", "demo")


@pytest.fixture
def tarball(server: Server) -> str:
    """The address of an archive."""
    import gzip
    import tarfile

    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, data in {"src/demo/a.py": b"a", "src/demo/t/x": b"b", "setup.py": b""}.items():
            member = tarfile.TarInfo(f"demo-1.0/{path}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    server.answer("/demo-1.0.tar.gz", gzip.compress(stream.getvalue(), mtime=0))
    return f"{server.url}/demo-1.0.tar.gz"


def test_an_archive_is_pinned_by_its_bytes(
    tarball: str, server: Server, make_store: MakeStore
) -> None:
    """Fetched once, known by its sha256, and offline from the cache ever after."""
    here = package(tarball, origin_path="src/demo", left_out=("t/*",))
    ecosystem = ecosystems.of(here)
    integrity = ecosystem.integrity(here, make_store())
    assert integrity.startswith("sha256-")
    assert ecosystem.artefact(here, integrity, make_store(offline=True)) == {"a.py": A}
    assert ecosystem.integrity(here, make_store(offline=True)) == integrity
    assert len(server.asked("/demo-1.0.tar.gz")) == 1


def test_an_archive_that_changed_is_refused(
    tarball: str, server: Server, make_store: MakeStore, tmp_path: Path
) -> None:
    """Other bytes at the address are not those that were pinned."""
    here = package(tarball)
    integrity = ecosystems.of(here).integrity(here, make_store())
    server.answer("/demo-1.0.tar.gz", b"other bytes")
    fresh = make_store(directory=tmp_path / "other")
    server._answers["/demo-1.0.tar.gz"].pop(0)
    problem = failure(lambda: ecosystems.of(here).artefact(here, integrity, fresh))
    assert (problem.kind, problem.expected) == ("integrity", integrity)


def test_a_zip_file_is_taken_as_it_is(server: Server, make_store: MakeStore) -> None:
    """Its first directory is named, because not every zip file has just one."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("demo-1.0/a", b"a")
    server.answer("/demo.zip", stream.getvalue())
    here = package(f"{server.url}/demo.zip", origin_path="demo-1.0")
    integrity = ecosystems.of(here).integrity(here, make_store())
    assert ecosystems.of(here).artefact(here, integrity, make_store()) == {"a": A}


def test_a_path_that_is_not_in_the_origin_is_told(tarball: str, make_store: MakeStore) -> None:
    """A typing error must not make an empty package of it."""
    here = package(tarball, origin_path="source")
    ecosystem = ecosystems.of(here)
    integrity = ecosystem.integrity(here, make_store())
    problem = failure(lambda: ecosystem.artefact(here, integrity, make_store()))
    assert problem.path == "source"


def test_an_archive_has_no_releases(make_store: MakeStore) -> None:
    """Nobody can say what is the newest: no verdict, and no network either."""
    ecosystem = ecosystems.of(package())
    assert failure(lambda: ecosystem.releases("demo", make_store(offline=True))).kind == (
        "no-release"
    )


def test_a_release_may_be_the_origin(registry: Registry, npm_store: MakeStore) -> None:
    """Integrity, files and releases are those of the origin's own ecosystem."""
    integrity = registry.publish("@a/demo", "1.0.0", {"lib/a": b"a"})
    registry.publish("@a/demo", "1.1.0", {"lib/a": b"b"})
    registry.serve()
    here = Package(
        ecosystem="generic",
        name="demo",
        version="1.0.0",
        vendored=Vendored(path="x", origin="pkg:npm/%40a/demo@1.0.0", origin_path="lib"),
    )
    store = npm_store()
    ecosystem = ecosystems.of(here)
    assert ecosystem.integrity(here, store) == integrity
    assert ecosystem.artefact(here, integrity, store) == {"a": A}
    assert [release.version for release in ecosystem.releases("demo", store)] == ["1.0.0", "1.1.0"]
    newer = here.at("1.1.0")
    newer_ecosystem = ecosystems.of(newer)
    found = newer_ecosystem.artefact(newer, newer_ecosystem.integrity(newer, store), store)
    assert found == {"a": B}


def test_a_stack_has_the_origins_files(tarball: str, make_store: MakeStore) -> None:
    """Laid out once, in a directory of the package's name; a variant changes its own copy."""
    here = package(tarball, origin_path="src/demo")
    ecosystem, store = ecosystems.of(here), make_store()
    laid_out = ecosystem.lay_out([here], store)
    place = ecosystem.package_directory(laid_out, "demo")
    assert (place / "a.py").read_bytes() == b"a"
    assert ecosystem.lay_out([here], make_store(offline=True)) == laid_out
    patched = stack.variant(laid_out, {place: {"a.py": C}}, store)
    assert ecosystem.package_directory(patched, "demo").joinpath("a.py").read_bytes() == b"c"
    other = package(tarball, origin_path="src/demo", left_out=("t/*",))
    assert ecosystem.lay_out([other], store) != laid_out


def test_differences_are_those_of_the_working_tree(root: Path) -> None:
    """The whole way: the tree in the project against what it should be."""
    ecosystem = ecosystems.of(package(added=("link",)))
    expected = {path: file for path, file in TREE.items() if path != "link"}
    assert ecosystem.differences(root, expected, ENVIRONMENT) == ()
    (root / "lib/demo/a.py").write_bytes(b"edited")
    (problem,) = ecosystem.differences(root, expected, ENVIRONMENT)
    assert (problem.kind, problem.path) == ("foreign", "lib/demo/a.py")
