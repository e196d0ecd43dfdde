"""Git makes random trees into diffs: the engine must turn the one tree into the other and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diff.git_trees import Git, Tree, changed, options, pairs
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.files import File, Mode

EXAMPLES = 3000 if "PATCHTOOL_LONG_TESTS" in os.environ else 100
STATES = diff.State


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository for all examples."""
    return Git(tmp_path_factory.mktemp("git"))


def reader(tree: Mapping[str, File]) -> diff.Read:
    """Read a tree that is a value."""

    def read(path: str) -> diff.Found:
        for end in (at for at, letter in enumerate(path) if letter == "/"):
            above = tree.get(path[:end])
            if above is not None:
                kind = diff.Hindrance.BELOW_FILE
                if above.mode is Mode.SYMLINK:
                    kind = diff.Hindrance.BELOW_LINK
                return diff.Obstacle(kind=kind, at=path[:end])
        holds = tuple(other for other in tree if other.startswith(f"{path}/"))
        if holds:
            return diff.Obstacle(kind=diff.Hindrance.DIRECTORY, at=path, holds=holds)
        return tree.get(path)

    return read


def run(patch: diff.Patch, tree: Tree, *, backward: bool = False) -> tuple[diff.State, Tree]:
    """The state and the tree that come of a patch."""
    result = diff.run(patch, reader(tree), backward=backward)
    new = {**tree, **result.changes}
    return result.state, {path: file for path, file in new.items() if file is not None}


def attempt(patch: Callable[[], diff.Patch], tree: Tree) -> tuple[diff.State, Tree] | str:
    """The same, or the kind of the refusal, also of one to read the patch."""
    try:
        return run(patch(), tree)
    except PatchError as error:
        return error.problem.kind


@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(pair=pairs, arguments=options)
def test_a_diff_by_git_goes_on_and_comes_off(
    git: Git, pair: tuple[Tree, Tree], arguments: tuple[str, ...]
) -> None:
    """Forward gives git's second tree, again changes nothing, backward gives the first tree."""
    old, new = pair
    text = git.diff(old, new, arguments)
    if not text:
        return
    patch = diff.parse(text, strip=0 if "--no-prefix" in arguments else 1)
    forward = attempt(lambda: patch, old)
    if forward == "undecidable":
        # Files that only exchange their names: before and after look the same to the patch.
        assert b"\nrename from" in text
        return
    assert forward == (STATES.APPLIED, new)
    assert run(patch, new) == (STATES.ALREADY_APPLIED, new)
    assert run(patch, new, backward=True) == (STATES.REVERSED, old)
    assert run(patch, old, backward=True) == (STATES.ALREADY_REVERSED, old)
    assert diff.reverse(diff.reverse(patch)) == patch


@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(data=st.data(), pair=pairs, arguments=options, ending=st.sampled_from([b"", b"-- \n2.39\n"]))
def test_commits_in_one_file_happen_one_after_the_other(
    git: Git,
    data: st.DataObject,
    pair: tuple[Tree, Tree],
    arguments: tuple[str, ...],
    ending: bytes,
) -> None:
    """What `git log -p` prints of two commits gives the last tree; backward, the first."""
    first, second = pair
    last = data.draw(changed(second))
    diffs = [git.diff(*trees, arguments) for trees in ((first, second), (second, last))]
    header = b"commit " + b"0123456789" * 4 + b"\nAuthor: A\n\n    words\n\n     - more\n\n"
    if not all(diffs) or first == last:
        return
    text = b"".join(header + each + ending + b"\n" for each in diffs)
    patch = diff.parse(text, strip=0 if "--no-prefix" in arguments else 1)
    forward = attempt(lambda: patch, first)
    if forward == "undecidable":
        # Files that only exchange their names.
        assert b"\nrename from" in text
        return
    assert forward == (STATES.APPLIED, last)
    assert run(patch, last) == (STATES.ALREADY_APPLIED, last)
    assert run(patch, last, backward=True) == (STATES.REVERSED, first)


@st.composite
def spoiled(draw: st.DrawFn, text: bytes) -> bytes:
    """The patch with a few of its lines lost, doubled, exchanged or altered."""
    lines = [line + b"\n" for line in text.split(b"\n")[:-1]]
    for _ in range(draw(st.integers(1, 2))):
        if not lines:
            break
        at = draw(st.integers(0, len(lines) - 1))
        action = draw(st.sampled_from(["lose", "double", "exchange", "number", "byte", "cut"]))
        if action == "lose":
            del lines[at]
        elif action == "double":
            lines.insert(at, lines[at])
        elif action == "exchange":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif action == "number":
            digit = draw(st.sampled_from(b"0123456789"))
            found = [place for place, byte in enumerate(lines[at]) if byte in b"0123456789"]
            if found:
                place = draw(st.sampled_from(found))
                lines[at] = lines[at][:place] + bytes([digit]) + lines[at][place + 1 :]
        elif action == "byte":
            byte = draw(st.sampled_from(b" +-@\\x\r\t"))
            place = draw(st.integers(0, len(lines[at]) - 1))
            lines[at] = lines[at][:place] + bytes([byte]) + lines[at][place + 1 :]
        else:
            lines[at] = lines[at].rstrip()
    return b"".join(lines)


@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(data=st.data(), pair=pairs, arguments=options, where=st.sampled_from(["patch", "tree"]))
def test_a_spoiled_patch_or_tree_is_refused_or_agreed_on(
    git: Git, data: st.DataObject, pair: tuple[Tree, Tree], arguments: tuple[str, ...], where: str
) -> None:
    """What the engine accepts all the same, git applies with the same result."""
    old, new = pair
    text = git.diff(old, new, arguments)
    if where == "patch":
        text = data.draw(spoiled(text))
    else:
        old = data.draw(changed(old))
    strip = 0 if "--no-prefix" in arguments else 1
    outcome = attempt(lambda: diff.parse(text, strip=strip), old)
    if isinstance(outcome, str):
        assert outcome in diff.KINDS
        return
    state, made = outcome
    if state is STATES.APPLIED:
        zero = ("--unidiff-zero",) if "-U0" in arguments else ()
        agreed = git.applies(text, old, made, (f"-p{strip}", *zero))
        # Git wants a mode line for what comes or goes; to us /dev/null says it as well.
        assert agreed or b"/dev/null" in text
