"""The command in its small form, and that its trials would notice what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from .input import Input, wrong_run
from .measure import Ran, run
from .world import PASSWORD, SECRETS, TOKEN, World

ROOT = Path(__file__).parents[2]


def test_the_command_finds_nothing_wrong_in_its_small_form() -> None:
    """Inputs of every kind are tried, and each ends as it must."""
    words = [sys.executable, "-m", "tests.hostile", "--small"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    counts = re.findall(r"^.{20} +(\d+) +0   \d", done.stdout, re.MULTILINE)
    assert len(counts) == 8
    assert all(int(count) >= 10 for count in counts)


INPUT = Input(name="x", lay_out=lambda _: [], code=3, says="broken")
GOOD: dict[str, Any] = {
    "code": 3,
    "out": "",
    "err": "patchtool: evil: it is broken\n  expected: this\n  found: that\n",
    "seconds": 1.0,
    "megabytes": 50.0,
}


def test_a_clear_message_is_nothing_wrong() -> None:
    """One message on stderr with the right exit code, in bounds."""
    assert not [*wrong_run(INPUT, Ran(**GOOD))]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": 4}, "exit 4, expected 3"),
        ({"code": 0}, "exit 0, expected 3"),
        ({"err": "patchtool: another thing\n"}, "expected a message about 'broken'"),
        ({"err": 2 * GOOD["err"]}, "2 messages, expected one"),
        ({"err": ""}, "0 messages, expected one"),
        ({"err": f"Traceback (most recent call last):\n{GOOD['err']}"}, "expected one"),
        ({"out": "more\n"}, "expected one"),
        ({"err": f"{GOOD['err']}  {TOKEN}\n"}, "a secret in the output"),
        ({"err": f"{GOOD['err']}  \x1b[2J\n"}, "control characters"),
        ({"err": f"{GOOD['err']}  {'x' * 30_000}\n"}, "characters, expected at most"),
        ({"seconds": 31.0}, "took 31.0 seconds"),
        ({"megabytes": 301.0}, "took 301 MB"),
    ],
)
def test_what_is_wrong_with_a_run_is_found(change: dict[str, Any], words: str) -> None:
    """Another exit code, another message, two or none, a secret, and what is out of bounds."""
    assert words in " ".join(wrong_run(INPUT, Ran(**GOOD | change)))


def test_what_a_run_leaves_on_the_disk_is_found(tmp_path: Path) -> None:
    """A change of a file in the project or outside, a secret in the cache, a temporary file."""
    world = World(tmp_path)
    world.settle()
    assert [*world.changed(), *world.leaks(), *world.left()] == []
    (world.outside / "keep.txt").write_bytes(b"other\n")
    (world.root / "made").mkdir()
    (tmp_path / "cache/answer").write_text(f"it says {PASSWORD}")
    (tmp_path / "tmp/tmp123").write_bytes(b"")
    assert [*world.changed()] == ["outside/keep.txt", "project/made"]
    assert [*world.leaks()] == ["cache/answer"]
    assert [*world.left()] == ["tmp/tmp123"]
    world.close()


def test_the_secrets_are_in_use(tmp_path: Path) -> None:
    """What must not be seen is sent: to each registry its own, and to the proxy."""
    world = World(tmp_path)
    elsewhere = "http://elsewhere.invalid/x"
    world.server.answer("/npm/evil", status=302, Location=elsewhere)
    for purl, path, name, value in (
        ("pkg:npm/evil@1.0.0", "/npm/evil", "authorization", f"Bearer {TOKEN}"),
        ("pkg:npm/evil@1.0.0", elsewhere, "proxy-authorization", f"Basic {SECRETS[-1]}"),
        ("pkg:pypi/evil@1.0.0", "/simple/evil/", "authorization", f"Basic {SECRETS[-2]}"),
    ):
        world.pin(purl)
        run(world.words("lock"), environment=world.environment, directory=tmp_path, limit=60)
        assert world.server.asked(path)[0][name] == value
    world.close()


def test_a_run_is_measured_and_ends_at_its_limit(tmp_path: Path) -> None:
    """What it took is told, whatever this process has; one that hangs is killed."""
    ours = bytearray(200 << 20)
    ours[:: 1 << 12] = b"x" * (200 << 8)
    world = World(tmp_path)
    options: dict[str, Any] = {"environment": world.environment, "directory": tmp_path}
    ran = run(["--version"], limit=20, **options)
    assert (ran.code, ran.err) == (0, "")
    assert 5 < ran.megabytes < 100
    world.server.answer("/npm/evil", lambda _: time.sleep(15))
    world.pin("pkg:npm/evil@1.0.0")
    ran = run(world.words("lock"), limit=3, **options)
    assert ran.code == -9
    assert 3 <= ran.seconds < 10
    world.close()
