"""The command in its small form, and that its rounds would notice what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from faults.bench import Bench
from faults.scenarios import SCENARIOS

from . import rounds
from .processes import Ended

ROOT = Path(__file__).parents[2]


def test_the_command_finds_nothing_wrong_in_its_small_form() -> None:
    """Each project's rounds are played: runs change the tree, some wait, some are killed."""
    words = [sys.executable, "-m", "tests.concurrency", "--small"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    counts = re.findall(
        r"3 rounds, (\d+) runs at once, (\d+) changed the tree, (\d+) said that they wait, "
        r"(\d+) killed, longest [\d.]+ seconds, 0 wrong",
        done.stdout,
    )
    assert len(counts) == 3
    assert all(int(runs) >= 48 and int(moved) >= 3 for runs, moved, _, _ in counts)
    assert sum(int(waited) for _, _, waited, _ in counts) > 0
    assert sum(int(killed) for _, _, _, killed in counts) > 0


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project of npm."""
    return Bench(SCENARIOS[2], tmp_path)


def told(words: tuple[str, ...], before: str, after: str) -> Ended:
    """A run that says that it took the tree from one state to another."""
    out = f'{{"copies": [{{"before": "{before}", "after": "{after}"}}]}}'
    return Ended(words=words, code=0, out=out, err="", seconds=0.1)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("pristine", "patched", "put on 2 times"),
        ("partial", "patched", "neither pristine nor patched"),
    ],
)
def test_runs_that_were_not_one_after_the_other_are_found(
    bench: Bench, before: str, after: str, words: str
) -> None:
    """Two runs that both put the patches on, or one that saw half of them."""
    bench.reset()
    ended = [told(bench.words, before, after)] * 2
    assert words in next(iter(rounds._wrong(bench, ended, 0)))
