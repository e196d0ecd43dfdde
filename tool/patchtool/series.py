"""What state a tree is in against the patches of one package, and what takes it to an end. Pure.

A *series* is the patches of one copy of a package, in order. With a lock, every touched file has a
chain of known contents, and its place in the chain is looked up by blob id. Without one, the
engine is asked whether patches come off or go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum

from patchtool.errors import PatchError, Problem
from patchtool.files import File, Obstacle
from patchtool.values import TYPE_CHECKING, dataclass, field, replace

if TYPE_CHECKING:
    from patchtool import diff
    from patchtool.diff import Part, Patch
    from patchtool.files import Found, Identity, Read


class State(Enum):
    """What a tree is against a series."""

    PRISTINE = "pristine"
    PATCHED = "patched"
    PARTIAL = "partial"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One patch of a series: each path it touches, before and after, and the patch itself.

    `patch` is called only when the patch has to be run.
    """

    name: str
    files: Mapping[str, tuple[Identity | None, Identity | None]]
    patch: Callable[[], Patch]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The state of a tree, and the changes that take it to the wanted end.

    No changes and no problems: it is there already. With problems nothing may be written.
    """

    state: State
    changes: Mapping[str, File | None] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def plan(steps: Sequence[Step], read: Read, *, backward: bool = False) -> Plan:
    """Plan by the lock: every touched file must be one of its known contents."""
    chains = _chains(steps)
    found = {path: read(path) for path in chains}
    levels = {path: _levels(found[path], chain) for path, chain in chains.items()}
    foreign = tuple(
        _problem_foreign(path, found[path], chains[path])
        for path, known in levels.items()
        if not known
    )
    if foreign:
        return Plan(state=State.FOREIGN, problems=foreign)
    common = frozenset.intersection(*levels.values())
    end = 0 if backward else len(steps)
    state = _state(common, len(steps))
    if end in common:
        return Plan(state=state)
    nearest = min if backward else max
    at = {path: nearest(common or known) for path, known in levels.items()}
    walked = _walk(steps, read, at, end, chains)
    return walked if walked.problems else replace(walked, state=state)


def _chains(steps: Sequence[Step]) -> dict[str, list[Identity | None]]:
    """Each touched path's content before the series and after each step."""
    chains: dict[str, list[Identity | None]] = {}
    for number, step in enumerate(steps):
        for path, (before, _) in step.files.items():
            chains.setdefault(path, [before] * (number + 1))
        for path, chain in chains.items():
            chain.append(step.files[path][1] if path in step.files else chain[-1])
    return chains


def _levels(found: Found, chain: Sequence[Identity | None]) -> frozenset[int]:
    """The steps behind which the file could stand; empty when its content is not known."""
    if isinstance(found, Obstacle):
        return frozenset()
    identity = _identity(found)
    return frozenset(level for level, known in enumerate(chain) if known == identity)


def _state(common: frozenset[int], length: int) -> State:
    if length in common:
        return State.PATCHED
    return State.PRISTINE if 0 in common else State.PARTIAL


def _walk(
    steps: Sequence[Step],
    read: Read,
    at: dict[str, int],
    end: int,
    chains: Mapping[str, Sequence[Identity | None]],
) -> Plan:
    """Run what is not yet run, step by step, and check that each file ends as the lock says."""
    from patchtool import diff  # an installed tree that is patched needs no engine

    overlay: dict[str, File | None] = {}
    backward = end == 0
    numbers = range(len(steps) - 1, -1, -1) if backward else range(len(steps))
    for number in numbers:
        start, target = (number + 1, number) if backward else (number, number + 1)
        due, half = _due(steps[number].patch(), at, start)
        if half:
            return _refused(_problem_half(path, steps[number].name) for path in half)
        if due:
            try:
                overlay |= diff.changes(
                    diff.Patch(parts=due), _over(overlay, read), backward=backward
                )
            except PatchError as error:
                return _refused([replace(error.problem, subject=steps[number].name)])
        # Files that the step does not touch stand behind it now, too.
        at = {path: target if level == start else level for path, level in at.items()}
    wrong = [
        _problem_result(path, file, chains[path][end])
        for path, file in overlay.items()
        if _identity(file) != chains[path][end]
    ]
    return _refused(wrong) if wrong else Plan(state=State.PARTIAL, changes=overlay)


def _due(patch: Patch, at: Mapping[str, int], start: int) -> tuple[tuple[Part, ...], list[str]]:
    """The parts that are not yet run, and the paths that keep one of them from running."""
    due = tuple(part for part in patch.parts if any(at[path] == start for path in part.paths))
    return due, [path for part in due for path in part.paths if at[path] != start]


def plan_by_content(
    patches: Sequence[tuple[str, Patch]], read: Read, *, backward: bool = False
) -> Plan:
    """Plan without a lock: the tree stands behind the patches that come off and before the rest.

    `patches` have their names. A partial tree is refused: without a lock nothing says what its
    files should be.
    """
    end = 0 if backward else len(patches)
    for level in sorted(range(len(patches) + 1), key=lambda level: abs(level - end)):
        try:
            changes = _from_level(patches, read, level, end)
        except PatchError as error:
            refusal = error.problem  # the last is of the other end: how it should have been
        else:
            return Plan(state=_state(frozenset({level}), len(patches)), changes=changes)
    return _refused([refusal])


def _from_level(
    patches: Sequence[tuple[str, Patch]], read: Read, level: int, end: int
) -> dict[str, File | None]:
    """What takes the tree to `end`, if the first `level` patches are on and the others are not.

    Raises `PatchError` if that is not so: the way that is not wanted is run too, as the proof.
    """
    from patchtool import diff

    off = _run_all(reversed(patches[:level]), read, diff.State.REVERSED)
    on = _run_all(patches[level:], read, diff.State.APPLIED)
    return on if end else off


def _run_all(
    patches: Iterable[tuple[str, Patch]], read: Read, wanted: diff.State
) -> dict[str, File | None]:
    """Run the patches one after the other; each must have something to do."""
    from patchtool import diff

    overlay: dict[str, File | None] = {}
    for name, patch in patches:
        try:
            result = diff.run(patch, _over(overlay, read), backward=wanted is diff.State.REVERSED)
        except PatchError as error:
            raise PatchError(replace(error.problem, subject=name)) from None
        if result.state is not wanted:
            raise PatchError(
                Problem(
                    kind="partial",
                    what="the patches of this package are not on in their order",
                    subject=name,
                    expected=wanted.value,
                    found=result.state.value,
                )
            )
        overlay.update(result.changes)
    return overlay


def _over(overlay: Mapping[str, File | None], read: Read) -> Read:
    return lambda path: overlay[path] if path in overlay else read(path)


def _identity(found: Found) -> Identity | None:
    return found.identity if isinstance(found, File) else None


def _refused(problems: Iterable[Problem]) -> Plan:
    return Plan(state=State.FOREIGN, problems=tuple(problems))


def _problem_foreign(path: str, found: Found, chain: Sequence[Identity | None]) -> Problem:
    known = dict.fromkeys(_words(identity) for identity in chain)
    return Problem(
        kind="foreign",
        what="is neither pristine nor patched",
        path=path,
        expected=" or ".join(known),
        found=found.kind.value if isinstance(found, Obstacle) else _words(_identity(found)),
    )


def _problem_half(path: str, name: str) -> Problem:
    return Problem(
        kind="partial",
        what="a rename or copy is half done, and its source may be lost",
        subject=name,
        path=path,
    )


def _problem_result(path: str, file: File | None, locked: Identity | None) -> Problem:
    return Problem(
        kind="stale",
        what="the patch makes another file than the lock says",
        path=path,
        expected=_words(locked),
        found=_words(_identity(file)),
        remedy="patchtool check-pristine",
    )


def _words(identity: Identity | None) -> str:
    return f"{identity.blob} ({identity.mode.value})" if identity else "no file"
