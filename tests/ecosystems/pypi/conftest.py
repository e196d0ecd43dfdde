"""An index on the loopback with wheels that the tests make, and pip configured for it alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from http_server import Server
from patchtool.store import Store
from pypi_index import Index, make_sdist, make_wheel


@pytest.fixture
def index(server: Server) -> Index:
    """An empty index."""
    return Index(server)


@pytest.fixture
def pip_environment(index: Index, tmp_path: Path) -> dict[str, str]:
    """Variables with which pip knows the index and nothing of this machine's configuration."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index.url,
        "PIP_NO_CACHE_DIR": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.fixture
def pypi_store(
    make_store: Callable[..., Store], pip_environment: dict[str, str]
) -> Callable[..., Store]:
    """Make stores whose pip knows the index; keywords are further variables."""

    def make(*, offline: bool = False, **variables: str) -> Store:
        return make_store(environment=pip_environment | variables, offline=offline)

    return make


def make_environment(place: Path) -> Path:
    """An environment without pip: pip itself runs outside of it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True, timeout=60)
    return place


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An empty environment."""
    return make_environment(tmp_path / "venv")


@pytest.fixture
def pip(venv: Path, tmp_path: Path) -> Callable[..., str]:
    """Run pip for the environment `venv`, offline; what it says."""

    def run(*arguments: str | Path) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "--python", venv / "bin/python", *arguments],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": str(tmp_path / "wheels"),
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            },
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def wheels(tmp_path: Path) -> Callable[..., Path]:
    """Put a wheel into the directory that `pip` installs from; its path."""

    def make(name: str, version: str, *arguments: Any, **options: Any) -> Path:
        directory = tmp_path / "wheels"
        directory.mkdir(exist_ok=True)
        path = directory / f"{name}-{version}-py3-none-any.whl"
        path.write_bytes(make_wheel(name, version, *arguments, **options))
        return path

    return make


@pytest.fixture
def sdist() -> Callable[..., bytes]:
    """Make an sdist of a name, a version and files."""
    return make_sdist
