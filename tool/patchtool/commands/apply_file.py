"""`patchtool apply --file X --into DIR`: the engine alone, on any directory, without a project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from patchtool import diff
from patchtool.commands import Answer
from patchtool.diff import Moved, Patch, Read, State
from patchtool.errors import PatchError, Problem, UsageError
from patchtool.patch_file import OF_THE_PATCH, look_at
from patchtool.remedy import repeated
from patchtool.tree import folds_case, look, reader, update

# No path that a system opens has more directories.
_DEEPEST = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class FileApplied:
    """What came of it: a state and the patch's paths, or the problem; never both."""

    state: State | None = None
    files: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    warnings: tuple[Problem, ...] = ()
    problem: Problem | None = None

    @property
    def answer(self) -> Answer:
        """Whether the patch is now in (with `reverse`: out)."""
        return Answer.NO if self.problem is not None else Answer.YES

    @property
    def document(self) -> dict[str, Any]:
        """The same as JSON's types."""
        if self.problem is not None:
            problem = self.problem
            error = {
                "kind": problem.kind,
                "path": problem.path,
                "line": problem.line,
                "message": problem.what,
                "expected": problem.expected,
                "found": problem.found,
                "try": problem.remedy and repeated(problem.remedy),
            }
            return {"error": error}
        return {
            "state": self.state.value if self.state is not None else None,
            "files": list(self.files),
            "moved": [
                {"path": moved.path, "stated": moved.stated, "line": moved.line}
                for moved in self.moved
            ],
            "warnings": [
                {"path": warning.path, "line": warning.line, "message": warning.what}
                for warning in self.warnings
            ],
        }


def apply_file(
    *,
    file: Path,
    into: Path,
    strip: int = 1,
    reverse: bool = False,
    allow_offset: bool = False,
    dry_run: bool = False,
) -> FileApplied:
    """Put one patch file on the directory, or take it out; all of it or nothing.

    UsageError if the file or the directory is not there; CannotTell if the disk refuses.
    """
    data = _read_patch(file)
    if not 0 <= strip <= _DEEPEST:
        what = f"--strip must be from 0 to {_DEEPEST}"
        raise UsageError(Problem(kind="usage", what=what))
    if not into.is_dir():
        raise UsageError(Problem(kind="usage", what="no such directory", path=str(into)))
    folds = folds_case(into)

    def decide(read: Read, allow_offset: bool = allow_offset) -> diff.Result:
        return diff.run(patch, read, backward=reverse, allow_offset=allow_offset, folds_case=folds)

    def foresee(allow_offset: bool = allow_offset) -> diff.Result:
        return look(lambda: decide(reader(into), allow_offset), lambda _: {into}, into)

    try:
        patch = diff.parse(data, strip=strip)
        result = foresee() if dry_run else update(into, decide)
    except PatchError as error:
        problem = replace(error.problem, subject=file.name)
        if problem.kind in OF_THE_PATCH:
            problem = replace(problem, remedy=look_at(file, problem))
        if problem.kind == "offset" and _changes(lambda: foresee(allow_offset=True)):
            problem = replace(problem, remedy=_allowing_offset(file, into, reverse, strip))
        return FileApplied(problem=problem)
    return _applied(patch, result)


def _changes(decide: Callable[[], diff.Result]) -> bool:
    """Whether such a run would do what was asked for, and not only find it done."""
    try:
        return decide().state in (State.APPLIED, State.REVERSED)
    except PatchError:
        return False


def _read_patch(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        what = f"cannot read the patch file: {error.strerror}"
        raise UsageError(Problem(kind="usage", what=what, path=str(file))) from None


def _applied(patch: Patch, result: diff.Result) -> FileApplied:
    return FileApplied(
        state=result.state, files=patch.paths, moved=result.moved, warnings=result.warnings
    )


def _allowing_offset(file: Path, into: Path, reverse: bool, strip: int) -> str:
    """The command that lets the hunks go where they fit."""
    import shlex

    words = ["patchtool", "apply", "--file", str(file), "--into", str(into), "--allow-offset"]
    words += ["--strip", str(strip)] if strip != 1 else []
    words += ["--reverse"] if reverse else []
    return shlex.join(words)
