import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from cannot_tell import failure
from patchtool.ecosystems import pypi
from patchtool.files import File, Mode
from patchtool.package import Package
from patchtool.store import Store
from pypi_index import Index

MakeStore = Callable[..., Store]
DEMO = Package(ecosystem="pypi", name="demo", version="1.0")


def test_the_only_wheel_is_meant(index: Index, pypi_store: MakeStore) -> None:
    """A release with one wheel, and perhaps an sdist, is that wheel."""
    index.publish("demo-1.0.tar.gz", b"an sdist")
    integrity = index.release("demo", "1.0")
    index.serve()
    assert pypi.integrity(DEMO, pypi_store()) == integrity


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        (["demo-1.0-cp311-cp311-linux_x86_64.whl", "demo-1.0-py3-none-any.whl"], "several-files"),
        (["demo-1.0.tar.gz"], "no-wheel"),
    ],
)
def test_else_a_file_must_be_named(
    index: Index, pypi_store: MakeStore, files: list[str], kind: str
) -> None:
    """Of several wheels, and of an sdist alone, one is named; the message shows how."""
    for file in files:
        index.publish(file, b"x")
    index.serve()
    problem = failure(lambda: pypi.integrity(DEMO, pypi_store()))
    assert problem.kind == kind
    assert problem.found == ", ".join(files)
    assert f"pkg:pypi/demo@1.0?file_name={files[0]}" in (problem.expected or "")


def test_a_named_file_is_the_one(index: Index, pypi_store: MakeStore) -> None:
    """Each file of a release has its own integrity."""
    files = [
        "demo-1.0-cp311-cp311-linux_x86_64.whl",
        "demo-1.0-py3-none-any.whl",
        "demo-1.0.tar.gz",
    ]
    expected = {file: index.publish(file, file.encode()) for file in files}
    index.serve()
    store = pypi_store()
    assert {file: pypi.integrity(DEMO.of_file(file), store) for file in files} == expected
    problem = failure(lambda: pypi.integrity(DEMO.of_file("demo-1.0-other.whl"), store))
    assert problem.kind == "no-release"
    assert files[0] in (problem.found or "")


def test_versions_are_compared_as_versions(index: Index, pypi_store: MakeStore) -> None:
    """1.0 and 1.0.0 are one release."""
    integrity = index.release("demo", "1.0.0")
    index.serve()
    assert pypi.integrity(DEMO, pypi_store()) == integrity


@pytest.mark.parametrize("version", ["1.1", "not a version"])
def test_no_such_release(index: Index, pypi_store: MakeStore, version: str) -> None:
    """A version that nobody published is said to be missing."""
    index.release("demo", "1.0")
    index.serve()
    assert failure(lambda: pypi.integrity(DEMO.at(version), pypi_store())).kind == "no-release"


def test_an_index_without_hashes_pins_nothing(index: Index, pypi_store: MakeStore) -> None:
    """A file without a sha256 in the list is refused; a local file has its own."""
    index.server.answer("/simple/demo/", b'<a href="/f/demo-1.0-py3-none-any.whl#md5=1">x</a>')
    assert failure(lambda: pypi.integrity(DEMO, pypi_store())).kind == "integrity"


def test_files_are_as_pip_installs_them(index: Index, pypi_store: MakeStore) -> None:
    """Data of purelib and platlib stands beside the rest; scripts and RECORD are left out."""
    files = {
        "demo/__init__.py": b"1",
        "demo/tool.sh": b"2",
        "demo-1.0.data/purelib/demo/more.py": b"3",
        "demo-1.0.data/platlib/demo/fast.so": b"4",
        "demo-1.0.data/scripts/run": b"5",
        "demo-1.0.data/data/etc/x": b"6",
        "demo-1.0.dist-info/RECORD.jws": b"7",
    }
    integrity = index.release("demo", "1.0", files, executable=("demo/tool.sh",))
    index.serve()
    found = dict(pypi.artefact(DEMO, integrity, pypi_store()))
    metadata = [found.pop(f"demo-1.0.dist-info/{name}") for name in ("METADATA", "WHEEL")]
    assert all(metadata)
    assert found == {
        "demo/__init__.py": File(data=b"1"),
        "demo/tool.sh": File(data=b"2", mode=Mode.EXECUTABLE),
        "demo/more.py": File(data=b"3"),
        "demo/fast.so": File(data=b"4"),
    }


def test_a_wheel_may_have_vendored_others(index: Index, pypi_store: MakeStore) -> None:
    """Metadata of vendored packages is not that of the wheel; all of it is installed."""
    inner = "demo/_vendor/other-2.0.dist-info"
    files = {f"{inner}/METADATA": b"Name: other\nVersion: 2.0\n", f"{inner}/RECORD": b""}
    integrity = index.release("demo", "1.0", files, requires=("lead==1.0",))
    index.serve()
    assert files.keys() < pypi.artefact(DEMO, integrity, pypi_store()).keys()
    (release,) = pypi.releases("demo", pypi_store())
    assert dict(release.dependencies) == {"lead": "==1.0"}


def test_an_sdist_is_taken_from_where_packages_start(
    index: Index, pypi_store: MakeStore, sdist: Callable[..., bytes]
) -> None:
    """The first directory goes, and `src` with it, unless that would hide another file."""
    data = sdist("demo", "1.0", {"src/demo/a.py": b"1", "src/x": b"2", "x": b""})
    integrity = index.publish("demo-1.0.tar.gz", data)
    index.serve()
    package = DEMO.of_file("demo-1.0.tar.gz")
    found = pypi.artefact(package, integrity, pypi_store())
    assert set(found) == {"PKG-INFO", "demo/a.py", "src/x", "x"}


def test_an_artefact_is_fetched_once_and_offline_from_the_cache(
    index: Index, pypi_store: MakeStore
) -> None:
    """The second time no server is needed, not even pip."""
    integrity = index.release("demo", "1.0")
    index.serve()
    first = pypi.artefact(DEMO, integrity, pypi_store())
    again = pypi.artefact(DEMO, integrity, pypi_store(offline=True, PATH="/nowhere"))
    assert again == first
    assert len(index.server.asked("/files/demo-1.0-py3-none-any.whl")) == 1


def test_offline_a_missing_artefact_is_named(pypi_store: MakeStore) -> None:
    """Nothing is in the cache and nothing may be fetched."""
    problem = failure(lambda: pypi.artefact(DEMO, "sha256-" + "0" * 64, pypi_store(offline=True)))
    assert (problem.kind, problem.subject) == ("offline", "demo@1.0")


def test_other_bytes_than_the_index_says_are_refused(index: Index, pypi_store: MakeStore) -> None:
    """What comes with another hash is not unpacked."""
    integrity = index.release("demo", "1.0")
    index.server._answers["/files/demo-1.0-py3-none-any.whl"] = [(200, b"PK other", {})]
    index.serve()
    problem = failure(lambda: pypi.artefact(DEMO, integrity, pypi_store()))
    assert (problem.kind, problem.expected) == ("integrity", integrity)


def test_a_release_that_was_replaced_is_refused(index: Index, pypi_store: MakeStore) -> None:
    """The lock has another hash than any file the indexes now have."""
    index.release("demo", "1.0")
    index.serve()
    problem = failure(lambda: pypi.artefact(DEMO, "sha256-" + "0" * 64, pypi_store()))
    assert problem.kind == "integrity"
    assert "demo-1.0-py3-none-any.whl" in (problem.found or "")


def test_the_pinned_file_may_be_on_any_index(
    index: Index, pypi_store: MakeStore, tmp_path: Path
) -> None:
    """An integrity finds its file, also a local one, whatever other files the release has."""
    index.release("demo", "1.0")
    index.serve()
    links = tmp_path / "links"
    links.mkdir()
    other = index.release("demo", "1.0", {"demo/other.py": b"x"})
    data = index.server._answers["/files/demo-1.0-py3-none-any.whl"].pop()[1]
    assert isinstance(data, bytes)
    (links / "demo-1.0-py3-none-any.whl").write_bytes(data)
    assert other == "sha256-" + hashlib.sha256(data).hexdigest()
    found = pypi.artefact(DEMO, other, pypi_store(PIP_FIND_LINKS=str(links)))
    assert "demo/other.py" in found


def test_a_wheel_of_another_package_is_refused(index: Index, pypi_store: MakeStore) -> None:
    """The metadata inside must be of the release that was asked for."""
    from patchtool.ecosystems.pypi.contents import artefact

    integrity = index.release("demo", "1.0")
    index.serve()
    pypi.artefact(DEMO, integrity, pypi_store())
    other = Package(ecosystem="pypi", name="other", version="1.0")
    problem = failure(lambda: artefact(other, integrity, pypi_store()))
    assert (problem.kind, problem.found) == ("artefact", "demo@1.0")


def test_releases_come_oldest_first(index: Index, pypi_store: MakeStore) -> None:
    """In version order, with prereleases and yanked releases marked; a yanked file alone is not."""
    for version in ("1.10", "1.9", "2.0rc1"):
        index.release("demo", version)
    index.publish("demo-1.8-py3-none-any.whl", b"x", yanked="leaks")
    index.publish("demo-1.7-py3-none-any.whl", b"x", yanked=True)
    index.publish("demo-1.7.tar.gz", b"x")
    index.serve()
    found = [
        (release.version, release.prerelease, release.deprecated)
        for release in pypi.releases("demo", pypi_store())
    ]
    assert found == [
        ("1.7", False, None),
        ("1.8", False, "yanked: leaks"),
        ("1.9", False, None),
        ("1.10", False, None),
        ("2.0rc1", True, None),
    ]


REQUIRES = (
    "lead==2.0",
    "Other_One>=1; python_version>'3'",
    "old; python_version<'3'",
    "x; extra=='y'",
)


def test_dependencies_are_read_when_asked_for(index: Index, pypi_store: MakeStore) -> None:
    """Only what is needed here, without extras; out of the wheel if it must be, and then kept."""
    index.release("demo", "1.0", requires=REQUIRES)
    index.release("demo", "2.0", requires=REQUIRES)
    index.serve()
    new = pypi.releases("demo", pypi_store())[1]
    assert not index.server.asked("/files/demo-2.0-py3-none-any.whl")
    assert dict(new.dependencies) == {"lead": "==2.0", "other-one": ">=1"}
    assert new.dependencies.get("Other.One") == ">=1"
    assert new.dependencies.get("old") is None
    again = pypi.releases("demo", pypi_store(offline=True))[1]
    assert dict(again.dependencies) == dict(new.dependencies)
    assert not index.server.asked("/files/demo-1.0-py3-none-any.whl")


def test_dependencies_come_from_the_metadata_file(index: Index, pypi_store: MakeStore) -> None:
    """Where the index has METADATA alone, no wheel is fetched."""
    index.publish("demo-1.0-py3-none-any.whl", b"x", **{"core-metadata": {"sha256": "0"}})
    index.server.answer(
        "/files/demo-1.0-py3-none-any.whl.metadata", b"Name: demo\nRequires-Dist: lead (==2.0)\n"
    )
    index.serve()
    (release,) = pypi.releases("demo", pypi_store())
    assert dict(release.dependencies) == {"lead": "==2.0"}
    assert not index.server.asked("/files/demo-1.0-py3-none-any.whl")
