"""Where a part of a patch stands: before, after, both or neither. Pure.

Tries the part both ways and settles what fits both ways; what becomes of that is `run`'s to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from patchtool.diff.attempt import Outcome, Refusal, attempt
from patchtool.diff.evidence import is_blob
from patchtool.diff.model import Part, Section, reverse_part
from patchtool.diff.view import View
from patchtool.files import File, Read, remember
from patchtool.values import dataclass


class Standing(Enum):
    """Where a part's files stand."""

    BEFORE = "before"
    AFTER = "after"
    BOTH = "both"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Where a part stands, and what came of the way forward."""

    standing: Standing
    outcome: Outcome | None = None
    refusal: Refusal | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the part goes both ways and changes nothing."""
        outcome = self.outcome
        return self.standing is Standing.BOTH and outcome is not None and not outcome.changes


def judge(part: Part, read: Read) -> Standing:
    """Where the part's files stand, each hunk at its stated place."""
    return judge_with(part, remember(read), allow_offset=False).standing


def judge_with(part: Part, read: Read, *, allow_offset: bool) -> Judgement:
    """Try the part both ways. The stated places come first; only if neither way goes, others."""
    back = reverse_part(part)
    forward, backward = try_part(part, read), try_part(back, read, probe=True)
    if allow_offset and isinstance(forward, Refusal) and isinstance(backward, Refusal):
        forward = try_part(part, read, search=True)
        backward = try_part(back, read, search=True, probe=True)
    if isinstance(forward, Refusal):
        if isinstance(backward, Refusal):
            return Judgement(standing=Standing.NEITHER, refusal=forward)
        return Judgement(standing=Standing.AFTER)
    standing = Standing.BEFORE
    if isinstance(backward, Outcome):
        standing = _settle(part, back, read)
    return Judgement(standing=standing, outcome=None if standing is Standing.AFTER else forward)


def try_part(
    part: Part, read: Read, *, search: bool = False, probe: bool = False
) -> Outcome | Refusal:
    """What the part makes of the tree, or why it does not; `search` and `probe` as in `attempt`."""
    try:
        return attempt(part, read, search=search, probe=probe)
    except Refusal as refusal:
        # Its traceback holds the whole attempt; of 100,000 refusals that is half a gigabyte.
        return refusal.with_traceback(None)


def _settle(part: Part, back: Part, read: Read) -> Standing:
    """Both ways go: what the blob ids of the index lines say."""
    before, after = _is_recorded(part.steps[0], read), _is_recorded(back.steps[0], read)
    if before is after:
        return Standing.BOTH
    return Standing.BEFORE if before else Standing.AFTER


def _is_recorded(step: Iterable[Section], read: Read) -> bool:
    """Whether a file of the step is, by its id, what the step starts from."""
    files = ((read(section.old_path), section.old_blob) for section in step)
    return any(isinstance(found, File) and is_blob(found.data, blob) for found, blob in files)


def is_found_again(part: Part, outcome: Outcome, read: Read) -> bool:
    """Whether a part whose hunks went elsewhere would not go on once more, nor come off elsewhere.

    What it leaves may fit at the stated lines: a second run would then add it again.
    """
    view = View(read)
    for path, file in outcome.changes.items():
        view.put(path, file)
    undone = judge_with(reverse_part(part), remember(view.read), allow_offset=True)
    if undone.outcome is None or undone.standing is Standing.BOTH:
        return undone.standing is not Standing.AFTER
    for path, file in undone.outcome.changes.items():
        view.put(path, file)
    return not view.net_changes()
