"""The programs that are compared, each as one function: a patch file onto a directory, or off it.

What a tool made of the directory is for others to judge; here it only says whether it took the
patch, and if not, why. No tool may use fuzz, for none of it would be the same bytes by right.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from patchtool import process
from patchtool.commands.apply_file import apply_file
from patchtool.diff import State
from patchtool.errors import CannotTell, Problem

SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One patch file for one directory; `strip` leading directories are left out of its paths."""

    patch: Path
    directory: Path
    strip: int
    backward: bool


# None for "taken", else the refusal in a word or a line.
Tool = Callable[[Job], str | None]


def patchtool(job: Job, *, allow_offset: bool = False) -> str | None:
    """The engine, with its reading and writing of files; a refusal is the problem's kind."""
    done = apply_file(
        file=job.patch,
        into=job.directory,
        strip=job.strip,
        reverse=job.backward,
        allow_offset=allow_offset,
    )
    if done.problem is not None:
        return done.problem.kind
    # The trees here are never what the patch makes already: this would be the wrong answer.
    if done.state not in (State.APPLIED, State.REVERSED):
        return str(done.state)
    return None


def patchtool_with_offsets(job: Job) -> str | None:
    """The same, where a hunk may go to the only other place where it fits."""
    return patchtool(job, allow_offset=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """`git apply` inside a repository whose work tree is the directory itself."""

    repository: Path
    environment: Mapping[str, str]

    @classmethod
    def at(cls, repository: Path, environment: Mapping[str, str]) -> Git:
        """Make the repository that the calls need; its content does not matter."""
        git = cls(repository=repository, environment=environment)
        repository.mkdir(parents=True, exist_ok=True)
        git.require(["init", "--quiet"], repository)
        return git

    def run(self, words: list[str], directory: Path, input: bytes = b"") -> process.Completed:
        """One call of git with nobody's settings."""
        environment = {
            **self.environment,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_DIR": str(self.repository / ".git"),
            "GIT_WORK_TREE": str(directory),
        }
        return process.run(
            ["git", *words],
            directory=directory,
            environment=environment,
            timeout=SECONDS,
            input=input,
        )

    def require(self, words: list[str], directory: Path, input: bytes = b"") -> None:
        """The same; `CannotTell` if it fails."""
        refusal = _refusal(self.run(words, directory, input))
        if refusal is not None:
            raise CannotTell(Problem(kind="program", what=refusal, subject="git"))

    def __call__(self, job: Job) -> str | None:
        """Apply or take off; offsets are as git likes them."""
        words = ["apply", f"-p{job.strip}", "--whitespace=nowarn"]
        words += ["--reverse"] if job.backward else []
        return _refusal(self.run([*words, str(job.patch)], job.directory))


@dataclass(frozen=True, slots=True, kw_only=True)
class GnuPatch:
    """GNU patch with the flags that dpkg-source gives it (Dpkg::Source::Patch)."""

    environment: Mapping[str, str]

    def __call__(self, job: Job) -> str | None:
        """Apply or take off; what it took of a patch that it refuses stays."""
        words = ["patch", "-t", "-N", "-s", "-E", "-F0", "-Vnever", "-g0", "-r-"]
        words += ["--no-backup-if-mismatch", f"-p{job.strip}", "-i", str(job.patch)]
        words += ["-R"] if job.backward else []
        return _refusal(
            process.run(
                words, directory=job.directory, environment=self.environment, timeout=SECONDS
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPackage:
    """patch-package in a project: `directory` has a package.json and node_modules/.

    The patch file keeps its name, which says what package it is for.
    """

    program: Path
    node: Path
    environment: Mapping[str, str]

    def __call__(self, job: Job) -> str | None:
        """Apply or take off the one patch."""
        patches = job.directory / "patches"
        patches.mkdir()
        link = patches / job.patch.name
        link.write_bytes(job.patch.read_bytes())
        words: list[str | Path] = [self.node, self.program, "--error-on-fail"]
        words += ["--reverse"] if job.backward else []
        try:
            return _refusal(
                process.run(
                    words, directory=job.directory, environment=self.environment, timeout=SECONDS
                )
            )
        finally:
            link.unlink()
            patches.rmdir()


def _refusal(done: process.Completed) -> str | None:
    if done.code == 0:
        return None
    if done.code < 0:
        return f"killed by signal {-done.code}"
    said = (done.stderr.strip() or done.stdout.strip()).decode(errors="replace")
    return said.partition("\n")[0] or f"exit {done.code}"


def timed(tool: Tool, job: Job) -> str | None:
    """What the tool says; running out of time is a refusal."""
    try:
        return tool(job)
    except CannotTell as error:
        return error.problem.what
