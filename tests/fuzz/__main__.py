"""The command: fuzz every target for some seconds each, then the engine against git and GNU patch.

Exit 0 if nothing but documented errors came; else 1, and the input is kept where the output says.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What pytest does for the modules beside this package, so that they are found under one name.
sys.path.insert(0, str(Path(__file__).parent.parent))

from . import differential
from .targets import CORPUS, TARGETS

# For one input, in seconds and megabytes: what libFuzzer takes for a hang or a leak.
SECONDS, MEGABYTES, BYTES = 5, 1024, 20_000
_EXECUTIONS = re.compile(rb"stat::number_of_executed_units: (\d+)")


def main() -> int:
    """Run the targets that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="0, the default, is another each time")
    parser.add_argument("targets", nargs="*", default=[*TARGETS, "differential"], metavar="TARGET")
    chosen = parser.parse_args()
    findings = Path(tempfile.mkdtemp(prefix="patchtool-fuzz-findings-"))
    failed = False
    for name in chosen.targets:
        if name == "differential":
            failed |= not differential.fuzz(chosen.seconds, chosen.seed, findings)
        elif name in TARGETS:
            failed |= not _guided(name, chosen.seconds, chosen.seed, findings)
        else:
            parser.error(f"no such target: {name}; there are {', '.join(TARGETS)}, differential")
    if failed:
        print(f"FAILED: the inputs are in {findings}")
        return 1
    findings.rmdir()
    return 0


def _guided(name: str, seconds: int, seed: int, findings: Path) -> bool:
    with tempfile.TemporaryDirectory(prefix="patchtool-fuzz-") as new:
        words = [
            *(sys.executable, "-m", f"{__package__}.guided", name),
            *(f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={BYTES}"),
            *(f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", "-print_final_stats=1"),
            *(f"-artifact_prefix={findings}/{name}-", new, str(CORPUS / name)),
        ]
        done = subprocess.run(words, capture_output=True, timeout=seconds + 60, check=False)
        found = len(list(Path(new).iterdir()))
    executions = _EXECUTIONS.search(done.stderr)
    print(
        f"{name}: {int(executions[1]) if executions else 0} executions, "
        f"{found} inputs that reach something new, {'ok' if done.returncode == 0 else 'FAILED'}",
        flush=True,
    )
    if done.returncode != 0:
        sys.stdout.write(done.stderr.decode(errors="replace")[-4000:])
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
