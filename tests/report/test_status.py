"""The status as text."""

from __future__ import annotations

from patchtool.commands import Answer
from patchtool.commands.status import FixStatus, Result
from patchtool.report.status import text


def test_a_fix_says_where_its_bug_is_and_whether_upstream_knows() -> None:
    """All that patches.toml says of a fix is shown, each address on a line of its own."""
    fix = FixStatus(
        name="fix",
        summary="what is broken",
        bug=("https://bugs.invalid/1", "https://bugs.invalid/2"),
        forwarded="not-needed",
        delete_when="upstream has it",
        pins=(("a@1.0.0",),),
        copies=(),
        resolved=(),
    )
    shown = text(Result(answer=Answer.YES, fixes=(fix,), problems=()))
    assert shown.splitlines() == [
        "fix: what is broken",
        "  bug: https://bugs.invalid/1",
        "  bug: https://bugs.invalid/2",
        "  forwarded: not-needed",
        "  goes when upstream has it",
        "  pinned to a@1.0.0",
    ]
