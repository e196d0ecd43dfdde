"""The commands on a project that pins an npm, a PyPI and a vendored package at once."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from npm_registry import Registry
from patch_making import file, patch_text
from patchtool import cli
from pypi_index import Index

OLD, NEW = file("value = 1\n"), file("value = 2\n")

MANIFEST = """
[[fix]]
name = "one"
summary = "everything is one too small"
delete-when = "it is not"

[[fix.pin]]
packages = ["pkg:npm/left@1.0.0"]

[[fix.pin]]
packages = ["pkg:pypi/demo@1.2.0"]

[[fix.pin]]
packages = ["pkg:generic/own@3.0"]

[fix.pin.vendored.own]
path = "lib/own"
origin = "{address}"
origin-path = "src"
leave-out = ["tests/*"]
added = ["NOTES"]
"""


def make_tarball(files: dict[str, bytes]) -> bytes:
    """An archive with a first directory, as hosts of repositories make them."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, data in files.items():
            member = tarfile.TarInfo(f"own-3.0/{path}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)


@pytest.fixture
def app(
    registry: Registry,
    index: Index,
    pip_environment: dict[str, str],
    venv: Path,
    pip: Callable[..., str],
    wheels: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The project, with all three in place and pristine."""
    root = tmp_path / "app"
    registry.publish("left", "1.0.0", {"a.js": OLD.data})
    registry.serve()
    index.release("demo", "1.2.0", {"demo/a.py": OLD.data})
    index.serve()
    tarball = make_tarball({"src/x.py": OLD.data, "src/tests/t": b"", "setup.py": b""})
    index.server.answer("/own-3.0.tar.gz", tarball)
    wheels("demo", "1.2.0", {"demo/a.py": OLD.data})
    pip("install", "demo")
    for path, data in {
        "node_modules/left/package.json": b'{"name": "left", "version": "1.0.0"}',
        "node_modules/left/a.js": OLD.data,
        "lib/own/x.py": OLD.data,
        "lib/own/NOTES": b"ours",
        "patches/left+1.0.0.patch": patch_text({"a.js": (OLD, NEW)}, "node_modules/left/"),
        "patches/demo+1.2.0.patch": patch_text({"demo/a.py": (OLD, NEW)}),
        "patches/own+3.0.patch": patch_text({"x.py": (OLD, NEW)}, "lib/own/"),
        "patches/patches.toml": MANIFEST.format(
            address=f"{index.server.url}/own-3.0.tar.gz"
        ).encode(),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    for name, value in {
        **pip_environment,
        "THE_TOKEN": "s3cret",
        "PATCHTOOL_CACHE": str(tmp_path / "cache"),
        "VIRTUAL_ENV": str(venv),
        "PATCHTOOL_PYTHON": "",
        "npm_config_cache": str(tmp_path / "npm-cache"),
    }.items():
        monkeypatch.setenv(name, value)
    return root


@pytest.fixture
def patchtool(app: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any]]:
    """Run a command on the project; its exit code and its document."""

    def run(command: str, *arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = cli.main([command, "--root", str(app), "--json", *arguments])
        return code, json.loads(capsys.readouterr().out)

    return run


def places(app: Path, venv: Path) -> Iterator[Path]:
    """The three patched files."""
    yield app / "node_modules/left/a.js"
    yield next(venv.glob("lib/python*/site-packages")) / "demo/a.py"
    yield app / "lib/own/x.py"


def contents(*roots: Path) -> dict[Path, bytes]:
    """Every file below some directories."""
    return {path: path.read_bytes() for root in roots for path in root.rglob("*") if path.is_file()}


def test_the_commands_serve_all_three_at_once(
    app: Path, venv: Path, patchtool: Callable[..., tuple[int, Any]]
) -> None:
    """Locked, proved, applied, shown, and taken off again."""
    assert patchtool("lock")[0] == cli.YES
    assert patchtool("check-pristine", "--unpatched")[0] == cli.YES
    before = contents(app, venv)
    code, said = patchtool("check-pristine")
    assert code == cli.NO
    problems = [problem for proof in said["proofs"] for problem in proof["problems"]]
    assert [problem["path"] for problem in problems] == ["lib/own/x.py"]
    assert patchtool("apply")[0] == cli.YES
    assert [path.read_bytes() for path in places(app, venv)] == [NEW.data] * 3
    assert patchtool("check-pristine", "--offline")[0] == cli.YES
    code, said = patchtool("status")
    assert code == cli.YES
    assert json.dumps(said).count('"patched"') >= 3
    assert patchtool("apply", "--reverse")[0] == cli.YES
    after = contents(app, venv)
    stale = next(venv.glob("lib/python*/site-packages/demo/__pycache__"), None)
    assert stale is None or not list(stale.glob("a.*"))
    assert after.items() <= before.items()


def test_one_foreign_file_and_nothing_is_written(
    app: Path, venv: Path, patchtool: Callable[..., tuple[int, Any]]
) -> None:
    """Whichever of the three it is in."""
    assert patchtool("lock")[0] == cli.YES
    for place in places(app, venv):
        place.write_bytes(b"edited\n")
        before = contents(app, venv)
        code, said = patchtool("apply")
        assert code == cli.NO
        (problem,) = said["problems"]
        assert problem["kind"] == "foreign"
        assert contents(app, venv) == before
        place.write_bytes(OLD.data)


def test_an_added_file_in_the_vendored_tree_is_found(
    app: Path, patchtool: Callable[..., tuple[int, Any]]
) -> None:
    """Declared files may be there; others are differences, with their paths."""
    assert patchtool("lock")[0] == cli.YES
    (app / "lib/own/more.py").touch()
    (app / "lib/own/NOTES").unlink()
    code, said = patchtool("check-pristine", "--unpatched")
    problems = [problem for proof in said["proofs"] for problem in proof["problems"]]
    assert code == cli.NO
    assert [(problem["kind"], problem["path"]) for problem in problems] == [
        ("unexpected", "lib/own/more.py"),
        ("missing", "lib/own/NOTES"),
    ]


def test_another_environment_may_be_named(
    app: Path, patchtool: Callable[..., tuple[int, Any]]
) -> None:
    """--python says where the Python packages are."""
    assert patchtool("lock")[0] == cli.YES
    code, said = patchtool("apply", "--python", str(app))
    assert code == cli.NO
    assert [(problem["kind"], problem["subject"]) for problem in said["problems"]] == [
        ("missing", "demo")
    ]
    assert (app / "lib/own/x.py").read_bytes() == OLD.data


GUARDED = """
[[fix]]
name = "one"
summary = "everything is one too small"
delete-when = "it is not"

[fix.guard]
path = "guard/one"

[[fix.pin]]
packages = ["pkg:pypi/demo@1.2.0"]
"""

GUARD = """
import subprocess

import pytest

SCRIPT = "import sys, demo.a; sys.exit(demo.a.value != int(sys.argv[1]))"

@pytest.fixture
def check(stack_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    return lambda value: subprocess.run([*stack_python, script, str(value)]).returncode

def test_it_is_large_enough(check):
    assert check(2) == 0

def test_it_is_not_too_large(check):
    assert check(3) == 1
"""


# Each of Python's lockfiles, as small as it can be.
LOCKFILES = {
    "uv.lock": """
version = 1
requires-python = ">=3.11"
[[package]]
name = "app"
version = "1.0"
source = { virtual = "." }
dependencies = [{ name = "demo" }]
[[package]]
name = "demo"
version = "1.3.0"
source = { registry = "https://registry.invalid/simple" }
""",
    "pylock.toml": """
lock-version = "1.0"
created-by = "somebody"
[[packages]]
name = "demo"
version = "1.3.0"
index = "https://registry.invalid/simple"
[[packages.wheels]]
url = "https://registry.invalid/demo-1.3.0-py3-none-any.whl"
hashes = { sha256 = "%s" }
"""
    % ("0" * 64),
    "requirements.txt": "demo==1.3.0\n",
}


def test_a_guard_judges_releases_of_a_python_package(
    index: Index, patchtool: Callable[..., tuple[int, Any]], app: Path, pip: Callable[..., str]
) -> None:
    """The grid on the pin, on two other releases, and on what a clone's lockfile gives."""
    index.release("demo", "1.3.0", {"demo/a.py": OLD.data, "demo/b.py": b""})
    index.release("demo", "1.4.0", {"demo/a.py": NEW.data})
    index.serve()
    index.server._answers["/simple/demo/"].pop(0)
    for patch in ("left+1.0.0.patch", "own+3.0.patch"):
        (app / "patches" / patch).unlink()
    (app / "patches/patches.toml").write_text(GUARDED)
    (app / "guard/one").mkdir(parents=True)
    (app / "guard/one/test_one.py").write_text(GUARD)
    assert patchtool("lock")[0] == cli.YES
    code, said = patchtool("guard")
    assert code == cli.YES
    assert sorted(said["pins"][0]["cases"].values()) == ["control", "needed"]
    assert patchtool("should-delete", "--to", "1.3.0")[0] == cli.NO
    assert patchtool("should-delete", "--to", "1.4.0")[0] == cli.YES
    assert patchtool("should-delete", "--to", "1.5.0")[0] == cli.UNKNOWN
    pip("uninstall", "--yes", "demo")
    for name, text in LOCKFILES.items():
        (app / name).write_text(text)
        code, said = patchtool("should-delete")
        reason = said["pins"][0]["candidate"]["reason"]
        assert (code, reason) == (cli.NO, f"1.3.0 is what {name} will install here")
        (app / name).unlink()
