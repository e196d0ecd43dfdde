"""The lockfiles of Python's tools: uv.lock, pylock.toml, poetry.lock, Pipfile.lock."""

import sys
from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Source, resolved

from .conftest import CASES, Copies

IDNA = {
    "sha256-12f65c9b470abda6dc35cf8e63cc574b1c52b11df2c86030af0ac09b01b13ea9",
    "sha256-946d195a0d259cbba61165e88e65941f16e9b36ea6ddb97f00452bae8b1287d3",
}
FILES = {
    "uv": "uv.lock",
    "pylock": "pylock.toml",
    "poetry": "poetry.lock",
    "pipenv": "Pipfile.lock",
    "requirements": "requirements.txt",
}
FORK = "24.2" if sys.version_info >= (3, 14) else "24.0"


@pytest.mark.parametrize("case", FILES)
def test_release(case: str) -> None:
    """A release has the hashes of all its archives, of which an installer takes one."""
    (copy,) = resolved(CASES / case, "pypi", "IDNA")
    assert (copy.version, set(copy.integrity), copy.source) == ("3.10", IDNA, Source.REGISTRY)
    assert copy.lockfile == FILES[case]


@pytest.mark.parametrize("case", ["uv", "pylock", "poetry", "requirements"])
def test_fork(pypi: Copies, case: str) -> None:
    """Of two releases for different interpreters, the one for that which runs counts."""
    assert pypi(case, "packaging") == [(FORK, Source.REGISTRY)]


@pytest.mark.parametrize("case", ["pylock", "pipenv", "requirements"])
def test_marker(pypi: Copies, case: str) -> None:
    """A release that is for older interpreters alone is not what the project gets."""
    assert pypi(case, "tomli") == []


@pytest.mark.parametrize(
    ("case", "name", "version", "source"),
    [
        ("uv", "six", "1.17.0", Source.GIT),
        ("uv", "remote_py", "1.2.0", Source.TARBALL),
        ("uv", "local.py", "1.4.0", Source.LINK),
        ("uv", "member-py", "0.1.0", Source.WORKSPACE),
        ("uv", "app", "1.0.0", Source.WORKSPACE),
        ("pylock", "six", "1.17.0", Source.GIT),
        ("pylock", "remote-py", "1.2.0", Source.TARBALL),
        ("pylock", "local-py", "", Source.LINK),
        ("poetry", "six", "1.17.0", Source.GIT),
        ("poetry", "remote-py", "1.2.0", Source.TARBALL),
        ("poetry", "local-py", "1.4.0", Source.LINK),
        ("poetry", "packed-py", "1.3.0", Source.FILE),
        ("pipenv", "six", "", Source.GIT),
        ("pipenv", "remote-py", "", Source.TARBALL),
        ("pipenv", "local-py", "", Source.LINK),
        ("pipenv", "packaging", "24.0", Source.REGISTRY),
        ("requirements", "forked-py", "", Source.GIT),
        ("requirements", "remote-py", "1.2.0", Source.TARBALL),
    ],
)
def test_source(pypi: Copies, case: str, name: str, version: str, source: Source) -> None:
    """Each source is named, under any spelling of the package's name."""
    assert pypi(case, name) == [(version, source)]


def test_poetry_1(tmp_path: Path) -> None:
    """Older versions list the files at the end; newer ones may have a marker for each group."""
    (tmp_path / "poetry.lock").write_text(
        '[[package]]\nname = "A.b"\nversion = "1.0"\n'
        "[package.markers]\nmain = \"python_version < '3'\"\ndev = \"python_version > '3'\"\n"
        '[[package]]\nname = "a-b"\nversion = "2.0"\n'
        "[package.markers]\nmain = \"python_version < '3'\"\n"
        '[metadata.files]\na-b = [{file = "a_b.whl", hash = "sha256:aa"}]\n'
    )
    (copy,) = resolved(tmp_path, "pypi", "a_b")
    assert (copy.version, copy.integrity) == ("1.0", ("sha256-aa",))


def test_poetry_develop(tmp_path: Path) -> None:
    """A fork in git that is installed for development is still a fork in git."""
    (tmp_path / "poetry.lock").write_text(
        '[[package]]\nname = "a"\nversion = "1.0"\ndevelop = true\n'
        '[package.source]\ntype = "git"\nurl = "ssh://git@git.invalid/a.git"\n'
    )
    (copy,) = resolved(tmp_path, "pypi", "a")
    assert copy.source is Source.GIT


def test_pylock_extra(tmp_path: Path) -> None:
    """What only an extra or a group asks for counts; an archive beside the file is a file."""
    package = '[[packages]]\nname = "a"\nversion = "1.0"\nmarker = "{}"\n'
    archive = 'archive = {path = "a.zip", hashes = {sha256 = "aa"}}\n'
    markers = ("'x' in extras", "'d' in dependency_groups", "'y' in extras")
    (tmp_path / "pylock.toml").write_text(
        'lock-version = "1.0"\ncreated-by = "x"\nextras = ["x"]\ndependency-groups = ["d"]\n'
        + "".join(package.format(marker) + archive for marker in markers)
    )
    copies = resolved(tmp_path, "pypi", "a")
    assert [copy.place for copy in copies] == ["packages[0]", "packages[1]"]
    assert {(copy.integrity, copy.source) for copy in copies} == {(("sha256-aa",), Source.FILE)}


@pytest.mark.parametrize(
    ("file", "text", "path"),
    [
        ("uv.lock", "version = 2\n", "version"),
        (
            "uv.lock",
            'version = 1\n[[package]]\nname = "a"\nsource = {x = "y"}\n',
            "package[0].source",
        ),
        (
            "uv.lock",
            'version = 1\n[[package]]\nname = "a"\nresolution-markers = ["?"]\n',
            "package[0].resolution-markers[0]",
        ),
        ("pylock.toml", 'lock-version = "1.0"\ncreated-by = "x"\n', "packages"),
        ("pylock.toml", 'lock-version = "2.0"\ncreated-by = "x"\npackages = []\n', "pylock.toml"),
        (
            "poetry.lock",
            '[[package]]\nname = "a"\n[package.source]\ntype = "x"\n',
            "package[0].source.type",
        ),
        ("Pipfile.lock", '{"default": {"a": {"version": 1}}}', "default.a.version"),
    ],
)
def test_broken(tmp_path: Path, file: str, text: str, path: str) -> None:
    """What is not known or not of the right type is refused by its key."""
    (tmp_path / file).write_text(text)
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, "pypi", "a")
    assert raised.value.problem.path == path
    assert raised.value.problem.kind == "lockfile"
