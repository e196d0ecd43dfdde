"""The engine, `git apply` and GNU patch, each run on the same patch and tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from diff.engine_case import lay_out, look
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.files import File
from patchtool.tree import reader

from .spoiling import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A patch, a tree and a direction."""

    tree: Tree
    patch: bytes
    strip: int
    backward: bool


# The tree that was made, or why none was.
Answer = Tree | str


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
