from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Source, resolved

from .conftest import CASES, UTILS, Copies

ALL = ["bun-1", "bun-2"]


@pytest.mark.parametrize("case", ALL)
def test_release(case: str) -> None:
    """A release has its version and its integrity; trailing commas are read."""
    (copy,) = resolved(CASES / case, "npm", "@ai-sdk/provider-utils")
    assert (copy.version, copy.integrity, copy.source) == ("5.0.11", (UTILS,), Source.REGISTRY)
    assert (copy.lockfile, copy.place) == ("bun.lock", "packages['@ai-sdk/provider-utils']")


@pytest.mark.parametrize("case", ALL)
def test_every_copy(npm: Copies, case: str) -> None:
    """Nested copies and aliases are found; bun records no version for a git address."""
    assert npm(case, "ms") == [
        ("", Source.GIT),
        ("2.0.0", Source.REGISTRY),
        ("2.0.0", Source.REGISTRY),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.REGISTRY),
    ]


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize(
    ("name", "version", "source"),
    [
        ("forked", "", Source.GIT),
        ("remote", "", Source.TARBALL),
        ("packed", "", Source.FILE),
        ("local", "", Source.FILE),
        ("member", "0.1.0", Source.WORKSPACE),
        ("once", "2.0.0", Source.ALIAS),
        ("debug", "2.6.9", Source.PATCH),
        ("has-flag", "4.0.0", Source.REGISTRY),
    ],
)
def test_source(npm: Copies, case: str, name: str, version: str, source: Source) -> None:
    """Each source is named; bun's own patches and its overrides are seen."""
    assert npm(case, name) == [(version, source)]


def test_commas_in_strings(tmp_path: Path) -> None:
    """Only a comma outside strings is dropped."""
    (tmp_path / "bun.lock").write_text(
        '{"lockfileVersion": 1, "packages": {'
        '"a": ["a@1.0.0", "", {"x": ",}\\",]"}, "sha512-AA==",],},}'
    )
    (copy,) = resolved(tmp_path, "npm", "a")
    assert (copy.version, copy.integrity) == ("1.0.0", ("sha512-AA==",))


def test_archive_address(tmp_path: Path) -> None:
    """An archive that a release is taken from is judged by its address."""
    (tmp_path / "bun.lock").write_text(
        '{"lockfileVersion": 1, "packages": {'
        '"a/@s/n": ["@s/n@1.0.0", "https://files.invalid/n.tgz", {}, "sha512-AA=="]}}'
    )
    (copy,) = resolved(tmp_path, "npm", "@s/n")
    assert copy.source is Source.TARBALL


def test_binary() -> None:
    """The binary lockfile is refused with the command that makes a readable one."""
    with pytest.raises(CannotTell) as raised:
        resolved(CASES / "bun-binary", "npm", "ms")
    assert "--save-text-lockfile" in str(raised.value.problem.remedy)
    assert raised.value.problem.path == "bun.lockb"


def test_binary_beside_text(tmp_path: Path) -> None:
    """Beside bun.lock the binary one does not count, as for bun."""
    (tmp_path / "bun.lockb").write_bytes(b"#!/usr/bin/env bun\n")
    (tmp_path / "bun.lock").write_text('{"lockfileVersion": 1, "packages": {}}')
    assert resolved(tmp_path, "npm", "ms") == ()


def test_unknown_version(tmp_path: Path) -> None:
    """A lockfile of a version to come is not guessed at."""
    (tmp_path / "bun.lock").write_text('{"lockfileVersion": 3, "packages": {}}')
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, "npm", "ms")
    assert raised.value.problem.expected == "0, 1 or 2"
