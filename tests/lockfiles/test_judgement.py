from typing import Any

import pytest

from patchtool.lockfiles import Resolved, Source, judge
from patchtool.package import Package

PINNED = Package(ecosystem="npm", name="ms", version="2.1.3")
OURS = "sha512-AA=="


def copy(**changes: Any) -> Resolved:
    """The pinned release as the registry has it, but for `changes`."""
    values: dict[str, Any] = {
        "version": "2.1.3",
        "integrity": (OURS,),
        "source": Source.REGISTRY,
        "lockfile": "package-lock.json",
        "place": "packages['node_modules/ms']",
    }
    return Resolved(**(values | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"integrity": ()},
        {"integrity": ("sha1-BB==",)},
        {"integrity": ("sha512-BB==", OURS)},
        {"version": "2.0.0", "integrity": ("sha512-BB==",)},
        {"version": "2.0.0", "source": Source.GIT},
        {"source": Source.TARBALL},
        {"source": Source.BUNDLED, "integrity": ()},
    ],
)
def test_no_finding(changes: dict[str, Any]) -> None:
    """Our bytes, another release, a bundled copy, or no bytes fixed of a registry release."""
    assert judge([copy(**changes)], PINNED, OURS) == ()


def test_integrity() -> None:
    """Another integrity of the pinned version is a finding, with both and where it stands."""
    (problem,) = judge([copy(integrity=("sha512-BB==", "sha1-CC=="))], PINNED, OURS)
    assert (problem.kind, problem.subject) == ("lockfile-integrity", "ms@2.1.3")
    assert (problem.expected, problem.found) == (OURS, "sha512-BB==")
    assert problem.path == "package-lock.json"
    assert "packages['node_modules/ms']" in problem.what


@pytest.mark.parametrize(
    "changes",
    [
        {"source": source, "version": version, "integrity": ()}
        for source in Source
        if source not in (Source.REGISTRY, Source.BUNDLED)
        for version in ("2.1.3", "")
    ]
    + [
        {"source": Source.PATCH},
        {"source": Source.ALIAS, "version": "9.0.0"},
        {"source": Source.TARBALL, "integrity": ("sha512-BB==",)},
    ],
)
def test_source(changes: dict[str, Any]) -> None:
    """The pinned version from almost anywhere but the registry: its bytes are not fixed."""
    (problem,) = judge([copy(**changes)], PINNED, OURS)
    assert problem.kind == "lockfile-source"
    assert problem.found == changes["source"].value
    assert problem.remedy == "npm install ms@2.1.3"


def test_no_command() -> None:
    """A format that no tool owns gives no command."""
    pinned = Package(ecosystem="pypi", name="a", version="1.0")
    found = copy(version="1.0", source=Source.GIT, lockfile="more/base.txt", integrity=())
    (problem,) = judge([found], pinned, "sha256-aa")
    assert problem.remedy is None
