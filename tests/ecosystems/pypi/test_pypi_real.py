"""Real packages under real installers, with the user's own indexes."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from uv import find_uv_bin

from patchtool.ecosystems import Copy, pypi
from patchtool.files import File
from patchtool.package import Package
from patchtool.store import Store
from patchtool.tree import reader, swap

pytestmark = pytest.mark.network

SIX = Package(ecosystem="pypi", name="six", version="1.17.0")
IDNA = Package(ecosystem="pypi", name="idna", version="3.10")
MORE = b"\nPATCHED = True\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with pip as this machine has it."""
    place = tmp_path_factory.mktemp("store")
    return Store(directory=place / "cache", root=place, environment=dict(os.environ))


@pytest.fixture
def uv(tmp_path: Path) -> Callable[..., str]:
    """Run uv with a cache of its own; keywords are further variables.

    The program itself: under `python -m uv` it takes that Python's environment for its own.
    """

    def run(*arguments: str | Path, **variables: str) -> str:
        done = subprocess.run(
            [find_uv_bin(), *arguments],
            env=os.environ
            | {"UV_CACHE_DIR": str(tmp_path / "uv"), "UV_LINK_MODE": "hardlink"}
            | variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


def copy_in(environment: Path, package: Package) -> Copy:
    """The installed copy of a package in an environment."""
    found = pypi.installed(environment.parent, [package.name], {"VIRTUAL_ENV": str(environment)})
    (copy,) = found[package.name]
    return copy


def contents(directory: Path) -> Mapping[str, bytes]:
    """Every file below a directory."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def patch(copy: Copy, path: str) -> None:
    """Add a line to a module, as `apply` would."""
    found = reader(copy.directory)(path)
    assert isinstance(found, File)
    changes: dict[str, File | None] = {path: File(data=found.data + MORE, mode=found.mode)}
    swap({**changes, **pypi.companions(copy, changes)}, copy.directory)


@pytest.mark.parametrize("package", [SIX, IDNA])
def test_installed_files_are_the_artefacts(
    package: Package, store: Store, tmp_path: Path, uv: Callable[..., str]
) -> None:
    """What pip and uv install is, file by file and mode by mode, what the wheel has."""
    artefact = pypi.artefact(package, pypi.integrity(package, store), store)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", tmp_path / "one"], check=True, timeout=60
    )
    requirement = f"{package.name}=={package.version}"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", tmp_path / "one", "install", "-q", requirement],
        check=True,
        timeout=120,
    )
    uv("venv", "two", "--python", sys.executable)
    uv("pip", "install", requirement, VIRTUAL_ENV=str(tmp_path / "two"))
    for environment in (tmp_path / "one", tmp_path / "two"):
        copy = copy_in(environment, package)
        assert copy.version == package.version
        read = reader(copy.directory)
        assert {path: read(path) for path in artefact} == dict(artefact)


def test_uvs_cache_keeps_its_bytes(tmp_path: Path, uv: Callable[..., str]) -> None:
    """A patched environment leaves the cache alone: the next one, made offline, is pristine."""
    uv("venv", "one", "--python", sys.executable)
    one, two = tmp_path / "one", tmp_path / "two"
    uv("pip", "install", "six==1.17.0", VIRTUAL_ENV=str(one))
    copy = copy_in(one, SIX)
    module = copy.directory / "six.py"
    assert module.stat().st_nlink > 1
    pristine, cache = module.read_bytes(), contents(tmp_path / "uv")
    patch(copy, "six.py")
    assert module.read_bytes() == pristine + MORE
    assert contents(tmp_path / "uv") == cache
    uv("venv", "two", "--python", sys.executable)
    uv("pip", "install", "--offline", "six==1.17.0", VIRTUAL_ENV=str(two))
    assert (copy_in(two, SIX).directory / "six.py").read_bytes() == pristine


def test_uv_is_content_and_leaves_nothing_behind(tmp_path: Path, uv: Callable[..., str]) -> None:
    """`uv pip check` finds nothing, and `uv pip uninstall` removes the patched files."""
    uv("venv", "one", "--python", sys.executable)
    one = tmp_path / "one"
    uv("pip", "install", "six==1.17.0", VIRTUAL_ENV=str(one))
    copy = copy_in(one, SIX)
    patch(copy, "six.py")
    uv("pip", "check", VIRTUAL_ENV=str(one))
    uv("pip", "uninstall", "six", VIRTUAL_ENV=str(one))
    assert not [path for path in copy.directory.iterdir() if "six" in path.name]


def test_dependencies_of_a_real_release(store: Store) -> None:
    """What a release needs is found out of its wheel where the index has no metadata alone."""
    releases = {release.version: release for release in pypi.releases("anyio", store)}
    assert releases["4.4.0"].dependencies["idna"] == ">=2.8"
