"""The status in one screen of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.report.layout import problems, table
from patchtool.report.problem import printable

if TYPE_CHECKING:
    from patchtool.commands.apply import Done
    from patchtool.commands.status import FixStatus, Result


def text(result: Result) -> str:
    """Each fix, then everything that is not as it should be."""
    return "\n".join(_fix(fix) for fix in result.fixes) + problems(result.problems, "\nproblems:")


def _fix(fix: FixStatus) -> str:
    head = f"{fix.name}: {fix.summary}\n"
    bugs = "".join(f"  bug: {address}\n" for address in fix.bug)
    plan = f"  forwarded: {fix.forwarded}\n  goes when {fix.delete_when}\n"
    pins = "".join(f"  pinned to {', '.join(pin)}\n" for pin in fix.pins)
    locked = "".join(
        f"  {each.lockfile} will install {each.package} {each.version or '(no version)'}\n"
        for each in fix.resolved
    )
    return (
        printable(head + bugs + plan + pins)
        + table(_row(copy) for copy in fix.copies)
        + printable(locked)
    )


def _row(copy: Done) -> tuple[str, str, str]:
    if copy.directory is None:
        return ("absent" if copy.absent else "missing", copy.package, copy.absent or "")
    other = f" (installed is {copy.other_version})" if copy.other_version else ""
    state = copy.before.value if copy.before and not copy.left_alone else "left alone"
    return (state, copy.package + other, str(copy.directory))
