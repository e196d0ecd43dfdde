from dataclasses import replace

import pytest

from patchtool.errors import UsageError
from patchtool.package import Package, Vendored
from patchtool.project import LockedPackage
from patchtool.project.load import load
from patchtool.project.lock import dump, read

from .conftest import Repository
from .test_lock import LOCK

TABLE = """
[[fix.pin]]
packages = ["pkg:generic/demo@1.2.0"]

[fix.pin.vendored.demo]
path = "src/vendor/demo"
origin = "pkg:pypi/demo@1.2.0"
"""
VENDORED = Vendored(path="src/vendor/demo", origin="pkg:pypi/demo@1.2.0")


@pytest.fixture
def vendoring(repository: Repository) -> Repository:
    """A repository with a pin of a vendored package and a patch of it."""
    repository.append(TABLE)
    repository.patch("demo+1.2.0.patch")
    return repository


def package(repository: Repository) -> Package:
    """The lead of the last pin."""
    return load(repository.root).fixes[0].pins[-1].lead


def test_a_pin_says_where_a_package_is_vendored(vendoring: Repository) -> None:
    """Path and origin are enough."""
    expected = Package(ecosystem="generic", name="demo", version="1.2.0", vendored=VENDORED)
    assert package(vendoring) == expected


def test_the_rest_may_be_declared(vendoring: Repository) -> None:
    """Which part of an archive, what of it is not there, and what is there besides."""
    vendoring.append('origin-path = "lib"\nleave-out = ["tests/*"]\nadded = ["NOTES", "a/*"]\n')
    vendoring.replace('"pkg:pypi/demo@1.2.0"', '"https://archive.invalid/x-1.2.0.tar.gz"')
    assert package(vendoring).vendored == Vendored(
        path="src/vendor/demo",
        origin="https://archive.invalid/x-1.2.0.tar.gz",
        origin_path="lib",
        left_out=("tests/*",),
        added=("NOTES", "a/*"),
    )


@pytest.mark.parametrize(
    ("old", "new", "key", "what"),
    [
        ('origin = "pkg:pypi/demo@1.2.0"\n', "", "origin", "missing key"),
        ('path = "src/vendor/demo"\n', "", "path", "missing key"),
        ('path = "src', 'place = "src', "place", "unknown key"),
        ('"src/vendor/demo"', '"../demo"', "path", "not a plain relative path"),
        ('"src/vendor/demo"', '"/demo"', "path", "not a plain relative path"),
        ('"src/vendor/demo"', '"."', "path", "not a plain relative path"),
        ('"src/vendor/demo"', '"a//b"', "path", "not a plain relative path"),
        ('"pkg:pypi/demo@1.2.0"', '"demo"', "origin", "neither a release nor the address"),
        ('"pkg:pypi/demo@1.2.0"', '"pkg:generic/demo@1"', "origin", "neither a release nor"),
        ('"pkg:pypi/demo@1.2.0"', '"file:///demo"', "origin", "neither a release nor"),
        ('"pkg:pypi/demo@1.2.0"', '"pkg:pypi/De_mo@1.2.0"', "origin", "not the URL of a package"),
        ('"pkg:pypi/demo@1.2.0"', '"pkg:pypi/demo@1.3.0"', "origin", "another version"),
    ],
)
def test_a_wrong_declaration_is_told(
    vendoring: Repository, old: str, new: str, key: str, what: str
) -> None:
    """Each with the path of its key."""
    vendoring.replace(old, new)
    with pytest.raises(UsageError, match=what) as caught:
        load(vendoring.root)
    assert caught.value.problem.path == f"fix[0].pin[1].vendored.demo.{key}"


def test_a_vendored_package_must_be_declared(vendoring: Repository) -> None:
    """A pkg:generic without its table is told, with the table that is missing."""
    vendoring.replace("[fix.pin.vendored.demo]", "[fix.pin.vendored.other]")
    with pytest.raises(UsageError, match="no such pkg:generic") as caught:
        load(vendoring.root)
    assert caught.value.problem.path == "fix[0].pin[1].vendored.other"
    vendoring.manifest.write_text(vendoring.manifest.read_text().partition("[fix.pin.v")[0])
    with pytest.raises(UsageError, match="nobody says which part") as caught:
        load(vendoring.root)
    assert "[fix.pin.vendored.demo]" in str(caught.value.problem.expected)


def test_only_vendored_packages_are_declared(vendoring: Repository) -> None:
    """A package of a registry is where its installer puts it."""
    vendoring.replace("pkg:generic/demo", "pkg:pypi/demo")
    with pytest.raises(UsageError, match="no such pkg:generic"):
        load(vendoring.root)


@pytest.mark.parametrize(
    "vendored",
    [VENDORED, replace(VENDORED, origin_path="lib", left_out=("a", "b/*"), added=("c",))],
)
def test_the_lock_has_it_too(vendoring: Repository, vendored: Vendored) -> None:
    """`apply` reads the lock alone, and finds what the manifest says."""
    of = Package(ecosystem="generic", name="demo", version="1.2.0", vendored=vendored)
    locked = LockedPackage(package=of, integrity="sha256-" + "0" * 64, patches=())
    lock = replace(LOCK, packages=(*LOCK.packages, locked))
    vendoring.lock.write_bytes(dump(lock))
    assert read(vendoring.lock).package(of) == locked


def test_a_lock_that_leads_out_is_refused(vendoring: Repository) -> None:
    """The lock is checked as if a stranger wrote it."""
    of = Package(ecosystem="generic", name="demo", version="1.2.0", vendored=VENDORED)
    locked = LockedPackage(package=of, integrity="sha256-" + "0" * 64, patches=())
    data = dump(replace(LOCK, packages=(*LOCK.packages, locked)))
    vendoring.lock.write_bytes(data.replace(b"src/vendor/demo", b"../../vendor/demo"))
    with pytest.raises(UsageError, match="not a plain relative path"):
        read(vendoring.lock)


def test_a_locked_file_name_goes_both_ways(vendoring: Repository) -> None:
    """The file of a release that is meant stands in the lock."""
    of = Package(ecosystem="pypi", name="demo", version="1.2.0", file="demo-1.2.0.tar.gz")
    locked = LockedPackage(package=of, integrity="sha256-" + "0" * 64, patches=())
    vendoring.lock.write_bytes(dump(replace(LOCK, packages=(*LOCK.packages, locked))))
    assert read(vendoring.lock).package(of) == locked
