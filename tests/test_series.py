"""Series of patches against trees in every state: finished or refused, and nothing in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_making import Edit, file, patch, patch_text, rename_text
from patchtool import diff
from patchtool.diff import Hindrance, Obstacle, Patch
from patchtool.errors import PatchError
from patchtool.files import File, Mode
from patchtool.series import Plan, State, Step, plan, plan_by_content

ONE = {"a.js": (file("a0\n"), file("a1\n"))}
TWO = {"a.js": (file("a1\n"), file("a2\n")), "new.js": (None, file("made\n"))}
THREE = {"b.js": (file("b0\n"), file("b1\n")), "a.js": (file("a2\n"), file("a3\n"))}
EDITS: tuple[Mapping[str, Edit], ...] = (ONE, TWO, THREE)

PRISTINE = {"a.js": file("a0\n"), "b.js": file("b0\n")}
PATCHED = {"a.js": file("a3\n"), "b.js": file("b1\n"), "new.js": file("made\n")}


def step(name: str, edits: Mapping[str, Edit], read_patch: Patch | None = None) -> Step:
    """A step whose patch is made when it is first asked for."""
    return Step(
        name=name,
        files={
            path: (old.identity if old else None, new.identity if new else None)
            for path, (old, new) in edits.items()
        },
        patch=lambda: read_patch if read_patch is not None else patch(edits),
    )


STEPS = tuple(step(f"{number}.patch", edits) for number, edits in enumerate(EDITS, 1))


def after(tree: Mapping[str, File], found: Plan) -> dict[str, File]:
    """The tree once a plan is carried out."""
    whole: dict[str, File | None] = {**tree, **found.changes}
    return {path: each for path, each in whole.items() if each is not None}


def test_pristine_is_taken_all_the_way() -> None:
    """A pristine tree gets every patch, in their order, in one plan."""
    found = plan(STEPS, PRISTINE.get)
    assert (found.state, found.problems) == (State.PRISTINE, ())
    assert after(PRISTINE, found) == PATCHED


def test_patched_needs_nothing() -> None:
    """A patched tree is known by its ids alone: no patch is even read."""

    def unread() -> Patch:
        raise AssertionError("read a patch that need not be run")

    steps = [Step(name=each.name, files=each.files, patch=unread) for each in STEPS]
    assert plan(steps, PATCHED.get) == Plan(state=State.PATCHED)
    assert plan(steps, PRISTINE.get, backward=True) == Plan(state=State.PRISTINE)


@pytest.mark.parametrize("backward", [False, True])
def test_a_tree_stands_where_least_is_left_to_do(backward: bool) -> None:
    """A file that two patches change and change back is not written anew for the third."""
    there, back = ((file("a0\n"), file("a1\n")), (file("a1\n"), file("a0\n")))
    third = {"b.js": (file("b0\n"), file("b1\n"))}
    edits = [{"a.js": there}, {"a.js": back}, third]
    tree = PRISTINE
    if backward:
        edits, tree = [third, *edits[:2]], {**PRISTINE, "b.js": file("b1\n")}
    steps = [step(f"{number}.patch", each) for number, each in enumerate(edits, 1)]
    assert plan(steps, tree.get, backward=backward).changes.keys() == {"b.js"}


def test_reverse_gives_the_pristine_tree_back() -> None:
    """Backward, a patched tree ends pristine; a file that a patch made is gone."""
    found = plan(STEPS, PATCHED.get, backward=True)
    assert found.state is State.PATCHED
    assert after(PATCHED, found) == PRISTINE


def test_first_two_of_three_are_on_already() -> None:
    """A sequence that stands behind its second patch gets the third alone."""
    tree = {"a.js": file("a2\n"), "b.js": file("b0\n"), "new.js": file("made\n")}
    found = plan(STEPS, tree.get)
    assert found.state is State.PARTIAL
    assert after(tree, found) == PATCHED
    assert after(tree, plan(STEPS, tree.get, backward=True)) == PRISTINE


@pytest.mark.parametrize(
    "content",
    [
        file("foreign\n"),
        file("a0\n", Mode.EXECUTABLE),
        None,
        Obstacle(kind=Hindrance.DIRECTORY, at="a.js"),
    ],
)
def test_foreign_is_refused_with_all_that_it_could_be(content: File | Obstacle | None) -> None:
    """Other bytes, another mode, no file or no regular one: refused, with expected and found."""
    tree = {**PRISTINE, "a.js": content}
    found = plan(STEPS, tree.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    (problem,) = found.problems
    assert (problem.kind, problem.path) == ("foreign", "a.js")
    assert problem.expected is not None
    assert all(file(f"a{n}\n").identity.blob in problem.expected for n in range(4))
    assert problem.found is not None
    assert (content.identity.blob if isinstance(content, File) else "") in problem.found


def test_every_foreign_file_is_named() -> None:
    """Two foreign files are two problems."""
    found = plan(STEPS, {"a.js": file("x\n"), "b.js": file("y\n")}.get)
    assert [problem.path for problem in found.problems] == ["a.js", "b.js"]


def test_an_edit_of_a_later_line_is_not_hidden_by_a_patch_that_would_go_on() -> None:
    """The ids decide, not whether hunks fit: a file with one more byte is foreign."""
    found = plan(STEPS[:1], {"a.js": file("a0\n\n")}.get)
    assert found.state is State.FOREIGN


RENAMED = diff.parse(rename_text("old.js", "new.js"))
CONTENT = file("content\n")
RENAME = step("r.patch", {"old.js": (CONTENT, None), "new.js": (None, CONTENT)}, RENAMED)


@pytest.mark.parametrize("tree", [{}, {"old.js": CONTENT, "new.js": CONTENT}])
def test_a_rename_that_is_half_done_is_refused(tree: dict[str, File]) -> None:
    """Both names, or none: the part cannot be run on what is left, so nothing is written."""
    found = plan([RENAME], tree.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert {problem.kind for problem in found.problems} == {"partial"}
    assert found.problems[0].subject == "r.patch"


def test_a_patch_that_makes_something_else_than_the_lock_says_is_refused() -> None:
    """The result is checked against the lock before it is written."""
    lying = step("1.patch", ONE, patch({"a.js": (file("a0\n"), file("other\n"))}))
    found = plan([lying], PRISTINE.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert (found.problems[0].kind, found.problems[0].path) == ("stale", "a.js")


@dataclass(frozen=True)
class Chain:
    """Random edits of some files: every content of each file, and the steps between them."""

    edits: tuple[dict[str, Edit], ...]
    contents: Mapping[str, tuple[File | None, ...]]

    @property
    def steps(self) -> list[Step]:
        """The series."""
        return [step(f"{number}.patch", edits) for number, edits in enumerate(self.edits, 1)]

    def tree(self, level: int) -> dict[str, File]:
        """The tree behind the first `level` steps."""
        return {path: each for path, all_ in self.contents.items() if (each := all_[level])}


CONTENTS = st.one_of(
    st.none(),
    st.builds(
        file,
        st.lists(st.sampled_from(["x", "y", "}"]), min_size=1, max_size=4).map(
            lambda lines: "".join(f"{line}\n" for line in lines)
        ),
        st.sampled_from([Mode.REGULAR, Mode.EXECUTABLE]),
    ),
)


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """One to four steps over one to three files; a file may return to what it was."""
    paths = draw(st.sampled_from([("a",), ("a", "b"), ("a", "b/c", "d")]))
    now: dict[str, File | None] = {path: draw(CONTENTS) for path in paths}
    contents = {path: [each] for path, each in now.items()}
    edits: list[dict[str, Edit]] = []
    for _ in range(draw(st.integers(1, 4))):
        changed: dict[str, Edit] = {}
        for path in paths:
            new = draw(CONTENTS)
            if new != now[path] and (not changed or draw(st.booleans())):
                changed[path] = (now[path], new)
                now[path] = new
        if changed:
            edits.append(changed)
            for path in paths:
                contents[path].append(now[path])
    if not edits:  # every draw gave what was there: one edit at least
        edits.append({"a": (now["a"], file("else\n"))})
        for path in paths:
            contents[path].append(file("else\n") if path == "a" else now[path])
    touched = {path for each in edits for path in each}
    return Chain(tuple(edits), {path: tuple(contents[path]) for path in touched})


@given(chain=chains(), data=st.data(), backward=st.booleans())
def test_any_mixture_of_known_contents_is_finished(
    chain: Chain, data: st.DataObject, backward: bool
) -> None:
    """Each file behind a step of its own: the plan ends at the wanted end, in every file."""
    tree = {
        path: each
        for path, all_ in chain.contents.items()
        if (each := data.draw(st.sampled_from(all_))) is not None
    }
    found = plan(chain.steps, tree.get, backward=backward)
    assert found.problems == ()
    assert after(tree, found) == chain.tree(0 if backward else -1)


@given(chain=chains(), data=st.data(), backward=st.booleans())
def test_one_foreign_file_keeps_every_file_as_it_is(
    chain: Chain, data: st.DataObject, backward: bool
) -> None:
    """However the others stand, a file with another content is refused and nothing is changed."""
    tree = {path: data.draw(st.sampled_from(all_)) for path, all_ in chain.contents.items()}
    tree[data.draw(st.sampled_from(sorted(tree)))] = file("foreign\n")
    found = plan(chain.steps, tree.get, backward=backward)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert found.problems


@given(chain=chains(), level=st.integers(0, 4))
def test_state_is_named_by_where_all_files_stand(chain: Chain, level: int) -> None:
    """Behind the last step: patched; before the first: pristine; elsewhere: partial."""
    level = min(level, len(chain.edits))
    tree = chain.tree(level)
    expected = State.PARTIAL
    if tree == chain.tree(-1):
        expected = State.PATCHED
    elif tree == chain.tree(0):
        expected = State.PRISTINE
    assert plan(chain.steps, tree.get).state is expected


def named(*edits: Mapping[str, Edit]) -> list[tuple[str, Patch]]:
    """Patches with the names that a directory without a lock gives them."""
    return [(f"{number}.patch", patch(each)) for number, each in enumerate(edits, 1)]


@pytest.mark.parametrize("level", range(4))
def test_without_a_lock_the_patches_that_come_off_are_on(level: int) -> None:
    """Behind any of three patches the rest goes on, and backward all of them come off."""
    tree = dict(PRISTINE)
    for edits in EDITS[:level]:
        tree |= {path: new for path, (_, new) in edits.items() if new is not None}
    on = plan_by_content(named(*EDITS), tree.get)
    assert on.problems == ()
    assert after(tree, on) == PATCHED
    assert bool(on.changes) == (level < 3)
    off = plan_by_content(named(*EDITS), tree.get, backward=True)
    assert after(tree, off) == PRISTINE
    assert (
        on.state
        is off.state
        is [State.PRISTINE, State.PARTIAL, State.PARTIAL, State.PATCHED][level]
    )


def test_without_a_lock_a_foreign_tree_is_refused_by_the_first_patch_that_does_not_go_on() -> None:
    """The problem is the one of the way that was wanted, with the patch's name."""
    found = plan_by_content(named(*EDITS), {**PRISTINE, "a.js": file("x\n")}.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert (found.problems[0].kind, found.problems[0].subject) == ("no-match", "1.patch")


def test_without_a_lock_a_patch_in_between_is_refused() -> None:
    """Only the second of three is on: that is no state of the sequence."""
    tree = {"a.js": file("a0\n"), "b.js": file("b0\n"), "new.js": file("made\n")}
    found = plan_by_content(named(*EDITS), tree.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert found.problems


def test_without_a_lock_half_of_one_patch_is_refused() -> None:
    """One of a patch's two files is patched: refused, not finished by a guess."""
    edits = {"a.js": (file("a0\n"), file("a1\n")), "b.js": (file("b0\n"), file("b1\n"))}
    found = plan_by_content(named(edits), {"a.js": file("a1\n"), "b.js": file("b0\n")}.get)
    assert (found.state, found.changes) == (State.FOREIGN, {})
    assert found.problems[0].kind == "partial"


def test_a_patch_that_cannot_be_read_is_an_error_of_its_own() -> None:
    """Reading is the caller's: the error passes through."""

    def broken() -> Patch:
        return diff.parse(patch_text(ONE)[:-3])

    with pytest.raises(PatchError):
        plan([Step(name="1.patch", files=STEPS[0].files, patch=broken)], PRISTINE.get)
