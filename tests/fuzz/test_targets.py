"""The fuzz targets on the kept corpus, spoiled in many ways, and short runs of the long command."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from patchtool.files import File, Mode

from .differential import judge
from .spoiling import spoil_patch
from .targets import CORPUS, TARGETS
from .tools import Answer, Tools, Trial

ROOT = Path(__file__).parents[2]


def inputs(name: str) -> list[bytes]:
    """The kept inputs of one target, in a fixed order."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize("name", TARGETS)
def test_the_kept_corpus_raises_documented_errors_only(name: str) -> None:
    """Every input that was once of interest is read or refused."""
    kept = inputs(name)
    assert kept
    for data in kept:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_spoiled_inputs_raise_documented_errors_only(name: str) -> None:
    """So is what comes of them by lost, moved and altered lines and bytes."""
    rng = random.Random(name)  # noqa: S311 - inputs, not secrets
    kept = inputs(name)
    for _ in range(300):
        TARGETS[name](spoil_patch(rng.choice(kept), rng.choice(kept), rng))


@pytest.mark.parametrize("answer", [{}, "no-match"])
def test_a_wrong_answer_of_the_engine_is_a_finding(
    answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other bytes than git's, and a refusal of what git takes at its stated place, are found."""
    trial = Trial(
        tree={"f": File(data=b"a\n")},
        patch=b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
        strip=1,
        backward=False,
    )
    tools = Tools(tmp_path)
    assert judge(trial, tools) == ("the same bytes as git", False)
    monkeypatch.setattr(Tools, "engine", lambda *_, **__: answer)
    assert judge(trial, tools)[1]


@pytest.mark.parametrize(
    ("patch", "verdict"),
    [
        (b"deleted-file mode 120000\n", "git applies, refused as parse"),
        (b"deleted file mode 120001\n", "git applies, refused as parse"),
        (b"deleted file mode 120000\n", "the same bytes as git"),
    ],
)
def test_a_link_goes_by_a_sound_header_alone(patch: bytes, verdict: str, tmp_path: Path) -> None:
    """Git takes a spoiled line above it for text, or its type for enough."""
    trial = Trial(
        tree={"f": File(data=b"a", mode=Mode.SYMLINK)},
        patch=b"diff --git a/f b/f\n"
        + patch
        + b"index 2e65efe..0000000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        + b"\\ No newline at end of file\n",
        strip=1,
        backward=False,
    )
    assert judge(trial, Tools(tmp_path)) == (verdict, False)


def test_the_command_fuzzes_every_target_and_the_engine_against_the_others() -> None:
    """Each is executed, nothing but documented errors and classified differences comes of it."""
    pytest.importorskip("atheris", reason="has no wheels but for Linux")
    words = [sys.executable, "-m", "tests.fuzz", "--seconds", "3", "--seed", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    print(done.stdout, done.stderr)
    executions = dict(re.findall(r"^([a-z-]+): (\d+) executions", done.stdout, re.MULTILINE))
    assert executions.keys() == {*TARGETS, "differential"}
    assert all(int(count) > 0 for count in executions.values())
    assert done.returncode == 0
