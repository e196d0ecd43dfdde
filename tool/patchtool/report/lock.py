"""What `patchtool lock` did, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.report.layout import count, problems

if TYPE_CHECKING:
    from patchtool.commands.lock import Result


def text(result: Result) -> str:
    """One line, or what stood in the way."""
    if result.problems:
        return problems(result.problems, f"{result.path}: not written")
    state = "written" if result.changed else "unchanged"
    return f"{result.path}: {state}, {count(len(result.packages), 'pinned package')}\n"
