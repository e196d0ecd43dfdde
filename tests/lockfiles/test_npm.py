import json
from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Source, resolved

from .conftest import CASES, UTILS, Copies

FLAT = ["npm-2", "npm-3", "npm-3-unresolved"]


@pytest.mark.parametrize("case", ["npm-1", *FLAT])
def test_release(case: str) -> None:
    """A release has its version, its integrity and the registry, with or without an address."""
    (copy,) = resolved(CASES / case, "npm", "@ai-sdk/provider-utils")
    assert (copy.version, copy.integrity, copy.source) == ("5.0.11", (UTILS,), Source.REGISTRY)
    assert copy.lockfile == "package-lock.json"
    assert "@ai-sdk/provider-utils" in copy.place


@pytest.mark.parametrize("case", FLAT)
def test_every_copy(npm: Copies, case: str) -> None:
    """Nested copies, aliases, a bundled copy and a fork in git are all found under one name."""
    assert npm(case, "ms") == [
        ("2.0.0", Source.REGISTRY),
        ("2.0.0", Source.REGISTRY),
        ("2.1.1", Source.BUNDLED),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.GIT),
        ("2.1.3", Source.REGISTRY),
    ]


def test_every_copy_of_version_1(npm: Copies) -> None:
    """The oldest version nests its entries, and records no version for a git address."""
    assert npm("npm-1", "ms") == [
        ("", Source.GIT),
        ("2.0.0", Source.REGISTRY),
        ("2.0.0", Source.REGISTRY),
        ("2.1.1", Source.BUNDLED),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.REGISTRY),
    ]


@pytest.mark.parametrize("case", ["npm-1", *FLAT])
def test_alias(npm: Copies, case: str) -> None:
    """Another package under this name is no release of this one."""
    assert npm(case, "once") == [("2.0.0", Source.ALIAS)]


@pytest.mark.parametrize("case", FLAT)
@pytest.mark.parametrize(
    ("name", "version", "source"),
    [
        ("forked", "1.0.0", Source.GIT),
        ("remote", "1.2.0", Source.TARBALL),
        ("packed", "1.3.0", Source.FILE),
        ("local", "1.4.0", Source.LINK),
        ("member", "0.1.0", Source.WORKSPACE),
        ("has-flag", "4.0.0", Source.REGISTRY),
    ],
)
def test_source(npm: Copies, case: str, name: str, version: str, source: Source) -> None:
    """What does not come from the registry says so; an override gives the overriding version."""
    assert npm(case, name) == [(version, source)]


@pytest.mark.parametrize(
    ("name", "source"),
    [("forked", Source.GIT), ("remote", Source.TARBALL), ("packed", Source.FILE)],
)
def test_source_of_version_1(npm: Copies, name: str, source: Source) -> None:
    """There the version is an address."""
    assert npm("npm-1", name) == [("", source)]


def test_shrinkwrap(tmp_path: Path) -> None:
    """npm-shrinkwrap.json stands in front of package-lock.json, as for npm."""
    for name, version in (("npm-shrinkwrap.json", "1.0.0"), ("package-lock.json", "2.0.0")):
        packages = {"node_modules/ms": {"version": version}}
        (tmp_path / name).write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert (copy.version, copy.lockfile) == ("1.0.0", "npm-shrinkwrap.json")


def test_root_bundles(tmp_path: Path) -> None:
    """What the root itself bundles has an integrity, and comes from the registry."""
    entry = {"version": "1.0.0", "integrity": "sha512-AA==", "inBundle": True}
    packages = {"node_modules/ms": entry}
    (tmp_path / "package-lock.json").write_text(
        json.dumps({"lockfileVersion": 3, "packages": packages})
    )
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert copy.source is Source.REGISTRY


def test_unknown_version(tmp_path: Path) -> None:
    """A lockfile of a version to come is not guessed at."""
    (tmp_path / "package-lock.json").write_text('{"lockfileVersion": 4, "packages": {}}')
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, "npm", "ms")
    assert (raised.value.problem.path, raised.value.problem.expected) == (
        "lockfileVersion",
        "1, 2 or 3",
    )
