from base64 import b64encode
from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Source, resolved

from .conftest import CASES, UTILS, Copies


def test_release() -> None:
    """A release has its integrity, and its line as the place."""
    (copy,) = resolved(CASES / "yarn-1", "npm", "@ai-sdk/provider-utils")
    assert (copy.version, copy.integrity, copy.source) == ("5.0.11", (UTILS,), Source.REGISTRY)
    assert (copy.lockfile, copy.place) == ("yarn.lock", "line 5")


def test_every_copy(npm: Copies) -> None:
    """Every entry counts, under its own name or an alias."""
    assert npm("yarn-1", "ms") == [
        ("2.0.0", Source.REGISTRY),
        ("2.0.0", Source.REGISTRY),
        ("2.1.2", Source.REGISTRY),
        ("2.1.3", Source.GIT),
        ("2.1.3", Source.REGISTRY),
    ]


@pytest.mark.parametrize(
    ("name", "version", "source"),
    [
        ("forked", "1.0.0", Source.GIT),
        ("remote", "1.2.0", Source.TARBALL),
        ("packed", "1.3.0", Source.FILE),
        ("local", "1.4.0", Source.FILE),
        ("linked", "", Source.LINK),
        ("once", "2.0.0", Source.ALIAS),
        ("has-flag", "4.0.0", Source.REGISTRY),
    ],
)
def test_source(npm: Copies, name: str, version: str, source: Source) -> None:
    """Each source is named; a resolution gives its version."""
    assert npm("yarn-1", name) == [(version, source)]


def test_commit() -> None:
    """The commit that ends a git address is no checksum of an archive."""
    (copy,) = resolved(CASES / "yarn-1", "npm", "forked")
    assert copy.integrity == ()


def test_sha1(tmp_path: Path) -> None:
    """Before yarn wrote an integrity, the address of an archive ended in its SHA-1."""
    digest = "574c8138ce1d2b5861f0b44579dbadd60c6615b2"
    (tmp_path / "yarn.lock").write_text(
        '# yarn lockfile v1\r\n\r\nms@^2.0.0, "ms@>= 2 < 3":\r\n  version "2.1.3"\r\n'
        f'  resolved "https://registry.invalid/ms/-/ms-2.1.3.tgz#{digest}"\r\n'
    )
    (copy,) = resolved(tmp_path, "npm", "ms")
    assert copy.integrity == (f"sha1-{b64encode(bytes.fromhex(digest)).decode()}",)
    assert copy.source is Source.REGISTRY


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        'version "1.0.0"',
        '  version "1.0.0',
        "   version 1",
        "ms@1",
        '"ms@1:',
        "  a b c",
    ],
)
def test_other_lines(tmp_path: Path, line: str) -> None:
    """A line that yarn does not write is refused by its number, not skipped."""
    (tmp_path / "yarn.lock").write_text(f'# yarn lockfile v1\nms@1:\n  version "1.0.0"\n{line}\n')
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, "npm", "ms")
    assert (raised.value.problem.line, raised.value.problem.path) == (4, "yarn.lock")
    assert raised.value.problem.remedy == "yarn install"
