"""`patchtool mutate`: what the guard notices of each mutant, from the patch to the exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Patchtool
from .world import PATCH_NAME, Kept

PATCH = """\
diff --git a/node_modules/lead/index.js b/node_modules/lead/index.js
--- a/node_modules/lead/index.js
+++ b/node_modules/lead/index.js
@@ -2,3 +2,4 @@
 // two
-module.exports = 'broken';
+module.exports = 'right';
+module.exports.size = 2;
 // four
"""

# The cases read the file, for which no Node.js is needed. Every mutant leaves it another text.
GUARD = """\
import pytest

@pytest.fixture
def text(stack):
    return (stack / "node_modules/lead/index.js").read_text()

def test_right(text):
    assert "module.exports = 'right';" in text

def test_there(text):
    assert "// four" in text
"""
SIZE = """
def test_size(text):
    assert "module.exports.size = 2;" in text
"""
IDLE = """
def test_not_broken(text):
    assert "broken" not in text
"""
# A condition that is asked more than once: its negation counts the other numbers, and there are as
# many of those in each case of the guard, so that no case notices it.
COUNTING_PATCH = """\
diff --git a/node_modules/lead/index.js b/node_modules/lead/index.js
--- a/node_modules/lead/index.js
+++ b/node_modules/lead/index.js
@@ -2,3 +2,4 @@
 // two
-module.exports = 'broken';
+let n = 0;
+module.exports = (numbers) => { numbers.forEach((x) => { if (x > 0) n += 1; }); return n; };
 // four
"""
COUNTING_GUARD = """\
import subprocess

def count(stack, numbers):
    script = f"console.log(require('lead')({numbers}))"
    done = subprocess.run(["node", "-e", script], cwd=stack, capture_output=True, text=True)
    return done.stdout

def test_one(stack):
    assert count(stack, [1, 0]) == "1\\n"

def test_two(stack):
    assert count(stack, [1, 1, 0, -1]) == "2\\n"

def test_there(stack):
    assert (stack / "node_modules/lead/index.js").exists()
"""
# A case that never ends on any mutant; the file tells when it runs there.
ENDLESS = """
import pathlib, time

def test_patience(text):
    if "broken" in text or ("size = 2" in text and "right" in text):
        return
    pathlib.Path({place!r}).write_text("running")
    time.sleep(600)
"""


@pytest.fixture
def mutated(kept: Kept) -> Kept:
    """An app with a patch that adds two lines, and a guard that notices both."""
    (kept.patches / PATCH_NAME).write_text(PATCH)
    kept.pytest_guard(GUARD + SIZE)
    return kept


def accept(app: Kept, original: str, mutant: str) -> None:
    """Add an accepted mutant to the manifest."""
    with (app.patches / "patches.toml").open("a") as manifest:
        manifest.write(
            f'[[fix.accepted-mutant]]\npatch = "{PATCH_NAME}"\noriginal = "{original}"\n'
            f'mutant = "{mutant}"\nreason = "nobody reads it"\n'
        )


def ids(patchtool: Patchtool, fate: str) -> list[str]:
    """The ids of the mutants that met this fate."""
    (pin,) = patchtool("mutate", "--json").json["pins"]
    return [row["id"] for row in pin["mutants"] if row["fate"] == fate]


@pytest.mark.usefixtures("mutated")
def test_all_are_killed(patchtool: Patchtool) -> None:
    """A guard that notices every mutant is a yes; each is told with its place and its killer."""
    ran = patchtool("mutate")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.split(" ", 1)[1] for line in lines[:-1]] == [
        "index.js:3:1 removed-statement: killed by test_it::test_right",
        "index.js:3:19 changed-string: killed by test_it::test_right",
        "index.js:4:1 removed-statement: killed by test_it::test_size",
        "index.js:4:23 changed-number: killed by test_it::test_size",
        "index.js:4:23 changed-number: killed by test_it::test_size",
    ]
    assert lines[-1] == (
        "fix-1, lead@1.0.0: 5 mutants: "
        "5 killed, 0 broke the guard, 0 timed out, 0 accepted, 0 survived"
    )


def test_a_link_is_no_program(mutated: Kept, patchtool: Patchtool) -> None:
    """Where a link leads is not changed, though it could be read as an expression."""
    name = "node_modules/lead/main.js"
    link = (
        f"diff --git a/{name} b/{name}\nnew file mode 120000\n--- /dev/null\n+++ b/{name}\n"
        "@@ -0,0 +1 @@\n+index.js\n\\ No newline at end of file\n"
    )
    (mutated.patches / PATCH_NAME).write_text(PATCH + link)
    ran = patchtool("mutate")
    assert (ran.code, "5 mutants" in ran.out, "main.js" in ran.out) == (0, True, False)


def test_every_mutant_is_run(kept: Kept, patchtool: Patchtool) -> None:
    """A negation that no case notices lives, though the condition forced to each side is killed."""
    (kept.patches / PATCH_NAME).write_text(COUNTING_PATCH)
    kept.pytest_guard(COUNTING_GUARD)
    (pin,) = patchtool("mutate", "--json").json["pins"]
    fates = {
        (row["operator"], row["mutant"].partition("if (")[2].partition(")")[0]): row["fate"]
        for row in pin["mutants"]
    }
    assert fates["forced-condition", "true"] == fates["forced-condition", "false"] == "killed"
    assert fates["swapped-relational", "x <= 0"] == "survived"


def test_survivor_is_a_no(mutated: Kept, patchtool: Patchtool) -> None:
    """What no case notices is a finding, with the lines to accept it by."""
    mutated.pytest_guard(GUARD)
    ran = patchtool("mutate")
    assert ran.code == 1
    assert "3 survived" in ran.out
    first = ids(patchtool, "survived")[0]
    assert (
        f"{PATCH_NAME}: index.js: line 4: "
        f"no required case notices removed-statement (mutant {first})\n"
        "  expected: module.exports.size = 2;\n"
        "  found: ;\n"
        f"  try: patchtool mutate --only {first}\n"
    ) in ran.out


def test_accepted(mutated: Kept, patchtool: Patchtool) -> None:
    """Mutants that are accepted with a reason are not judged, and the reason is told."""
    mutated.pytest_guard(GUARD)
    for mutant in (";", "module.exports.size = 3;", "module.exports.size = 1;"):
        accept(mutated, "module.exports.size = 2;", mutant)
    ran = patchtool("mutate")
    assert (ran.code, "3 accepted, 0 survived" in ran.out) == (0, True)
    assert ran.out.count("accepted: nobody reads it") == 3


def test_stale_entry_is_a_no(mutated: Kept, patchtool: Patchtool) -> None:
    """An accepted mutant that is none of those there are is a finding."""
    accept(mutated, "module.exports.size = 2;", "module.exports.size = 4;")
    ran = patchtool("mutate")
    assert (ran.code, "is not among those made now" in ran.out) == (1, True)


def test_idle_case_is_a_no(mutated: Kept, patchtool: Patchtool) -> None:
    """A case that is needed, but that no mutant makes fail, is a finding; a control is none."""
    mutated.pytest_guard(GUARD + SIZE + IDLE)
    document = patchtool("mutate", "--json").json
    assert document["answer"] == "no"
    (pin,) = document["pins"]
    assert [(each["kind"], each["subject"]) for each in pin["problems"]] == [
        ("idle", "test_it::test_not_broken")
    ]


def test_only(mutated: Kept, patchtool: Patchtool) -> None:
    """One mutant can be judged alone: whether it survives is then all that counts."""
    mutated.pytest_guard(GUARD + IDLE)
    survived, *_ = ids(patchtool, "survived")
    killed, *_ = ids(patchtool, "killed")
    accept(mutated, "module.exports.size = 2;", ";")  # which it is, but then it is not asked
    ran = patchtool("mutate", "--only", survived)
    assert (ran.code, "1 mutant: 0 killed" in ran.out) == (1, True)
    ran = patchtool("mutate", "--only", killed)
    assert (ran.code, "1 mutant: 1 killed" in ran.out) == (0, True)


@pytest.mark.usefixtures("mutated")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--only", "0"), "no such mutant"),
        (("--jobs", "0"), "not a number of jobs"),
        (("--jobs", "x"), "not a number of jobs"),
        (("fix-9",), "no such fix"),
    ],
)
def test_wrong_usage(patchtool: Patchtool, arguments: tuple[str, ...], words: str) -> None:
    """What there is not is named, and is exit 2."""
    ran = patchtool("mutate", *arguments)
    assert (ran.code, words in ran.err) == (2, True)


def test_guard_that_proves_nothing(mutated: Kept, patchtool: Patchtool) -> None:
    """Where the patch does not deliver, no mutant of it can be judged."""
    mutated.pytest_guard(GUARD + "\ndef test_unmet(text):\n    assert 'perfect' in text\n")
    ran = patchtool("mutate")
    assert (ran.code, ran.out) == (3, "")
    assert "required cases are unmet" in ran.err
    assert "try: patchtool guard fix-1" in ran.err


def test_second_run_runs_nothing(mutated: Kept, patchtool: Patchtool, tmp_path: Path) -> None:
    """What nothing has changed for is taken from the cache; --fresh judges anew."""
    runs = tmp_path / "runs"
    count = f"\nopen({str(runs)!r}, 'a').write('collected ')\n"
    mutated.pytest_guard(GUARD + SIZE + count)
    first = patchtool("mutate")
    before = runs.read_text()
    assert patchtool("mutate") == first
    assert runs.read_text() == before
    assert patchtool("mutate", "--fresh") == first
    assert len(runs.read_text()) > len(before)


def test_command_of_a_guard(mutated: Kept, patchtool: Patchtool) -> None:
    """A guard that is a program judges mutants too."""
    mutated.guard("cases = {'is right': \"'right';\" in lead, 'is there': True}\nwrite(cases)")
    ran = patchtool("mutate")
    assert ran.code == 1
    assert "2 killed, 0 broke the guard, 0 timed out, 0 accepted, 3 survived" in ran.out


@pytest.fixture
def endless(mutated: Kept, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run of the command that is waiting for a case that never ends."""
    place, temporary = tmp_path / "place", tmp_path / "temporary"
    temporary.mkdir()
    mutated.pytest_guard(GUARD + ENDLESS.format(place=str(place)))
    process = subprocess.Popen(
        [sys.executable, "-m", "patchtool", "mutate", "--root", mutated.root],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not place.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield process
    process.kill()


def test_interrupt_leaves_nothing(
    endless: subprocess.Popen[str], mutated: Kept, tmp_path: Path
) -> None:
    """Ctrl-C while mutants are judged is exit 130, and no process and no file stays behind."""
    endless.send_signal(signal.SIGINT)
    out, err = endless.communicate(timeout=30)
    assert (endless.returncode, out, err) == (130, "", "patchtool: interrupted\n")
    left = {path.name for path in (tmp_path / "temporary").iterdir()}
    assert left <= {"node-compile-cache"}  # some releases of npm keep one there
    assert running(str(mutated.root)) == []


def test_sudden_end_leaves_no_process(endless: subprocess.Popen[str], mutated: Kept) -> None:
    """Even when patchtool is killed, the runs of the guard end."""
    endless.kill()
    endless.wait()
    deadline = time.monotonic() + 30
    while running(str(mutated.root)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def running(words: str) -> list[int]:
    """The processes with these words in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and words in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended
    return found
