from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Source, resolved

from .conftest import CASES, UTILS, Copies

ALL = ["pnpm-5", "pnpm-6", "pnpm-9", "pnpm-9-two-documents"]


@pytest.mark.parametrize("case", ALL)
def test_release(case: str) -> None:
    """A release has its version without the peers that follow it."""
    (copy,) = resolved(CASES / case, "npm", "@ai-sdk/provider-utils")
    assert (copy.version, copy.integrity, copy.source) == ("5.0.11", (UTILS,), Source.REGISTRY)
    assert copy.lockfile == "pnpm-lock.yaml"


@pytest.mark.parametrize("case", ALL)
def test_every_copy(npm: Copies, case: str) -> None:
    """All releases that any importer or package asks for, and a fork in git."""
    assert npm(case, "ms") == [
        ("2.0.0", Source.REGISTRY),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.GIT),
        ("2.1.3", Source.REGISTRY),
    ]


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize(
    ("name", "version", "source"),
    [
        ("forked", "1.0.0", Source.GIT),
        ("remote", "1.2.0", Source.TARBALL),
        ("packed", "1.3.0", Source.FILE),
        ("linked", "", Source.LINK),
        ("member", "", Source.WORKSPACE),
        ("once", "2.0.0", Source.ALIAS),
        ("debug", "2.6.9", Source.PATCH),
        ("has-flag", "4.0.0", Source.REGISTRY),
    ],
)
def test_source(npm: Copies, case: str, name: str, version: str, source: Source) -> None:
    """Each source is named; pnpm's own patches and its overrides are seen."""
    assert npm(case, name) == [(version, source)]


@pytest.mark.parametrize(("case", "version"), [("pnpm-5", "1.4.0"), ("pnpm-9", "")])
def test_directory(npm: Copies, case: str, version: str) -> None:
    """A directory is no link; later versions do not record its version."""
    assert npm(case, "local") == [(version, Source.FILE)]


def test_own_document(npm: Copies) -> None:
    """What pnpm keeps for itself in a first document is not what the project gets."""
    assert "is-odd" in (CASES / "pnpm-9-two-documents/pnpm-lock.yaml").read_text()
    assert npm("pnpm-9-two-documents", "is-odd") == []


def test_without_importers(tmp_path: Path) -> None:
    """A project without a workspace has its dependencies at the top."""
    (tmp_path / "pnpm-lock.yaml").write_text(
        "lockfileVersion: 5.3\ndependencies:\n  once: /ms/2.0.0\n  l: link:../l\n"
        "packages:\n  /ms/2.0.0:\n    resolution: {integrity: sha512-AA==}\n"
    )
    (alias,) = resolved(tmp_path, "npm", "once")
    (link,) = resolved(tmp_path, "npm", "l")
    assert (alias.version, alias.source, alias.place) == (
        "2.0.0",
        Source.ALIAS,
        "dependencies.once",
    )
    assert link.source is Source.LINK


def test_alias_with_peers(tmp_path: Path) -> None:
    """The peers of an alias are no part of the key that its package stands at."""
    (tmp_path / "pnpm-lock.yaml").write_text(
        "lockfileVersion: '9.0'\nimporters:\n  .:\n    devDependencies:\n      a:\n"
        "        specifier: npm:b@1\n        version: b@1.0.0(c@2.0.0)\n"
        "packages:\n  b@1.0.0:\n    resolution: {integrity: sha512-AA==}\n"
    )
    (copy,) = resolved(tmp_path, "npm", "a")
    assert (copy.version, copy.source) == ("1.0.0", Source.ALIAS)


def test_fork_under_another_name(tmp_path: Path) -> None:
    """A fork that calls itself otherwise is still what this name gets."""
    (tmp_path / "pnpm-lock.yaml").write_text(
        "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      ms:\n"
        "        specifier: x\n        version: '@t/fork@https://git.invalid/f.tgz'\n"
        "packages:\n  '@t/fork@https://git.invalid/f.tgz':\n"
        "    resolution: {tarball: 'https://git.invalid/f.tgz'}\n    version: 2.1.3\n"
    )
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert (copy.version, copy.source) == ("2.1.3", Source.TARBALL)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("lockfileVersion: '10.0'\n", "lockfileVersion"),
        (
            "lockfileVersion: '9.0'\npackages:\n  ms@1.0.0:\n    resolution: {type: custom}\n",
            "packages['ms@1.0.0'].resolution.type",
        ),
        (
            "lockfileVersion: '9.0'\npackages:\n  ms@1.0.0: {}\n",
            "packages['ms@1.0.0'].resolution",
        ),
    ],
)
def test_unknown(tmp_path: Path, text: str, path: str) -> None:
    """What is not known is refused by its key."""
    (tmp_path / "pnpm-lock.yaml").write_text(text)
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, "npm", "ms")
    assert raised.value.problem.path == path
