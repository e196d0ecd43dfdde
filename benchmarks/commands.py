"""The other commands: how each starts, and what the long ones take on this repository's own fix."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import ROOT
from benchmarks.measure import Failed, Run, measure
from patchtool.commands import COMMANDS

# The commands whose caches make a second run fast; 0 is yes, 1 no, and more is no answer.
WARM = ("check-pristine", "should-delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What it takes a command to show its help: runs, and how many modules are imported."""

    name: str
    runs: list[Run]
    modules: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """A command on this repository's fixes: with an empty cache, then again; or why not."""

    name: str
    first: Run | None
    runs: list[Run]
    why: str = ""


def starts(patchtool: Path, work: Path, rounds: int) -> list[Start]:
    """Start Python alone, and each command, in turns."""
    python = patchtool.with_name("python")
    commands: dict[str, list[str | Path]] = {"python -c pass": [python, "-c", "pass"]}
    commands |= {f"{each.name} --help": [patchtool, each.name, "--help"] for each in COMMANDS}
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(measure(command, work))
    return [
        Start(name=name, runs=runs[name], modules=_modules(python, command))
        for name, command in commands.items()
    ]


def _modules(python: Path, command: list[str | Path]) -> int:
    """How many modules Python imports for the command, by its own account."""
    rest = command[1:] if command[0] == python else command
    full: list[str | Path] = [python, "-X", "importtime", *rest]
    done = subprocess.run(full, capture_output=True, check=True, timeout=60)
    return done.stderr.count(b"import time:") - 1  # without the line of the headings


def warm(patchtool: Path, work: Path, rounds: int, say: Callable[[str], None]) -> list[Warm]:
    """Run the long commands on a copy of this repository: with an empty cache, then again."""
    copy = work / "own"
    shutil.rmtree(copy, ignore_errors=True)
    for name in ("patches", "guard"):
        shutil.copytree(ROOT / name, copy / name)
    variables = {"PATCHTOOL_CACHE": str(work / "cache")}
    results = []
    for name in WARM:
        say(f"{name}, with an empty cache")
        shutil.rmtree(work / "cache", ignore_errors=True)
        try:
            first = measure([patchtool, name], copy, codes=(0, 1), variables=variables)
        except Failed as error:
            results.append(Warm(name=name, first=None, runs=[], why=str(error)))
            continue
        runs = [
            measure([patchtool, name], copy, codes=(0, 1), variables=variables)
            for _ in range(rounds)
        ]
        results.append(Warm(name=name, first=first, runs=runs))
    return results
