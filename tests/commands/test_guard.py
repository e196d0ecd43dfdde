"""`patchtool guard`: the grid on the pin, case by case, and what makes it prove nothing."""

from __future__ import annotations

import pytest

from .conftest import Patchtool
from .world import Kept

BOUNDARY = """\
class Limit(dict):
    pass
def write(cases, write=write):
    mark = '<properties><property name="patchtool" value="boundary"/></properties>'
    children = {True: '', False: '<failure/>'}
    text = ''.join(f'<testcase name="{name}">{children[case]}</testcase>'
                   for name, case in cases.items())
    limit = f'<testcase name="limit">{mark}<failure/></testcase>'
    path = pathlib.Path(os.environ["PATCHTOOL_JUNIT"])
    path.write_text(f"<testsuite>{text}{limit}</testsuite>")
    sys.exit(1)
"""


def test_grid_of_a_sound_guard_is_a_yes(kept: Kept, patchtool: Patchtool) -> None:
    """Each case with its two outcomes and kind, needed ones first, then the counts."""
    kept.guard(f"{BOUNDARY}write(cases)")
    ran = patchtool("guard")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "fix-1 on lead@1.0.0\n"
        "  without  with  kind      case\n"
        "  fail     pass  needed    is right\n"
        "  pass     pass  control   is there\n"
        "  fail     fail  boundary  limit\n"
        "1 needed, 1 control, 0 harmful, 0 unmet; 1 boundary\n"
        "the guard has teeth and the patch delivers\n"
    )
    assert sorted(kept.runs) == ["pin with"] * 2 + ["pin without"] * 2


def test_json_has_each_case(kept: Kept, patchtool: Patchtool) -> None:
    """The same for programs."""
    kept.guard(f"{BOUNDARY}write(cases)")
    document = patchtool("guard", "fix-1", "--json").json
    assert document["answer"] == "yes"
    (pin,) = document["pins"]
    assert pin["cases"] == {"is right": "needed", "is there": "control"}
    assert pin["boundary"] == {"limit": [False, False]}


@pytest.mark.parametrize(
    ("guard", "code", "words"),
    [
        ("write({'a': True})", 1, "the guard has no teeth"),
        ("write(cases | {'worse': cell == 'pin without'})", 1, "required cases are harmful"),
        ("write(cases | {'unmet': False})", 1, "required cases are unmet"),
        ("write({})", 3, "collected no required case"),
        ("write({'a': None})", 3, "were skipped"),
        ("print('why'); sys.exit(1)", 3, "why"),
        ("write(cases | {'is there': number % 2 == 0})", 3, "two outcomes"),
        ("write(cases if cell == 'pin without' else {'a': True})", 3, "other cases"),
    ],
)
def test_what_proves_nothing_is_a_no_and_what_gave_no_evidence_is_not_known(
    kept: Kept, patchtool: Patchtool, guard: str, code: int, words: str
) -> None:
    """A sound run that shows a bad guard or patch is exit 1; a broken run is exit 3."""
    kept.guard(guard)
    ran = patchtool("guard")
    assert (ran.code, words in ran.out) == (code, True)
    assert "it proves nothing:" in ran.out


SAYING_WHY = """\
why = '<failure message="no &#x9b;31mfixture">at line 7</failure>'
text = f'<testcase name="is right">{why}</testcase>'
pathlib.Path(os.environ["PATCHTOOL_JUNIT"]).write_text(f"<testsuite>{text}</testsuite>")
sys.exit(1)
"""


def test_a_case_that_the_patch_does_not_meet_is_shown_with_why(
    kept: Kept, patchtool: Patchtool
) -> None:
    """What the guard's report says of it, also when its runs were kept, and for programs."""
    kept.guard(SAYING_WHY)
    for ran in (patchtool("guard"), patchtool("guard")):
        assert ran.code == 1
        assert ("with the patch, is right fails:\n  no \\x9b31mfixture: at line 7\n") in ran.out
    (pin,) = patchtool("guard", "--json").json["pins"]
    assert "at line 7" in pin["failures"]["is right"]


def test_a_case_without_a_word_takes_no_room_from_one_that_says_why(
    kept: Kept, patchtool: Patchtool
) -> None:
    """Only what says something counts among the few that are shown."""
    mute = "".join(f'<testcase name="{name}"><failure/></testcase>' for name in "abc")
    kept.guard(SAYING_WHY.replace('f"<testsuite>', f"f'<testsuite>{mute}' f\""))
    assert "with the patch, is right fails:" in patchtool("guard").out


def test_guard_that_lost_a_case_is_a_no(kept: Kept, patchtool: Patchtool) -> None:
    """The lock has a case by name that is no longer there."""
    kept.guard("write(cases | {'lost': right})")
    assert patchtool("lock").code == 0
    kept.guard("write(cases)")
    ran = patchtool("guard")
    assert (ran.code, "lost cases that the lock has: lost" in ran.out) == (1, True)


def test_no_such_fix_is_wrong_usage(kept: Kept, patchtool: Patchtool) -> None:
    """The names there are stand beside it."""
    ran = patchtool("guard", "fix-9")
    assert (ran.code, ran.out) == (2, "")
    assert "expected: fix-1" in ran.err
    assert kept.runs == []


def test_patch_that_does_not_go_on_is_a_no(kept: Kept, patchtool: Patchtool) -> None:
    """Told with the patch's name and the place."""
    path = kept.patches / "lead+1.0.0.patch"
    path.write_text(path.read_text().replace("// two", "// too"))
    ran = patchtool("guard")
    assert (ran.code, ran.out) == (1, "")
    assert "lead+1.0.0.patch: index.js: " in ran.err
