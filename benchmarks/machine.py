"""What it is measured on and with: the machine, the programs and their versions, the day."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine as a table's caption says it."""

    day: datetime.date
    text: str


def install(place: Path) -> Path:
    """Install this project as a user does, into an environment of its own; the program.

    It is built from a copy, because a build leaves files behind, and takes up old ones.
    """
    source = place / "source"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        source.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "tool", source / "tool", ignore=shutil.ignore_patterns("__pycache__"))
    venv.create(place / "environment", with_pip=True)
    pip: list[str | Path] = [place / "environment" / "bin" / "pip", "install", "-qq", "--no-input"]
    subprocess.run([*pip, f"{source}[mutate]"], check=True, timeout=600)
    return place / "environment" / "bin" / "patchtool"


def describe() -> Machine:
    """Look at the machine, today."""
    versions = [
        f"Python {platform.python_version()}",
        f"Node.js {_says('node', '--version').removeprefix('v')}",
        f"npm {_says('npm', '--version')}",
        _says("git", "--version"),
        _says("patch", "--version"),
    ]
    load = os.getloadavg()[0]
    return Machine(
        day=datetime.datetime.now(tz=datetime.UTC).date(),
        text=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores "
        f"(load {load:.1f} before the run); {', '.join(filter(None, versions))}",
    )


def _says(program: str, option: str) -> str:
    """The first line that the program says of its version; empty if it is not there."""
    found = shutil.which(program)
    if found is None:
        return ""
    done = subprocess.run([found, option], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()[0]
