from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import Resolved, Source, resolved


def read(root: Path, text: str, name: str = "a") -> tuple[Resolved, ...]:
    """The copies of a package in a requirements.txt of this text."""
    (root / "requirements.txt").write_text(text)
    return resolved(root, "pypi", name)


@pytest.mark.parametrize(
    ("text", "version", "source"),
    [
        ("A==1.0", "1.0", Source.REGISTRY),
        ("a[x,y] == 1.0  # why", "1.0", Source.REGISTRY),
        ("a===1.0+local", "1.0+local", Source.REGISTRY),
        ("a>=0.5,==1.0; python_version > '3'", "1.0", Source.REGISTRY),
        ("a==1.0 --config-settings x=y", "1.0", Source.REGISTRY),
        ("a @ git+ssh://git@git.invalid/a.git@abc", "", Source.GIT),
        ("git+https://git.invalid/a.git@abc#subdirectory=x&egg=a", "", Source.GIT),
        ("-e git+https://git.invalid/a.git#egg=a", "", Source.GIT),
        (
            "a @ https://files.invalid/a-1.0-py3-none-any.whl ; python_version > '3'",
            "1.0",
            Source.TARBALL,
        ),
        ("https://files.invalid/a-1.0.tar.gz#egg=a", "", Source.TARBALL),
        ("./wheels/a-1.0-py3-none-any.whl", "1.0", Source.FILE),
        ("a @ file:///x/a", "", Source.FILE),
        ("--editable=./a#egg=a", "", Source.LINK),
    ],
)
def test_pinned(tmp_path: Path, text: str, version: str, source: Source) -> None:
    """Every form of a line that fixes a version or an address is read."""
    (copy,) = read(tmp_path, f"{text}\n")
    assert (copy.version, copy.source, copy.place) == (version, source, "line 1")


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a>=1.0",
        "a==1.*",
        "a==1.0; python_version < '3'",
        "ab==1.0",
        "# a==1.0",
        "--index-url https://index.invalid/a==1.0",
        "-e ./a",
        "./a",
    ],
)
def test_not_pinned(tmp_path: Path, text: str) -> None:
    """A line that leaves the version open, or is for others, says nothing."""
    assert read(tmp_path, f"{text}\n") == ()


def test_hashes(tmp_path: Path) -> None:
    """The hashes of continued lines belong to the line they began on."""
    (copy,) = read(
        tmp_path,
        "b==2.0\r\na==1.0 \\\r\n    --hash=sha256:aa \\\r\n    --hash sha256:bb\r\n    # via x\r\n",
    )
    assert (copy.integrity, copy.place) == (("sha256-aa", "sha256-bb"), "line 2")


def test_comment_ends_continuation(tmp_path: Path) -> None:
    """As for pip, a comment ends the line that was continued into it."""
    (copy,) = read(tmp_path, "a==1.0\\\n# via x \\\nb==2.0\n")
    assert copy.version == "1.0"
    assert [found.version for found in resolved(tmp_path, "pypi", "b")] == ["2.0"]


def test_includes(tmp_path: Path) -> None:
    """Included files and constraints are read from where they stand, each once."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "base.txt").write_text(
        "-r ../requirements.txt\n\na==1.0\n-c'limits.txt'\n"
    )
    (tmp_path / "more" / "limits.txt").write_text("a==1.0\n")
    copies = read(tmp_path, "-r more/base.txt\n--requirement=more/base.txt\n")
    assert [(copy.lockfile, copy.place) for copy in copies] == [
        ("more/base.txt", "line 3"),
        ("more/limits.txt", "line 1"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("b==1.0\na=1.0\n", 2, "not a requirement"),
        ("-r https://files.invalid/r.txt\n", 1, "by its address"),
    ],
)
def test_broken(tmp_path: Path, text: str, line: int, what: str) -> None:
    """What cannot be read is refused by its line."""
    with pytest.raises(CannotTell) as raised:
        read(tmp_path, text)
    assert raised.value.problem.line == line
    assert what in raised.value.problem.what


def test_missing_include(tmp_path: Path) -> None:
    """An included file that is not there is named."""
    with pytest.raises(CannotTell) as raised:
        read(tmp_path, "-r other.txt\n")
    assert raised.value.problem.path == "other.txt"


def test_too_many_includes(tmp_path: Path) -> None:
    """A chain of files has an end."""
    for number in range(200):
        (tmp_path / f"{number}.txt").write_text(f"-r {number + 1}.txt\n")
    with pytest.raises(CannotTell, match="too many files"):
        read(tmp_path, "-r 0.txt\n")
