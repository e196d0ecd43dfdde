"""The engine against `git apply` and GNU patch, on spoiled patches and trees.

Starts from the engine's cases. Where the engine applies a patch, another tool must make the same
bytes of it; where it refuses and another tool does not, the kind of its refusal must be one that is
stricter on purpose. Everything else is a finding, and is kept.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from diff.engine_case import EngineCase, lay_out, load, look
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.files import File
from patchtool.tree import reader

from .spoiling import Tree, spoil_patch, spoil_tree

# Refusals of what git or GNU patch would take. They guess, or look elsewhere, or read leniently.
STRICTER = diff.KINDS - {"no-match", "missing", "exists", "type", "offset"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A patch, a tree and a direction."""

    tree: Tree
    patch: bytes
    strip: int
    backward: bool


# The tree that was made, or why none was.
Answer = Tree | str


def fuzz(seconds: float, seed: int, findings: Path) -> bool:
    """Compare for so long; prints counts. Whether nothing was found."""
    rng = random.Random(seed or None)  # noqa: S311 - inputs, not secrets
    cases = list(load("engine.jsonl"))
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


class Tools:
    """The three tools, each in a directory that is made anew for each trial."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._environment = os.environ | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DIR": str(directory / "repository" / ".git"),
            "GIT_WORK_TREE": str(directory / "tree"),
        }
        subprocess.run(["git", "init", "-q", directory / "repository"], check=True)

    def engine(self, trial: Trial, *, allow_offset: bool) -> Answer:
        """What the engine makes; "already" and "no" too are words."""
        base = self._lay_out(trial)
        try:
            patch = diff.parse(trial.patch, strip=trial.strip)
            result = diff.run(
                patch, reader(base), backward=trial.backward, allow_offset=allow_offset
            )
        except PatchError as error:
            return error.problem.kind
        if result.state in (diff.State.ALREADY_APPLIED, diff.State.ALREADY_REVERSED):
            return "already"
        new = {**trial.tree, **result.changes}
        return {path: file for path, file in new.items() if file is not None}

    def git(self, trial: Trial, *, backward: bool) -> tuple[Answer, bool]:
        """What `git apply` makes, and whether any hunk went elsewhere than stated."""
        words = ["git", "apply", "-v", f"-p{trial.strip}", "--whitespace=nowarn"]
        return self._run([*words, *(["-R"] if backward else [])], trial, b"(offset")

    def gnu_patch(self, trial: Trial, *, backward: bool) -> tuple[Answer, bool]:
        """The same for GNU patch."""
        words = ["patch", "-t", "-N", "-F0", "-E", "-Vnever", "-g0", "--no-backup-if-mismatch"]
        words += ["-r-", f"-p{trial.strip}", *(["-R"] if backward else [])]
        return self._run(words, trial, b"(offset")

    def _lay_out(self, trial: Trial) -> Path:
        base = self._directory / "tree"
        shutil.rmtree(base, ignore_errors=True)
        lay_out(trial.tree, base)
        return base

    def _run(self, words: list[str], trial: Trial, elsewhere: bytes) -> tuple[Answer, bool]:
        base = self._lay_out(trial)
        done = subprocess.run(
            words,
            cwd=base,
            env=self._environment,
            input=trial.patch,
            capture_output=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            return "refused", False
        made = {path: file for path, file in look(base).items() if isinstance(file, File)}
        return made, elsewhere in done.stdout + done.stderr


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
    if strict == "offset":
        lenient = tools.engine(trial, allow_offset=True)
        if isinstance(lenient, str):
            return f"git applies elsewhere, --allow-offset says {lenient}", False
        # Not the modes: git also sets the one that an index line only mentions.
        same = _contents(lenient) == _contents(git)
        return "the same bytes elsewhere" if same else "OTHER BYTES ELSEWHERE", not same
    reason = _stricter(strict, trial, tools, moved=moved)
    return f"git applies, {reason or strict.upper()}", reason is None


def _stricter(kind: str, trial: Trial, tools: Tools, *, moved: bool) -> str | None:
    """Why the engine may refuse what git takes, if it may."""
    if kind in STRICTER:
        return f"refused as {kind}"
    lines = trial.patch.split(b"\n")
    if kind == "no-match":
        removed = b"new file mode " if trial.backward else b"deleted file mode "
        if b"old mode " in trial.patch or removed in trial.patch:
            return "which only warns of another mode"
        if any(line.startswith(b"\\ ") for line in lines):
            return "which lets the file's last newline be missing in the patch"
        # git goes by the new side's line number, GNU patch by the old side's.
        if moved or tools.gnu_patch(trial, backward=trial.backward)[1]:
            return "elsewhere"
    made = [line for line in lines if line.startswith((b"+++ ", b"copy to ", b"diff --git "))]
    if kind == "exists" and len(set(made)) < len(made):
        return "a section twice"
    nothing = rb"@@ -\S+ \+\d+,0 @@" if trial.backward else rb"@@ -\d+,0 "
    if kind == "missing" and any(re.match(nothing, line) for line in lines):
        return "which makes a file that the patch does not say is new"
    if kind == "type" and not trial.patch.startswith(b"diff --git "):
        return "which takes a header without its first line"
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
    if b"\r\n" in trial.patch:
        return "the others do not read headers with CR"
    if b"\xef\xbb\xbf" in trial.patch:
        return "the others do not read a header behind a byte order mark"
    if b"GIT binary patch" in trial.patch and not trial.patch.endswith(b"\n\n"):
        return "git wants a blank line behind the last binary block"
    if re.search(rb"^\\ [^\n]{,9}$", trial.patch, re.MULTILINE):
        return "the others want more words behind a backslash"
    if re.search(rb"^Subject: (?:(?!diff |---[ \n]).*\n)*@@ -", trial.patch, re.MULTILINE):
        return "a hunk in the message of a mail, which the others take for one"
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
