"""The corpus command: how it judges an answer, and its small fixed part on the real packages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.corpus.agreement import STRICT, WITH_OFFSETS, Standing, stale, standing  # noqa: E402
from benchmarks.corpus.data import Explanation  # noqa: E402
from benchmarks.corpus.tools import Job, Tool  # noqa: E402
from benchmarks.corpus.trees import change_tree, difference, read_tree, write_tree  # noqa: E402
from benchmarks.corpus.trial import Answer, Outcome, Trial, Workbench  # noqa: E402

from patchtool.files import File, Mode  # noqa: E402

SAME, OTHER = Answer(outcome=Outcome.SAME), Answer(outcome=Outcome.OTHER, detail="f")
TORN = Answer(outcome=Outcome.TORN, detail="failed")
TREE = {
    "a": File(data=b"a\n"),
    "d/run": File(data=b"r", mode=Mode.EXECUTABLE),
    "link": File(data=b"./a", mode=Mode.SYMLINK),
}


def refused(kind: str) -> Answer:
    """A refusal."""
    return Answer(outcome=Outcome.REFUSED, detail=kind)


def trial(strict: Answer, with_offsets: Answer, other: Answer) -> Trial:
    """The answers to one patch."""
    answers = {STRICT: strict, WITH_OFFSETS: with_offsets, "git apply": other}
    return Trial(subject="p 1", patch="x.patch", backward=False, answers=answers)


WHY = Explanation(subject="p 1", patch="x.patch", kind="parse", why="because")
ALL = Explanation(subject="p 1", patch="*", kind="empty", why="because")
BYTES = Explanation(subject="p 1", patch="*", kind="other", why="never")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((SAME, SAME, SAME), Standing.EXACT),
        ((refused("offset"), SAME, SAME), Standing.OFFSET),
        ((refused("no-match"), refused("no-match"), TORN), Standing.REFUSED_BY_ALL),
        ((refused("parse"), refused("parse"), SAME), Standing.EXPLAINED),
        ((refused("no-match"), refused("no-match"), SAME), Standing.UNEXPLAINED),
        ((refused("no-match"), SAME, SAME), Standing.UNEXPLAINED),
        ((refused("offset"), OTHER, SAME), Standing.UNEXPLAINED),
        ((OTHER, OTHER, SAME), Standing.UNEXPLAINED),
        ((OTHER, OTHER, refused("no")), Standing.UNEXPLAINED),
        ((SAME, OTHER, SAME), Standing.UNEXPLAINED),
        ((TORN, TORN, SAME), Standing.UNEXPLAINED),
        ((refused("empty"), refused("empty"), SAME), Standing.EXPLAINED),
        ((refused("empty"), refused("empty"), TORN), Standing.REFUSED_BY_ALL),
    ],
)
def test_only_the_right_bytes_or_a_reason_count(
    answers: tuple[Answer, Answer, Answer], expected: Standing
) -> None:
    """Wrong bytes never agree, and a refusal needs its reason if another tool takes the patch."""
    assert standing(trial(*answers), [WHY, ALL, BYTES]) is expected


def test_an_explanation_that_no_longer_happens_is_stale() -> None:
    """It is of this patch, and the patch was not refused like that; of others nothing is said."""
    other = Explanation(subject="q 1", patch="x.patch", kind="parse", why="because")
    assert stale([WHY, other], [trial(SAME, SAME, SAME)]) == [WHY]
    assert not stale([WHY, other], [trial(refused("parse"), refused("parse"), SAME)])


def test_trees_are_written_read_and_changed_byte_for_byte(tmp_path: Path) -> None:
    """Content, executable bit and the exact target of a link; empty directories go."""
    write_tree(tmp_path / "t", TREE)
    assert read_tree(tmp_path / "t") == TREE
    wanted = {"a": File(data=b"a\n", mode=Mode.EXECUTABLE), "link/b": File(data=b"")}
    change_tree(tmp_path / "t", TREE, wanted)
    assert read_tree(tmp_path / "t") == wanted
    assert not (tmp_path / "t" / "d").exists()
    assert difference(TREE, wanted) == ["a", "d/run", "link", "link/b"]


def test_what_a_tool_does_is_seen(tmp_path: Path) -> None:
    """Right bytes, wrong bytes, a clean refusal and a torn tree are told apart, in every step."""

    def writer(text: bytes, refusal: str | None) -> Tool:
        def run(job: Job) -> str | None:
            (job.directory / "a").write_bytes(text)
            return refusal

        return run

    wanted = {"a": File(data=b"b\n")}
    tools: dict[str, Tool] = {
        "right": writer(b"b\n", None),
        "wrong": writer(b"c\n", None),
        "refuses": lambda _: "no",
        "tears": writer(b"b\n", "no"),
    }
    bench = Workbench(tmp_path, tools, {"a": File(data=b"a\n")})
    answers = bench.compare(tmp_path / "x.patch", 1, wanted, backward=False)
    assert {name: answer.outcome for name, answer in answers.items()} == {
        "right": Outcome.SAME,
        "wrong": Outcome.OTHER,
        "refuses": Outcome.REFUSED,
        "tears": Outcome.TORN,
    }
    assert answers["wrong"].detail == "a"
    assert all(read_tree(tmp_path / name) == wanted for name in tools)


@pytest.mark.network
@pytest.mark.parametrize(
    ("part", "patches"),
    [
        pytest.param(
            "debian",
            100,
            marks=pytest.mark.skipif(
                shutil.which("dpkg-source") is None, reason="needs Debian's dpkg-dev"
            ),
        ),
        ("releases", 4),
        ("shipped", 8),
        ("read", 100),
    ],
)
def test_the_small_part_agrees(part: str, patches: int) -> None:
    """No disagreement on the fixed part, and all of it was tried."""
    words = [sys.executable, "-m", "benchmarks.corpus", "--small", part]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    counted = re.search(r"(\d+) patches", done.stdout)
    assert counted is not None
    assert int(counted[1]) >= patches
