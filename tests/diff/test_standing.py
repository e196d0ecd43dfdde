"""What goes on at other lines than stated: found there again, or refused."""

from __future__ import annotations

from difflib import diff_bytes, unified_diff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diff.test_git_agrees import reader
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.files import File

# So few different lines that what a patch leaves often fits at another place.
LINES = st.lists(st.sampled_from([b"a\n", b"b\n"]), max_size=12)
FEW = st.lists(st.sampled_from([b"a\n", b"b\n"]), max_size=2)


@st.composite
def edited(draw: st.DrawFn, lines: list[bytes]) -> list[bytes]:
    """The lines with a few at one place exchanged."""
    start = draw(st.integers(0, len(lines)))
    return lines[:start] + draw(FEW) + lines[start + draw(st.integers(0, 2)) :]


def run(patch: diff.Patch, data: bytes, *, backward: bool) -> tuple[diff.State | str, bytes]:
    """The state, or the kind of the refusal, and what is in the file afterwards."""
    try:
        tree = {"f": File(data=data)}
        result = diff.run(patch, reader(tree), backward=backward, allow_offset=True)
    except PatchError as error:
        return error.problem.kind, data
    made = result.changes.get("f", tree["f"])
    assert made is not None
    return result.state, made.data


@settings(deadline=None, max_examples=1000)
@given(data=st.data(), old=LINES, context=st.integers(1, 3), backward=st.booleans())
def test_nothing_goes_on_twice_or_comes_off_elsewhere(
    data: st.DataObject, old: list[bytes], context: int, backward: bool
) -> None:
    """A second run changes nothing, and the way back gives the first file or is refused."""
    new = data.draw(edited(old))
    before = b"".join(data.draw(edited(data.draw(st.sampled_from([old, new])))))
    text = b"".join(diff_bytes(unified_diff, old, new, b"a/f", b"b/f", n=context))
    if not text:
        return
    patch = diff.parse(text)
    state, after = run(patch, before, backward=backward)
    if state not in (diff.State.APPLIED, diff.State.REVERSED):
        return
    assert run(patch, after, backward=backward)[1] == after
    assert run(patch, after, backward=not backward)[1] in (before, after)


@pytest.mark.parametrize(
    ("hunk", "data", "backward"),
    [
        (b"@@ -3 +3,2 @@\n z\n+z\n", b"a\nz\n", False),
        (b"@@ -4,4 +4,2 @@\n x\n-b\n-x\n a\n", b"a\nx\na\nc\na\na\n", True),
    ],
)
def test_what_would_go_on_again_is_refused(hunk: bytes, data: bytes, backward: bool) -> None:
    """What it leaves fits at the stated line: a second run would change it once more."""
    patch = diff.parse(b"--- a/f\n+++ b/f\n" + hunk)
    with pytest.raises(PatchError) as caught:
        diff.run(patch, reader({"f": File(data=data)}), backward=backward, allow_offset=True)
    assert caught.value.problem.kind == "undecidable"
    assert "would go on at line 2" in caught.value.problem.what
