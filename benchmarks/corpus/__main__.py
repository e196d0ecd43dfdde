"""The command: run the parts, print the tables, say by the exit code whether all is agreed.

Exit 0: all agreed, or a refusal is explained. 1: a disagreement. 3: something could not be had.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.corpus import data, report
from benchmarks.corpus.parts import PARTS, Workplace
from benchmarks.corpus.trial import Trial
from patchtool.errors import CannotTell

DESCRIPTION = """\
Judge the patch engine on Debian's patch series, on the steps between published releases, and on
patches that ship inside packages, beside git apply, GNU patch and patch-package.

Downloads are kept in the directory that PATCHTOOL_CORPUS names, else thrown away. The tools work in
the directory for temporary files (TMPDIR); one in memory is faster.
"""


def main() -> int:
    """Run the parts that are asked for; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.corpus",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all, or of {', '.join(PARTS)}")
    parser.add_argument("--small", action="store_true", help="only the fixed part that CI runs")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.parts if name not in PARTS]
    if unknown:
        parser.error(f"no such part: {unknown[0]}; there are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="patchtool-corpus-") as made:
        kept = os.environ.get("PATCHTOOL_CORPUS")
        downloads = Path(kept).resolve() if kept else Path(made) / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        place = Workplace(downloads, Path(made), dict(os.environ))
        codes = {_run(name, place, small=chosen.small) for name in chosen.parts or PARTS}
    return 1 if 1 in codes else max(codes)


def _run(name: str, place: Workplace, *, small: bool) -> int:
    trials: list[Trial] = []
    missing: list[str] = []
    subjects = 0
    started = time.monotonic()
    try:
        for subject, judge in PARTS[name](place, small=small):
            subjects += 1
            print(f"{name}: {subject}", file=sys.stderr)
            try:
                trials += judge()
            except CannotTell as error:
                missing.append(f"{subject}: {error.problem.what}")
    except CannotTell as error:
        missing.append(f"the whole part: {error.problem.what}")
    patches = sum(not trial.backward for trial in trials)
    print(f"{name}: {subjects} packages, {patches} patches, {len(trials)} trials", end="")
    print(f", {time.monotonic() - started:.0f} seconds")
    text, agreed = report.text(trials, data.explanations(), missing)
    print(text, end="", flush=True)
    if not agreed:
        return 1
    return 3 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
