"""A whole patch over a whole tree, in memory: in which state the tree is, and what would change.

Owns the decision between before, after, both and neither. Pure: the tree comes in as a function
that reads a path, and what is to change goes out as a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from patchtool.diff.attempt import Moved, Outcome, Refusal, attempt
from patchtool.diff.evidence import contradictions
from patchtool.diff.explain import explain, mixture
from patchtool.diff.model import Change, Part, Patch, reverse
from patchtool.diff.standing import Judgement, Standing, is_found_again, judge_with, try_part
from patchtool.errors import PatchError, Problem
from patchtool.files import File, Read, remember
from patchtool.values import dataclass


class State(Enum):
    """What a run makes of the tree, or found it to be."""

    APPLIED = "applied"
    ALREADY_APPLIED = "already-applied"
    REVERSED = "reversed"
    ALREADY_REVERSED = "already-reversed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a patch makes of a tree: the paths that differ afterwards, None for "gone".

    `moved` are hunks at other lines than stated, `warnings` what is odd and harmless.
    """

    state: State
    changes: dict[str, File | None]
    moved: tuple[Moved, ...] = ()
    warnings: tuple[Problem, ...] = ()


def run(
    patch: Patch,
    read: Read,
    *,
    backward: bool = False,
    allow_offset: bool = False,
    folds_case: bool = False,
) -> Result:
    """Run the patch over the tree, forward or backward; all or nothing.

    `allow_offset` lets a hunk go to the only other place where it fits; `folds_case` says that the
    tree's disk takes names that differ in case for one. PatchError if the patch does not go on
    (or come off) as a whole, or if it cannot be told whether it is in.
    """
    if folds_case:
        _refuse_twins(patch.paths)
    read = remember(read)
    wanted = reverse(patch) if backward else patch
    judged = [(part, judge_with(part, read, allow_offset=allow_offset)) for part in wanted.parts]
    for part, judgement in judged:
        if judgement.refusal is not None:
            error = _refused(part, judgement.refusal, read, backward)
            if error.problem.kind == "offset" and not allow_offset:
                # Whatever else is wrong comes first: "offset" says that to allow it would do.
                run(patch, read, backward=backward, allow_offset=True)
            raise error
    # What a part both makes and takes back leaves nothing to decide, unless it is all there is.
    judged = [pair for pair in judged if not pair[1].is_idle] or judged
    _refuse_undecidable(judged)
    _refuse_once_more(judged, read)
    _refuse_mixture(judged, backward)
    return _result(judged, read, backward)


def _result(judged: list[tuple[Part, Judgement]], read: Read, backward: bool) -> Result:
    """What the parts that go on make of the tree."""
    going = [(part, each.outcome) for part, each in judged if each.outcome is not None]
    state = State.ALREADY_REVERSED if backward else State.ALREADY_APPLIED
    if going:
        state = State.REVERSED if backward else State.APPLIED
    return Result(
        state=state,
        changes={path: file for _, outcome in going for path, file in outcome.changes.items()},
        moved=tuple(moved for _, outcome in going for moved in outcome.moved),
        warnings=tuple(
            warning
            for part, outcome in going
            for warning in contradictions(part, read, outcome.changes)
        ),
    )


def changes(patch: Patch, read: Read, *, backward: bool = False) -> dict[str, File | None]:
    """What the patch makes of a tree that is known to stand before it (backward: behind it).

    Goes one way only, where `run` finds out first where the tree stands. PatchError as of `run`.
    """
    wanted = reverse(patch) if backward else patch
    try:
        outcomes = [attempt(part, read) for part in wanted.parts]
    except Refusal:
        return run(patch, read, backward=backward).changes
    return {path: file for outcome in outcomes for path, file in outcome.changes.items()}


def _refused(part: Part, refusal: Refusal, read: Read, backward: bool) -> PatchError:
    if refusal.kind != "unsafe-path" and _is_mixed(part, read):
        what = "some of the patch is in and some is not; put the original file back first"
        return PatchError(
            Problem(kind="partial", what=what, path=refusal.path, line=refusal.section.line)
        )
    return explain(refusal, backward=backward)


def _is_mixed(part: Part, read: Read) -> bool:
    """Whether everything in the part is either in or not in, and there is some of each."""
    sections = list(part.sections)
    if len(sections) > 1:
        alone = [Part(steps=((section,),)) for section in sections]
        standings = {judge_with(single, read, allow_offset=False).standing for single in alone}
        return standings == {Standing.BEFORE, Standing.AFTER}
    section = sections[0]
    source, target = read(section.old_path), read(section.new_path)
    states: set[bool] = set()
    if section.change is Change.RENAME:
        if isinstance(source, File) and isinstance(target, File):
            moved = try_part(part, lambda path: source if path == section.old_path else None)
            return isinstance(moved, Outcome) and moved.changes[section.new_path] == target
        states.add(isinstance(target, File))
    elif section.change is not Change.EDIT:
        return False
    file = target if isinstance(target, File) else source
    if not isinstance(file, File) or section.binary is not None:
        return False
    if section.changes_mode:
        states.add(file.mode is section.new_mode)
    hunks = mixture(section.hunks, file)
    return hunks is not None and len(states | hunks) > 1


def _refuse_undecidable(judged: list[tuple[Part, Judgement]]) -> None:
    for part, judgement in judged:
        if judgement.standing is Standing.BOTH:
            section = next(iter(part.sections))
            what = (
                "the patch fits both ways, so that nothing says whether it is in; blob ids in "
                "its index line would (git diff writes them)"
            )
            if judgement.outcome is not None and judgement.outcome.moved:
                what = (
                    "the patch fits both ways, each at another place than stated, so that nothing "
                    "says whether it is in; make it anew against this file"
                )
            raise PatchError(
                Problem(kind="undecidable", what=what, path=section.old_path, line=section.line)
            )


def _refuse_once_more(judged: list[tuple[Part, Judgement]], read: Read) -> None:
    for part, judgement in judged:
        outcome = judgement.outcome
        if outcome is None or not outcome.moved or is_found_again(part, outcome, read):
            continue
        moved = outcome.moved[0]
        what = (
            f"would go on at line {moved.line}, and what it leaves fits at line {moved.stated}, so "
            "that a second run would change it again; make it anew against this file"
        )
        raise PatchError(
            Problem(kind="undecidable", what=what, path=moved.path, line=next(part.sections).line)
        )


def _refuse_mixture(judged: list[tuple[Part, Judgement]], backward: bool) -> None:
    paths: dict[Standing, list[str]] = {}
    for part, judgement in judged:
        paths.setdefault(judgement.standing, []).append(part.paths[0])
    if len(paths) > 1:
        done, todo = (", ".join(paths[s]) for s in (Standing.AFTER, Standing.BEFORE))
        ways = (todo, done) if backward else (done, todo)
        what = f"half applied: in is {ways[0]}, not in is {ways[1]}"
        raise PatchError(Problem(kind="partial", what=what, path=paths[Standing.BEFORE][0]))


def _refuse_twins(paths: Iterable[str]) -> None:
    """Names that such a disk takes for one would overwrite each other."""
    import unicodedata  # only disks that fold need it

    seen: dict[str, str] = {}
    for path in paths:
        twin = seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if twin != path:
            what = f"is one file with {twin} on this disk"
            raise PatchError(Problem(kind="case-collision", what=what, path=path))
