"""Which lockfiles count, and what happens with those that cannot be read."""

import json
import os
from pathlib import Path

import pytest

from patchtool.errors import CannotTell
from patchtool.lockfiles import resolved
from patchtool.lockfiles.formats import FORMATS

MS = '{"lockfileVersion": 3, "packages": {"node_modules/ms": {"version": "2.1.3"}}}'
FILES = [(ecosystem, file) for ecosystem, files in FORMATS.items() for file in files]


def test_nothing(tmp_path: Path) -> None:
    """No lockfile says nothing, and so does one without the package."""
    (tmp_path / ".git").mkdir()
    assert resolved(tmp_path, "npm", "ms") == ()
    (tmp_path / "package-lock.json").write_text(MS)
    assert resolved(tmp_path, "npm", "debug") == ()
    assert resolved(tmp_path, "pypi", "ms") == ()


def test_several(tmp_path: Path) -> None:
    """Lockfiles that disagree are all heard."""
    (tmp_path / "package-lock.json").write_text(MS)
    (tmp_path / "yarn.lock").write_text('ms@2:\n  version "2.0.0"\n')
    assert [(copy.lockfile, copy.version) for copy in resolved(tmp_path, "npm", "ms")] == [
        ("package-lock.json", "2.1.3"),
        ("yarn.lock", "2.0.0"),
    ]


@pytest.mark.parametrize(
    ("file", "text"),
    [("package.json", '{"workspaces": ["packages/*"]}'), ("pnpm-workspace.yaml", "")],
)
def test_workspace(tmp_path: Path, file: str, text: str) -> None:
    """A member of a workspace gets what the lockfile of its root says."""
    member = tmp_path / "packages" / "member"
    member.mkdir(parents=True)
    (tmp_path / "package-lock.json").write_text(MS)
    assert resolved(member, "npm", "ms") == ()
    (tmp_path / file).write_text(text)
    (copy,) = resolved(member, "npm", "ms")
    assert copy.lockfile == "../../package-lock.json"


def test_workspace_of_uv(tmp_path: Path) -> None:
    """The workspaces of uv are declared in pyproject.toml."""
    member = tmp_path / "member"
    member.mkdir()
    (tmp_path / "requirements.txt").write_text("a==1.0\n")
    assert resolved(member, "pypi", "a") == ()
    (tmp_path / "pyproject.toml").write_text('[tool.uv.workspace]\nmembers = ["*"]\n')
    assert [copy.version for copy in resolved(member, "pypi", "a")] == ["1.0"]


def test_own_repository(tmp_path: Path) -> None:
    """Above the top of a repository nothing is looked for."""
    (tmp_path / "package-lock.json").write_text(MS)
    (tmp_path / "package.json").write_text('{"workspaces": ["*"]}')
    inner = tmp_path / "inner"
    (inner / ".git").mkdir(parents=True)
    assert resolved(inner, "npm", "ms") == ()


@pytest.mark.parametrize(("ecosystem", "file"), FILES)
@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD\n",
        b"a\0b",
        b"\xff\xfe",
        b"\x01: ]{[",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a": ' * 100_000,
        b"a = " + b"[" * 100_000,
        b"[[]]",
        b'{"packages": 1, "lockfileVersion": "x"}',
        b"*x",
    ],
    ids=lambda data: repr(data[:8]),
)
def test_unreadable(tmp_path: Path, ecosystem: str, file: str, data: bytes) -> None:
    """A lockfile that is there and cannot be read is an error that names it, whatever is in it."""
    (tmp_path / file).write_bytes(data)
    with pytest.raises(CannotTell) as raised:
        resolved(tmp_path, ecosystem, "ms")
    problem = raised.value.problem
    assert problem.kind == "lockfile"
    assert file in (problem.path, problem.subject)
    assert problem.remedy == FORMATS[ecosystem][file].refresh


@pytest.mark.parametrize(("ecosystem", "file"), FILES)
def test_not_a_file(tmp_path: Path, ecosystem: str, file: str) -> None:
    """A pipe, a directory or a dangling link is refused, and not waited for."""
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("nowhere")):
        root = tmp_path / str(make)
        root.mkdir()
        make(root / file)
        with pytest.raises(CannotTell):
            resolved(root, ecosystem, "ms")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a limit to what is read."""
    monkeypatch.setattr("patchtool.lockfiles.lockfile.LIMIT", 10)
    (tmp_path / "package-lock.json").write_text(MS)
    with pytest.raises(CannotTell, match="too large"):
        resolved(tmp_path, "npm", "ms")


def test_deep_yaml(tmp_path: Path) -> None:
    """YAML nested by indentation has a limit too."""
    (tmp_path / "pnpm-lock.yaml").write_text("- " * 100_000)
    with pytest.raises(CannotTell, match="YAML"):
        resolved(tmp_path, "npm", "ms")


def test_shared_values(tmp_path: Path) -> None:
    """YAML that stands for far more than it says is read in the time of its text."""
    lines = ["lockfileVersion: '9.0'", "a0: &a0 {x: y}"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    (tmp_path / "pnpm-lock.yaml").write_text("\n".join([*lines, "packages: {}"]))
    assert resolved(tmp_path, "npm", "ms") == ()


def test_deep_dependencies(tmp_path: Path) -> None:
    """Entries nested as deep as JSON can be read are walked without recursion."""
    entry: dict[str, object] = {"version": "1.0.0"}
    for _ in range(150):
        entry = {"version": "2.0.0", "dependencies": {"a": entry}}
    (tmp_path / "package-lock.json").write_text(
        json.dumps({"lockfileVersion": 1, "dependencies": {"a": entry}})
    )
    assert len(resolved(tmp_path, "npm", "a")) == 151
