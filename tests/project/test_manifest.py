import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchtool.errors import Problem, UsageError
from patchtool.package import Package
from patchtool.project import AcceptedMutant, Guard, PatchFile, PatchName, Pin

from .conftest import MANIFEST, Repository

LEAD = Package(ecosystem="npm", name="@s/lead", version="1.0.0")
CONSUMER = Package(ecosystem="npm", name="consumer", version="3.0.0")
PIN = """
[[fix.pin]]
packages = ["{}"]
"""


def problem(what: str, key: str, expected: str | None = None, found: str | None = None) -> Problem:
    """The problem of a key in the manifest."""
    return Problem(
        kind="manifest",
        what=what,
        subject="patches/patches.toml",
        path=key,
        expected=expected,
        found=found,
    )


def test_a_manifest_is_read_as_it_says(repository: Repository) -> None:
    """Every key ends up in its field, and a patch belongs to the pin its file name says."""
    (fix,) = repository.load().fixes
    patch = PatchFile(
        name=PatchName(packages=("@s/lead",), version="1.0.0"),
        path=repository.root / "patches" / "@s+lead+1.0.0.patch",
        package=LEAD,
    )
    assert fix.name == "calls"
    assert fix.summary == "calls are mixed up"
    assert fix.bug == ("https://bugs.invalid/1", "http://bugs.invalid")
    assert fix.forwarded == "not-needed"
    assert fix.delete_when == "every required case passes on an unpatched release"
    assert fix.guard == Guard(path=repository.root / "guard/calls", command=None, timeout=60.0)
    assert fix.pins == (Pin(packages=(LEAD, CONSUMER), patches=(patch,)),)
    assert fix.pins[0].lead == LEAD
    assert fix.pins[0].consumers == (CONSUMER,)
    assert fix.patches == (patch,)
    assert fix.accepted_mutants == ()


def test_what_may_be_left_out_has_a_default(repository: Repository) -> None:
    """No bug, not forwarded, no guard; and a guard may be given five minutes without saying so."""
    repository.replace('bug = ["https://bugs.invalid/1", "http://bugs.invalid"]\n', "")
    repository.replace('forwarded = "not-needed"\n', "")
    repository.replace("timeout = 60\n", "")
    (fix,) = repository.load().fixes
    assert fix.bug == ()
    assert fix.forwarded == "no"
    assert fix.guard is not None
    assert fix.guard.timeout == 300
    assert not fix.guard.parallel
    repository.replace('[fix.guard]\npath = "guard/calls"\n', "")
    assert repository.load().fixes[0].guard is None


def test_a_guard_may_allow_runs_at_once(repository: Repository) -> None:
    """Whether it does is taken as it is written."""
    repository.replace("timeout = 60", "timeout = 60\nparallel = true")
    guard = repository.load().fixes[0].guard
    assert guard is not None
    assert guard.parallel


def test_a_guard_may_have_a_command_of_its_own(repository: Repository) -> None:
    """The command is kept word by word."""
    repository.replace("timeout = 60", 'command = ["node", "--test"]\ntimeout = 0.5')
    guard = repository.load().fixes[0].guard
    assert guard is not None
    assert guard.command == ("node", "--test")
    assert guard.timeout == 0.5


def test_patches_belong_to_their_pins_in_order(repository: Repository) -> None:
    """A sequence, a nested copy and a consumer's patch all find their pin, lead first."""
    repository.patch("consumer+3.0.0+002+b.patch")
    repository.patch("consumer+3.0.0+001+z.patch")
    repository.patch("app++@s+lead+1.0.0.patch")
    repository.patch("@s+lead+2.0.0.patch")
    repository.append(PIN.format("pkg:npm/%40s/lead@2.0.0"))
    first, second = repository.load().fixes[0].pins
    assert [str(patch.name) for patch in first.patches] == [
        "@s+lead+1.0.0.patch",
        "app++@s+lead+1.0.0.patch",
        "consumer+3.0.0+001+z.patch",
        "consumer+3.0.0+002+b.patch",
    ]
    assert [str(patch.name) for patch in second.patches] == ["@s+lead+2.0.0.patch"]
    assert first.patches[2].package == CONSUMER


def test_two_pins_may_share_a_consumer_without_patch(repository: Repository) -> None:
    """A consumer nobody patches can use the leads of several pins."""
    repository.patch("@s+lead+2.0.0.patch")
    repository.append(PIN.format('pkg:npm/%40s/lead@2.0.0", "pkg:npm/consumer@3.0.0'))
    assert [pin.consumers for pin in repository.load().fixes[0].pins] == [(CONSUMER,), (CONSUMER,)]


def test_accepted_mutants_are_read(repository: Repository) -> None:
    """A mutant nobody can notice is kept with its reason, its texts byte for byte."""
    repository.append(
        "[[fix.accepted-mutant]]\n"
        'patch = "@s+lead+1.0.0.patch"\noriginal = "a\\n\\tb "\nmutant = ""\nreason = "same"\n'
    )
    assert repository.load().fixes[0].accepted_mutants == (
        AcceptedMutant(
            patch=PatchName(packages=("@s/lead",), version="1.0.0"),
            original="a\n\tb ",
            mutant="",
            reason="same",
        ),
    )


KEYS = "accepted-mutant, bug, delete-when, forwarded, guard, name, pin, summary"
ADDRESS = "an address such as https://…"
PURL = "such as 'pkg:npm/%40scope/name@1.2.3'"
FORWARDED = f"'no', 'not-needed', or {ADDRESS}"
SECONDS = "seconds, more than 0 and at most 86400"

# The text of the manifest, what is put in its place, and the problem.
SPOILED = [
    ("[[fix]]", "[[fxi]]", problem("unknown key", "fxi", "fix")),
    ("summary =", "sumary =", problem("unknown key", "fix[0].sumary", "summary")),
    ("summary =", "qqq =", problem("unknown key", "fix[0].qqq", f"one of {KEYS}")),
    ("summary =", '"a b" =', problem("unknown key", "fix[0]['a b']", f"one of {KEYS}")),
    ("timeout =", "timeot =", problem("unknown key", "fix[0].guard.timeot", "timeout")),
    ("packages =", "package =", problem("unknown key", "fix[0].pin[0].package", "packages")),
    ('name = "calls"\n', "", problem("missing key", "fix[0].name")),
    ('summary = "calls are mixed up"\n', "", problem("missing key", "fix[0].summary")),
    ('path = "guard/calls"\n', "", problem("missing key", "fix[0].guard.path")),
    ('"calls are mixed up"', "3", problem("wrong type", "fix[0].summary", "a string", "integer 3")),
    (
        '"not-needed"',
        "[1]",
        problem("wrong type", "fix[0].forwarded", "a string", "an array"),
    ),
    (
        '["https://bugs.invalid/1", "http://bugs.invalid"]',
        '"https://bugs.invalid/1"',
        problem("wrong type", "fix[0].bug", "an array", "string 'https://bugs.invalid/1'"),
    ),
    (
        "[fix.guard]",
        "[[fix.guard]]",
        problem(
            "wrong type",
            "fix[0].guard",
            "a table",
            "an array",
        ),
    ),
    ("60", "true", problem("wrong type", "fix[0].guard.timeout", "a number", "boolean True")),
    (
        "timeout = 60",
        "parallel = 2",
        problem("wrong type", "fix[0].guard.parallel", "true or false", "integer 2"),
    ),
    ("60", "0", problem("out of range", "fix[0].guard.timeout", SECONDS, "integer 0")),
    (
        "60",
        "9" * 400,
        problem("out of range", "fix[0].guard.timeout", SECONDS, f"integer {'9' * 57}..."),
    ),
    ("60", "-1.5", problem("out of range", "fix[0].guard.timeout", SECONDS, "float -1.5")),
    ("60", "nan", problem("out of range", "fix[0].guard.timeout", SECONDS, "float nan")),
    ("60", "inf", problem("out of range", "fix[0].guard.timeout", SECONDS, "float inf")),
    (
        "60",
        "2026-01-01",
        problem("wrong type", "fix[0].guard.timeout", "a number", "date datetime.date(2026, 1, 1)"),
    ),
    (
        '["https://bugs.invalid/1", "http://bugs.invalid"]',
        "[]",
        problem("empty", "fix[0].bug", "at least one item", "an empty array"),
    ),
    (
        '"http://bugs.invalid"',
        '"bugs.invalid/1"',
        problem("not an address", "fix[0].bug[1]", ADDRESS, "string 'bugs.invalid/1'"),
    ),
    (
        '"http://bugs.invalid"',
        '"https://"',
        problem("not an address", "fix[0].bug[1]", ADDRESS, "string 'https://'"),
    ),
    (
        '"not-needed"',
        '"yes"',
        problem("not an address", "fix[0].forwarded", FORWARDED, "string 'yes'"),
    ),
    ('"calls"', '"  "', problem("blank", "fix[0].name", "some text", "string '  '")),
    (
        '"calls"',
        '"a b"',
        problem(
            "not the name of a fix",
            "fix[0].name",
            "letters, digits, dots and dashes",
            "string 'a b'",
        ),
    ),
    (
        '"calls are mixed up"',
        '"\\u001b[2J"',
        problem(
            "has control characters",
            "fix[0].summary",
            "one line of printable text",
            "string '\\x1b[2J'",
        ),
    ),
    (
        "timeout = 60",
        "command = []",
        problem("empty", "fix[0].guard.command", "at least one item", "an empty array"),
    ),
    (
        "timeout = 60",
        'command = ["node", 1]',
        problem("wrong type", "fix[0].guard.command[1]", "a string", "integer 1"),
    ),
    (
        '["pkg:npm/%40s/lead@1.0.0", "pkg:npm/consumer@3.0.0"]',
        "[]",
        problem("empty", "fix[0].pin[0].packages", "at least one item", "an empty array"),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "consumer@3.0.0",
        problem(
            'not the URL of a package: purl is missing the required "pkg" scheme component: '
            "'consumer@3.0.0'.",
            "fix[0].pin[0].packages[1]",
            PURL,
            "string 'consumer@3.0.0'",
        ),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "pkg:npm/consumer",
        problem(
            "not the URL of a package: no version in 'pkg:npm/consumer'",
            "fix[0].pin[0].packages[1]",
            PURL,
            "string 'pkg:npm/consumer'",
        ),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "pkg:npm/consumer@%5E3.0.0",
        problem(
            "not an exact version",
            "fix[0].pin[0].packages[1]",
            "a version such as 1.2.3, without a + part",
            "^3.0.0",
        ),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "pkg:npm/a/b/c@3.0.0",
        problem(
            "not the name of a package",
            "fix[0].pin[0].packages[1]",
            "a name, or @scope/name",
            "a/b/c",
        ),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "pkg:npm/%40s/lead@2.0.0",
        problem(
            "a second release of one package in a pin",
            "fix[0].pin[0].packages[1]",
            "only @s/lead@1.0.0",
            "string 'pkg:npm/%40s/lead@2.0.0'",
        ),
    ),
    (
        "pkg:npm/consumer@3.0.0",
        "pkg:pypi/consumer@3.0.0",
        problem(
            "packages of two kinds in a pin",
            "fix[0].pin[0].packages[1]",
            "pkg:npm/…",
            "string 'pkg:pypi/consumer@3.0.0'",
        ),
    ),
    (
        "%40s/lead@1.0.0",
        "%40s/lead@1.0.1",
        problem(
            "none of the packages has a patch",
            "fix[0].pin[0].packages",
            "@s+lead+1.0.1.patch or consumer+3.0.0.patch",
            "no such file",
        ),
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), SPOILED)
def test_each_mistake_is_told_with_its_key(
    repository: Repository, old: str, new: str, expected: Problem
) -> None:
    """The whole message of each mistake: where it is, what was expected, what was found."""
    repository.replace(old, new)
    assert repository.refused() == expected


def test_a_table_in_place_of_a_list_is_told(repository: Repository) -> None:
    """[fix] instead of [[fix]], the likeliest mistake of all."""
    repository.manifest.write_text('[fix]\nname = "calls"\n')
    assert repository.refused() == problem("wrong type", "fix", "an array", "a table")


def test_a_fix_that_is_no_table_is_told(repository: Repository) -> None:
    """Items of an array are checked too."""
    repository.manifest.write_text("fix = [1]\n")
    assert repository.refused() == problem("wrong type", "fix[0]", "a table", "integer 1")


def test_an_empty_manifest_is_told(repository: Repository) -> None:
    """A file without a fix says nothing about any patch."""
    repository.manifest.write_text("")
    assert repository.refused() == problem("missing key", "fix")


def test_a_guard_that_is_not_there_is_told(repository: Repository) -> None:
    """A guard's path is a dead reference if nothing is at it."""
    repository.replace("guard/calls", "guard/other")
    assert repository.refused() == problem(
        "no such file or directory",
        "fix[0].guard.path",
        f"a path below {repository.root}",
        "string 'guard/other'",
    )


def test_a_guard_of_pytest_is_in_a_folder(repository: Repository) -> None:
    """A file beside patches/ would be run with the project's own settings; a program may be one."""
    (repository.root / "test_guard.py").touch()
    repository.replace('path = "guard/calls"', 'path = "./test_guard.py"')
    assert repository.refused() == problem(
        "a guard of pytest has no folder of its own",
        "fix[0].guard.path",
        "a file in a folder",
        "string './test_guard.py'",
    )
    repository.replace("[fix.guard]\n", '[fix.guard]\ncommand = ["python", "test_guard.py"]\n')
    assert repository.load().fixes[0].guard is not None


@pytest.mark.parametrize("path", ["..", "../x", "guard/../../x", ".", "guard/..", "/"])
def test_a_guard_outside_the_root_is_told(repository: Repository, path: str) -> None:
    """A guard lies below the root, whether or not something is at the path."""
    repository.replace("guard/calls", path)
    assert repository.refused() == problem(
        "leaves the project",
        "fix[0].guard.path",
        f"a relative path below {repository.root}",
        f"string {path!r}",
    )


def test_a_guard_behind_a_link_that_leads_out_is_told(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Links are followed before it is said where a guard lies."""
    (repository.root / "link").symlink_to(tmp_path_factory.mktemp("outside"))
    repository.replace("guard/calls", "link")
    assert repository.refused().what == "leaves the project"


@pytest.mark.parametrize("path", ["circle", "n" * 5000])
def test_a_guard_that_cannot_be_followed_is_told(repository: Repository, path: str) -> None:
    """A path the system gives up on is an error of its key, not a traceback."""
    (repository.root / "circle").symlink_to("circle")
    repository.replace("guard/calls", path)
    assert repository.refused().path == "fix[0].guard.path"


def test_two_fixes_of_one_name_are_told(repository: Repository) -> None:
    """A name stands for one fix."""
    repository.patch("@s+lead+2.0.0.patch")
    repository.append("\n" + MANIFEST.replace("lead@1.0.0", "lead@2.0.0"))
    assert repository.refused() == problem(
        "a second fix of this name",
        "fix[1].name",
        "a name other than that of fix[0]",
        "'calls'",
    )


def test_two_pins_of_one_version_are_told(repository: Repository) -> None:
    """One release is not pinned twice in one fix."""
    repository.append(PIN.format("pkg:npm/%40s/lead@1.0.0"))
    assert repository.refused() == problem(
        "pinned twice",
        "fix[0].pin[1].packages[0]",
        "@s/lead@1.0.0 only once, as in fix[0].pin[0].packages[0]",
        "@s/lead@1.0.0",
    )


def test_a_version_pinned_by_two_fixes_is_told(repository: Repository) -> None:
    """A patched consumer of one fix cannot lead another, for whose would the patch be."""
    repository.patch("consumer+3.0.0.patch")
    repository.append(
        '[[fix]]\nname = "other"\nsummary = "s"\ndelete-when = "d"\n'
        + PIN.format("pkg:npm/consumer@3.0.0")
    )
    assert repository.refused() == problem(
        "pinned twice",
        "fix[1].pin[0].packages[0]",
        "consumer@3.0.0 only once, as in fix[0].pin[0].packages[1]",
        "consumer@3.0.0",
    )


@pytest.mark.parametrize("name", ["other+1.0.0.patch", "@s+lead+1.0.1.patch"])
def test_a_patch_nobody_pins_is_told(repository: Repository, name: str) -> None:
    """A patch file of another package, or of another version, is in no pin."""
    repository.patch(name)
    found = repository.refused()
    assert (found.what, found.found) == ("a patch file whose package is not pinned", name)
    assert found.expected is not None
    assert found.expected.endswith(" in the packages of a pin")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            'patch = "x+1.0.0.patch"\noriginal = "a"\nmutant = "b"\nreason = "r"',
            problem(
                "no patch of this fix",
                "fix[0].accepted-mutant[0].patch",
                "@s+lead+1.0.0.patch",
                "string 'x+1.0.0.patch'",
            ),
        ),
        (
            'patch = "@s+lead+1.0.0.patch"\noriginal = "a"\nmutant = "a"\nreason = "r"',
            problem(
                "the same as the original",
                "fix[0].accepted-mutant[0].mutant",
                "another text",
                "string 'a'",
            ),
        ),
        (
            'patch = "@s+lead+1.0.0.patch"\noriginal = "a"\nmutant = "b"\nreason = " "',
            problem("blank", "fix[0].accepted-mutant[0].reason", "some text", "string ' '"),
        ),
        (
            'patch = "@s+lead+1.0.0.patch"\noriginal = "a"\nmutant = "b"',
            problem("missing key", "fix[0].accepted-mutant[0].reason"),
        ),
    ],
)
def test_a_wrong_accepted_mutant_is_told(
    repository: Repository, entry: str, expected: Problem
) -> None:
    """A mutant is accepted only for a patch of the fix, as a change, and with a reason."""
    repository.append(f"[[fix.accepted-mutant]]\n{entry}\n")
    assert repository.refused() == expected


def whole(what: str, line: int | None = None, **more: str) -> Problem:
    """The problem of the whole file."""
    return Problem(kind="manifest", what=what, path="patches/patches.toml", line=line, **more)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a = 1\nb = \n", whole("not TOML: Invalid value at column 5", 2)),
        (b"a = 1\na = 2\n", whole("not TOML: Cannot overwrite a value at column 6", 2)),
        (b"a = 1\nb = 'caf\xe9'\n", whole("not UTF-8", 2)),
        (b"a = 1\nb = '\0'\n", whole("has a NUL byte", 2)),
        (b"a = 1\n" * 50_000, whole("too large", expected="at most 262144 bytes")),
        (
            b"a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n",
            whole("has the marks of a merge conflict", 2),
        ),
    ],
    ids=["not TOML", "key twice", "not UTF-8", "NUL", "large", "conflict"],
)
def test_a_file_that_is_no_manifest_is_told_with_its_line(
    repository: Repository, data: bytes, expected: Problem
) -> None:
    """What cannot be read at all is an error with the line it starts at."""
    repository.manifest.write_bytes(data)
    assert repository.refused() == expected


@pytest.mark.parametrize(
    "data",
    [
        b"a = " + b"[" * 100_000,
        b"a = " + b"{b=" * 50_000,
        b".".join([b"a"] * 100_000) + b" = 1",
        b"a = " + b"9" * 100_000,
        b"[" + b"a." * 100_000 + b"a]",
    ],
    ids=["arrays", "tables", "dotted key", "number", "header"],
)
@pytest.mark.filterwarnings("error")
def test_a_hostile_file_is_an_error_and_no_traceback(repository: Repository, data: bytes) -> None:
    """Nesting and numbers without end are told like any other mistake."""
    repository.manifest.write_bytes(data)
    found = repository.refused()
    assert found.kind == "manifest"
    assert found.what.startswith("not TOML")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    start=st.integers(0, len(MANIFEST)),
    length=st.integers(0, 20),
    data=st.binary(max_size=6) | st.text("[]{}\"'=.,#\n 10a", max_size=6).map(str.encode),
)
def test_whatever_is_written_is_read_or_told(
    repository: Repository, start: int, length: int, data: bytes
) -> None:
    """A manifest with any stretch replaced by anything is a project or an error with a message."""
    text = MANIFEST.encode()
    repository.manifest.write_bytes(text[:start] + data + text[start + length :])
    kind = "manifest"
    try:
        repository.load()
    except UsageError as error:
        kind = error.problem.kind
    assert kind == "manifest"


def test_a_manifest_that_is_a_directory_is_told(repository: Repository) -> None:
    """What cannot be opened is an error with the system's reason."""
    repository.manifest.unlink()
    repository.manifest.mkdir()
    assert repository.refused() == whole("cannot be read", found="Is a directory")


def test_a_manifest_that_is_a_pipe_or_a_link_to_nowhere_is_told(repository: Repository) -> None:
    """It is not waited for, and not taken for no manifest."""
    repository.manifest.unlink()
    os.mkfifo(repository.manifest)
    assert repository.refused() == whole("cannot be read", found="not a plain file")
    repository.manifest.unlink()
    repository.manifest.symlink_to("nowhere")
    assert repository.refused() == whole("cannot be read", found="No such file or directory")


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(repository: Repository) -> None:
    """A manifest saved by another editor reads the same."""
    fixes = repository.load().fixes
    text = MANIFEST.replace("\n", "\r\n").encode()
    repository.manifest.write_bytes(b"\xef\xbb\xbf" + text)
    assert repository.load().fixes == fixes


def test_a_long_value_is_cut_in_the_message(repository: Repository) -> None:
    """A message stays a message when the value found is a book."""
    repository.replace('"not-needed"', '"' + "x" * 10_000 + '"')
    found = repository.refused().found
    assert found is not None
    assert len(found) < 80
    assert found.endswith("...")


def test_a_deeply_nested_value_is_told(repository: Repository) -> None:
    """A value that can just be read can still be told in a message."""
    for depth in (100, 200, 300, 390):
        repository.manifest.write_text(f"fix = {'[' * depth}{']' * depth}")
        assert repository.refused().path == "fix[0]"


def test_paths_are_under_the_directory_that_was_named(repository: Repository) -> None:
    """Patch files carry the path they are read from."""
    (patch,) = repository.load().fixes[0].patches
    assert patch.path.read_text() == "a patch\n"
    assert patch.path.parent == Path(repository.root, "patches")


def test_versions_may_be_left_alone(repository: Repository) -> None:
    """The pin keeps them as they stand; without the key there are none."""
    assert repository.load().fixes[0].pins[0].leave_alone == ()
    repository.append('leave-alone = ["2.0.0", "0.9.1-beta"]\n')
    assert repository.load().fixes[0].pins[0].leave_alone == ("2.0.0", "0.9.1-beta")


@pytest.mark.parametrize(
    ("value", "what", "key", "expected", "found"),
    [
        ('"2.0.0"', "wrong type", "", "an array", "string '2.0.0'"),
        ("[]", "empty", "", "at least one item", "an empty array"),
        ("[2]", "wrong type", "[0]", "a string", "integer 2"),
        (
            '["^2"]',
            "not an exact version",
            "[0]",
            "a version such as 1.2.3, without a + part",
            "^2",
        ),
        ('["2.0", "2.0"]', "there twice", "[1]", "each version once", "string '2.0'"),
        (
            '["2.0.0", "1.0.0"]',
            "a version that has a patch cannot be left alone",
            "[1]",
            "a version without a patch",
            "@s+lead+1.0.0.patch",
        ),
    ],
)
def test_what_cannot_be_left_alone_is_refused(
    repository: Repository, value: str, what: str, key: str, expected: str, found: str
) -> None:
    """Anything but exact versions, each once, none of which has a patch."""
    repository.append(f"leave-alone = {value}\n")
    path = f"fix[0].pin[0].leave-alone{key}"
    assert repository.refused() == problem(what, path, expected, found)


def test_version_with_a_patch_in_another_pin_is_not_left_alone(repository: Repository) -> None:
    """A copy of it that no patch fits is a fault, whichever pin it is told by."""
    repository.append('leave-alone = ["2.0.0"]\n')
    repository.patch("@s+lead+2.0.0.patch")
    repository.append(PIN.format("pkg:npm/%40s/lead@2.0.0"))
    refused = repository.refused()
    assert refused.path == "fix[0].pin[0].leave-alone[0]"
    assert refused.found == "@s+lead+2.0.0.patch"
