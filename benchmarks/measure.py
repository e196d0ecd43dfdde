"""Measures programs: one run, and what several runs come to. Prints nothing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_METER = Path(__file__).with_name("meter.py")

# What would make Python slower than it is for a user.
_NOT_PASSED_ON = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH")


class Failed(Exception):
    """A measured program that ended otherwise than expected; says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run took: seconds on the clock, seconds of CPU, peak memory in bytes."""

    seconds: float
    cpu: float
    peak: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The median of several values, and their least and greatest."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(median=statistics.median(values), least=min(values), most=max(values))


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """How one program's values compare with another's, round by round."""
    return Spread.of([one / other for one, other in zip(ours, theirs, strict=True)])


def measure(
    command: Sequence[str | Path],
    directory: Path,
    *,
    codes: Sequence[int] = (0,),
    variables: Mapping[str, str] | None = None,
) -> Run:
    """Run a command once; `Failed` if it ends with another code than one of `codes`."""
    environment = {key: value for key, value in os.environ.items() if key not in _NOT_PASSED_ON}
    environment |= variables or {}
    with tempfile.NamedTemporaryFile(prefix="patchtool-benchmark-") as output:
        done = subprocess.run(
            [sys.executable, "-I", "-S", _METER, output.name, *command],
            cwd=directory,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            timeout=600,
        )
        code, seconds, cpu, peak = done.stdout.split()
        if int(code) not in codes:
            said = Path(output.name).read_text(errors="replace").strip()[-500:]
            raise Failed(f"{' '.join(map(str, command))[:200]}: exit code {int(code)}: {said}")
    return Run(seconds=float(seconds), cpu=float(cpu), peak=int(peak))
