"""The patch that the bytes of a patch file are, on paths in its package."""

from __future__ import annotations

from collections.abc import Callable

from patchtool import ecosystems
from patchtool.errors import PatchError, Problem
from patchtool.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from pathlib import Path

    from patchtool.diff import Patch, Section
    from patchtool.project import PatchFile


# The kinds of what is wrong with a patch file by itself, whatever is installed.
OF_THE_PATCH = {"ambiguous-order", "empty", "encoding", "hunk-order", "parse", "path-mismatch"}


def parse_patch(data: bytes, file: PatchFile) -> Patch:
    """The patch in `data`, its paths inside the package that the file's name says.

    Raises `PatchError` for what is no patch, or touches anything outside that package.
    """
    from patchtool import diff  # what is locked is parsed only if it has to be run

    locate = ecosystems.of(file.package).path_in_package

    def move(path: str) -> str:
        inside = locate(path, file.name.package)
        if inside is None:
            raise PatchError(
                Problem(
                    kind="unsafe-path",
                    what=f"touches a file outside of {file.name.package}",
                    subject=str(file.name),
                    path=path,
                )
            )
        return inside

    try:
        return _moved(diff.parse(data), move)
    except PatchError as error:
        remedy = look_at(file.path, error.problem)
        raise PatchError(replace(error.problem, subject=str(file.name), remedy=remedy)) from None


def look_at(path: Path, problem: Problem) -> str:
    """The command that shows what a patch file was before something was wrong with it.

    Where git does not keep that, it shows the lines down to the place.
    """
    import shlex

    if problem.kind not in OF_THE_PATCH:
        return f"grep '^+++ ' {shlex.quote(str(path))}"
    if any((above / ".git").exists() for above in path.absolute().parents):
        directory, name = shlex.quote(str(path.parent)), shlex.quote(path.name)
        return f"git -C {directory} log -p -- {name}"
    return f"head -n {problem.line or 10} {shlex.quote(str(path))} | tail"


def _moved(patch: Patch, move: Callable[[str], str]) -> Patch:
    from patchtool.diff import Part, Patch

    def section(old: Section) -> Section:
        return replace(old, old_path=move(old.old_path), new_path=move(old.new_path))

    return Patch(
        parts=tuple(
            Part(steps=tuple(tuple(map(section, step)) for step in part.steps))
            for part in patch.parts
        )
    )
