from pathlib import Path

import pytest

from patchtool.lockfiles import Source, resolved

from .conftest import CASES, Copies

BERRY = ["yarn-2", "yarn-4"]


@pytest.mark.parametrize("case", BERRY)
def test_release(case: str) -> None:
    """A release has no integrity: yarn's checksum is of yarn's own zip."""
    (copy,) = resolved(CASES / case, "npm", "@ai-sdk/provider-utils")
    assert (copy.version, copy.integrity, copy.source) == ("5.0.11", (), Source.REGISTRY)
    assert copy.lockfile == "yarn.lock"


@pytest.mark.parametrize("case", BERRY)
def test_every_copy(npm: Copies, case: str) -> None:
    """One entry may answer several names; each release is there once."""
    assert npm(case, "ms") == [
        ("2.0.0", Source.REGISTRY),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.GIT),
        ("2.1.3", Source.REGISTRY),
    ]


@pytest.mark.parametrize("case", BERRY)
@pytest.mark.parametrize(
    ("name", "copies"),
    [
        ("forked", [("1.0.0", Source.GIT)]),
        ("remote", [("1.2.0", Source.TARBALL)]),
        ("packed", [("1.3.0", Source.FILE)]),
        ("local", [("1.4.0", Source.FILE)]),
        ("linked", [("", Source.LINK)]),
        ("ported", [("", Source.LINK)]),
        ("member", [("", Source.WORKSPACE)]),
        ("once", [("2.0.0", Source.ALIAS)]),
        ("has-flag", [("4.0.0", Source.REGISTRY)]),
        ("debug", [("2.6.9", Source.PATCH), ("2.6.9", Source.REGISTRY)]),
    ],
)
def test_source(npm: Copies, case: str, name: str, copies: list[tuple[str, Source]]) -> None:
    """Each source is named; a package with a `patch:` is there both ways."""
    assert npm(case, name) == copies


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("https%3A%2F%2Fregistry.invalid%2Fms%2F-%2Fms-2.1.3.tgz", Source.REGISTRY),
        ("https%3A%2F%2Ffiles.invalid%2Fms.tgz", Source.TARBALL),
    ],
)
def test_archive_address(tmp_path: Path, address: str, source: Source) -> None:
    """An archive that a release is taken from is judged by its address."""
    (tmp_path / "yarn.lock").write_text(
        "__metadata:\n  version: 8\n\n"
        '"ms@npm:2.1.3":\n  version: 2.1.3\n'
        f'  resolution: "ms@npm:2.1.3::__archiveUrl={address}"\n'
    )
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert (copy.version, copy.source) == ("2.1.3", source)
