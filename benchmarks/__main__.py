"""The command: build the fixtures, measure in turns, write the tables and the chart."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import commands, fixtures, growth, machine, report
from benchmarks.measure import Failed
from benchmarks.race import Result, contenders, race
from patchtool.store import cache_directory

DESCRIPTION = """\
Measure patchtool beside patch-package, git apply and GNU patch, on 200 real packages.

The packages are kept in patchtool's cache. Run it on a machine that has nothing else to do; the
working directory (--work) should be on the disk that projects are on.
"""

_COUNTS = (1, 20, 200)


def main() -> int:
    """Measure, and write what was asked for; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=report.COMMAND,
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="few rounds: a minute, for CI")
    parser.add_argument("--results", type=Path, metavar="DIR", help="write there, not to stdout")
    parser.add_argument("--readme", action="store_true", help="write the README's part anew")
    parser.add_argument("--work", type=Path, metavar="DIR", help="default: in the cache")
    chosen = parser.parse_args()
    cache = Path(cache_directory(os.environ)) / "benchmarks"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="run-", dir=chosen.work or cache) as work:
        try:
            found = _measured(cache, Path(work), quick=chosen.quick)
        except Failed as error:
            print(f"benchmarks: {error}", file=sys.stderr)
            return 1
    _write(found, chosen.results, readme=chosen.readme)
    return 0


def _measured(cache: Path, work: Path, *, quick: bool) -> report.Measured:
    described = machine.describe()
    _say("installing the packages and patchtool")
    installed = fixtures.install(cache)
    patchtool = machine.install(work / "patchtool")
    edits = fixtures.edits(installed.packages, work / "git")
    rounds, few = (3, 1) if quick else (11, 3)
    races: dict[int, dict[str, Result]] = {}
    for count in _COUNTS:
        _say(f"{count} patches")
        apps = {
            lock: fixtures.app(
                work / "app" / str(lock), installed, fixtures.spread(edits, count), lock
            )
            for lock in (True, False)
        }
        races[count] = race(contenders(patchtool), apps, rounds)
        shutil.rmtree(work / "app")
    return report.Measured(
        machine=described,
        rounds=rounds,
        races=races,
        starts=commands.starts(patchtool, work, rounds),
        warm=() if quick else commands.warm(patchtool, work, few, _say),
        counts=growth.by_count(patchtool, work, growth.COUNTS[:: 3 if quick else 1], few, _say),
        sizes=growth.by_size(patchtool, work, growth.SIZES[:: 4 if quick else 1], few, _say),
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _write(found: report.Measured, results: Path | None, *, readme: bool) -> None:
    if results is None:
        print(report.page(found))
    else:
        results.mkdir(parents=True, exist_ok=True)
        (results / "benchmarks.md").write_text(report.page(found), encoding="utf-8")
        (results / "benchmarks.svg").write_text(report.chart(found), encoding="utf-8")
    if readme:
        path = machine.ROOT / "README.md"
        path.write_text(report.in_readme(path.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
