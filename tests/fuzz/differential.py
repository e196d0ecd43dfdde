"""The engine against `git apply` and GNU patch, on spoiled patches and trees.

Starts from the engine's cases. Where the engine applies a patch, another tool must make the same
bytes of it; where it refuses and another tool does not, the kind of its refusal must be one that is
stricter on purpose. Everything else is a finding, and is kept.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from base64 import b64encode
from collections import Counter
from pathlib import Path

from diff.engine_case import EngineCase, load
from patchtool import diff

from .spoiling import Tree, spoil_patch, spoil_tree
from .tools import Answer, Tools, Trial

# Refusals of what git or GNU patch would take. They guess, or look elsewhere, or read leniently.
STRICTER = diff.KINDS - {"no-match", "missing", "exists", "type", "offset"}


# What Subversion has behind the name of a file that is not there.
_SUBVERSION = rb"\((?:nonexistent|revision 0)\)"
# What BSD's diff has there: when the epoch began, without a time zone.
_EPOCH = rb"\t(?:1970-01-01|1969-12-31) \d\d:\d\d:\d\d\r?\n"
# A header whose first line is none that git writes.
_SPOILED = rb"diff --git .*\n(?!index |old |new |deleted |---)"
# What the engine reads and git and GNU patch do not, or not so, and what they do.
_MORE_LENIENT = {
    rb"\r\n": "the others do not read headers with CR",
    rb"\xef\xbb\xbf": "the others do not read a header behind a byte order mark",
    rb"GIT binary patch(?s:.*)(?<!\n\n)\Z": "git wants a blank line behind the last binary block",
    rb"^\\ [^\n]{,9}$": "the others want more words behind a backslash",
    rb"^(?:From|Subject): (?:(?!diff |---[ \n]).*\n)*@@ -": (
        "a hunk in the message of a mail, which the others take for one"
    ),
    rb"^@@ (?s:.*)^(?:commit [0-9a-f]{7}|From \S+ .*:)": (
        "commits, which the others take for one diff"
    ),
    _SUBVERSION: "the others do not know Subversion's words for no file",
    rb"\t1970-01-01 00:00:00": "the others take a file of 1970 for none, even with lines in it",
    # A whole file that comes or goes, and no hunk as it should be.
    rb"\A(?!(?s:.*)^@@ (?:-0,0 \+1|-1(?:,\d+)? \+0,0)\b)(?s:.*)/dev/null": (
        "a whole file has but one place, whatever line its hunk states"
    ),
}


def fuzz(seconds: float, seed: int, findings: Path) -> bool:
    """Compare for so long; prints counts. Whether nothing was found."""
    rng = random.Random(seed or None)  # noqa: S311 - inputs, not secrets
    cases = [*load("engine.jsonl"), *load("engine-neighbours.jsonl")]
    counts: Counter[str] = Counter()
    found = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="patchtool-fuzz-") as made:
        tools = Tools(Path(made))
        while time.monotonic() < end:
            trial = make_trial(cases, rng)
            verdict, is_finding = judge(trial, tools)
            counts[verdict] += 1
            if is_finding:
                found += 1
                (findings / f"differential-{found}.json").write_text(_dump(trial, verdict))
    print(f"differential: {counts.total()} executions, {found or 'no'} findings")
    for verdict, count in counts.most_common():
        print(f"  {count:6} {verdict}")
    return not found


def make_trial(cases: list[EngineCase], rng: random.Random) -> Trial:
    """One case, spoiled."""
    case, other = rng.choice(cases), rng.choice(cases)
    tree, patch = dict(case.before), case.patch
    what = rng.random()
    if what < 0.8:
        patch = spoil_patch(patch, other.patch, rng)
    if what > 0.6:
        tree = spoil_tree(tree, rng)
    return Trial(tree=tree, patch=patch, strip=case.strip, backward=rng.random() < 0.2)


def judge(trial: Trial, tools: Tools) -> tuple[str, bool]:
    """A word for how the tools' answers compare, and whether that is a finding."""
    strict = tools.engine(trial, allow_offset=False)
    if strict == "already":
        return _already(trial, tools)
    git, moved = tools.git(trial, backward=trial.backward)
    if not isinstance(strict, str):
        return _applied(strict, git, trial, tools)
    if isinstance(git, str):
        return f"both refuse: {strict}", False
    if git == trial.tree:
        # A directory, for one, is a submodule to it.
        return "git applies, and changes nothing", False
    if strict == "offset":
        return _elsewhere(git, trial, tools)
    reason = _stricter(strict, trial, tools, moved=moved)
    return f"git applies, {reason or strict.upper()}", reason is None


def _elsewhere(git: Tree, trial: Trial, tools: Tools) -> tuple[str, bool]:
    made = tools.engine(trial, allow_offset=True)
    if isinstance(made, str):
        return f"git applies elsewhere, --allow-offset says {made}", False
    # Not the modes: git also sets the one that an index line only mentions.
    if _contents(made) == _contents(git):
        return "the same bytes elsewhere", False
    gnu, _ = tools.gnu_patch(trial, backward=trial.backward)
    if not isinstance(gnu, str) and _contents(made) == _contents(gnu):
        return "the same bytes elsewhere as GNU patch", False
    reason = _more_lenient(trial)
    return f"elsewhere: {reason or 'OTHER BYTES'}", reason is None


def _stricter(kind: str, trial: Trial, tools: Tools, *, moved: bool) -> str | None:
    """Why the engine may refuse what git takes, if it may."""
    if kind in STRICTER:
        return f"refused as {kind}"
    gnu, elsewhere = tools.gnu_patch(trial, backward=trial.backward)
    lines = trial.patch.split(b"\n")
    nothing = rb"@@ -\S+ \+\d+,0 @@" if trial.backward else rb"@@ -\d+,0 "
    adds = any(re.match(nothing, line) for line in lines)
    if kind == "no-match":
        # git goes by the new side's line number, GNU patch by the old side's.
        return "elsewhere" if moved or elsewhere or adds else _laxer(trial, lines)
    made = [line for line in lines if line.startswith((b"+++ ", b"copy to ", b"diff --git "))]
    if kind in ("exists", "missing") and len(set(made)) < len(made):
        return "a section twice"
    if kind == "exists" and re.search(_SUBVERSION, trial.patch):
        return "which does not know Subversion's words for no file"
    if kind == "exists" and re.search(_EPOCH, trial.patch):
        return "which knows a date for no file only with a time zone"
    if kind == "missing" and adds:
        return "which makes a file that the patch does not say is new"
    if kind == "missing" and trial.backward and b"copy to " in trial.patch:
        return "which takes a copy back without its source"
    # And GNU patch does, but both read on behind a line that is none of a header.
    if kind == "type" and (isinstance(gnu, str) or re.search(_SPOILED, trial.patch)):
        return "which does not look at the type unless a header says it"
    return None


def _laxer(trial: Trial, lines: list[bytes]) -> str | None:
    """What git lets differ between a file and a hunk that is at its place."""
    removed = b"new file mode " if trial.backward else b"deleted file mode "
    if b"old mode " in trial.patch or removed in trial.patch:
        return "which only warns of another mode"
    if any(line.startswith(b"\\ ") for line in lines):
        return "which lets the file's last newline be missing in the patch"
    if b"GIT binary patch\r" in trial.patch:
        return "which passes over a binary change with CR"
    return None


def _applied(made: Tree, git: Answer, trial: Trial, tools: Tools) -> tuple[str, bool]:
    if made == git:
        return "the same bytes as git", False
    gnu, _ = tools.gnu_patch(trial, backward=trial.backward)
    word = f"git {_word(git)}, GNU patch {_word(gnu)}"
    if made == gnu:
        return f"the same bytes as GNU patch, git {_word(git)}", False
    reason = _more_lenient(trial)
    return f"applied: {reason or word.upper()}", reason is None


def _more_lenient(trial: Trial) -> str | None:
    """Why the engine may apply what git and GNU patch do not, or not so, if it may."""
    for pattern, reason in _MORE_LENIENT.items():
        if re.search(pattern, trial.patch, re.MULTILINE):
            return reason
    if trial.backward and b"copy to " in trial.patch:
        return "git does not take a copy back"
    if _names_a_file(trial):
        return "the blob id says that the hunk's stated place is right"
    return None


def _names_a_file(trial: Trial) -> bool:
    """Whether an index line has the id of a file in the tree, as it is before or after."""
    ids = re.findall(rb"^index ([0-9a-f]+)\.\.([0-9a-f]+)", trial.patch, re.MULTILINE)
    blobs = [file.identity.blob for file in trial.tree.values()]
    return any(blob.startswith(each.decode()) for pair in ids for each in pair for blob in blobs)


def _contents(tree: Tree) -> dict[str, bytes]:
    return {path: file.data for path, file in tree.items()}


def _word(answer: Answer) -> str:
    return answer if isinstance(answer, str) else "differs"


def _already(trial: Trial, tools: Tools) -> tuple[str, bool]:
    """A patch that is in must come off, for one of the others as well."""
    for run in (tools.git, tools.gnu_patch):
        made, _ = run(trial, backward=not trial.backward)
        if not isinstance(made, str):
            return "already in, and it comes off", False
    reason = _more_lenient(trial)
    if reason is not None:
        return f"already in: {reason}", False
    return "ALREADY IN, AND NOTHING TAKES IT OFF", True


def _dump(trial: Trial, verdict: str) -> str:
    record = {
        "verdict": verdict,
        "strip": trial.strip,
        "backward": trial.backward,
        "patch": b64encode(trial.patch).decode(),
        "tree": {
            path: [file.mode.value, b64encode(file.data).decode()]
            for path, file in trial.tree.items()
        },
    }
    return json.dumps(record, indent=1)
