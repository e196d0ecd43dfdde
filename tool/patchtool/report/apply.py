"""What `apply` did to each copy, as text."""

from __future__ import annotations

from patchtool.commands.apply import Done, Result
from patchtool.report.layout import problems
from patchtool.report.problem import printable
from patchtool.series import State
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from patchtool.commands.apply_file import FileApplied


def text(result: Result | FileApplied) -> str:
    """One line for each copy; if anything is wrong, that and that nothing was written."""
    if not isinstance(result, Result):
        return _file(result)
    if result.problems:
        return problems(result.problems) + "nothing was written\n"
    lines = [f"{line(copy, dry_run=result.dry_run)}\n" for copy in result.copies]
    return "".join(lines) or "no package has a patch\n"


def line(copy: Done, *, dry_run: bool = False) -> str:
    """A copy's package and what became of it."""
    if copy.absent is not None or copy.directory is None:
        return printable(f"{copy.package}: not installed: {copy.absent}")
    what = f"left alone, as {copy.left_alone}" if copy.left_alone else _what(copy, dry_run)
    return printable(f"{copy.package}: {what} ({copy.directory})")


def _what(copy: Done, dry_run: bool) -> str:
    word = copy.after.value if copy.after else "unknown"
    other = copy.other_version
    note = f", although the version is {other}: the patch fits it, too" if other else ""
    if copy.before is copy.after:
        return f"already {word}{note}"
    verb = f"would be {word}" if dry_run else f"now {word}"
    start = f" from {copy.before.value}" if copy.before is State.PARTIAL else ""
    return f"{verb}{start}: {', '.join(copy.files)}{note}"


def _file(result: FileApplied) -> str:
    """What `apply --file` did: the state, the files, and hunks that went elsewhere."""
    if result.problem is not None or result.state is None:
        return problems([result.problem] if result.problem else []) + "nothing was written\n"
    moved = "".join(
        f"  {moved.path}: the hunk for line {moved.stated} went to line {moved.line}\n"
        for moved in result.moved
    )
    names = ", ".join(result.files)
    return printable(f"{result.state.value}: {names}\n{moved}") + problems(result.warnings)
