import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchtool.errors import Problem, UsageError
from patchtool.files import Identity, Mode
from patchtool.package import Package
from patchtool.project import Baseline, Change, Lock, LockedPackage, LockedPatch, PatchName
from patchtool.project.lock import dump, read

LEAD = Package(ecosystem="npm", name="@s/lead", version="1.0.0")
CONSUMER = Package(ecosystem="npm", name="consumer", version="3.0.0")
INTEGRITY = "sha512-" + "A" * 86 + "=="
ONE = Identity(blob="1" * 40, mode=Mode.REGULAR)
TWO = Identity(blob="2" * 40, mode=Mode.EXECUTABLE)

LOCK = Lock(
    manifest="a" * 64,
    packages=(
        LockedPackage(
            package=LEAD,
            integrity=INTEGRITY,
            patches=(
                LockedPatch(
                    name=PatchName(packages=("@s/lead",), version="1.0.0", sequence=1, label="z"),
                    sha256="b" * 64,
                    files={
                        "dist/gone.js": Change(before=ONE, after=None),
                        "dist/index.js": Change(before=ONE, after=TWO),
                    },
                ),
                LockedPatch(
                    name=PatchName(packages=("@s/lead",), version="1.0.0", sequence=2, label="a"),
                    sha256="c" * 64,
                    files={"new.js": Change(before=None, after=ONE)},
                ),
            ),
        ),
        LockedPackage(package=CONSUMER, integrity="sha256-" + "d" * 64, patches=()),
    ),
    guards={("calls", LEAD): Baseline(needed=("n1", "n2"), control=("c",), boundary=())},
)

TEXT = """\
{
  "checksum": "CHECKSUM",
  "guards": {
    "calls": {
      "pkg:npm/%40s/lead@1.0.0": {
        "boundary": [],
        "control": [
          "c"
        ],
        "needed": [
          "n1",
          "n2"
        ]
      }
    }
  },
  "lock-version": 1,
  "manifest": "MANIFEST",
  "packages": {
    "pkg:npm/%40s/lead@1.0.0": {
      "ecosystem": "npm",
      "integrity": "INTEGRITY",
      "name": "@s/lead",
      "patches": {
        "@s+lead+1.0.0+001+z.patch": {
          "files": {
            "dist/gone.js": {
              "after": null,
              "before": {
                "blob": "ONE",
                "mode": "100644"
              }
            },
            "dist/index.js": {
              "after": {
                "blob": "TWO",
                "mode": "100755"
              },
              "before": {
                "blob": "ONE",
                "mode": "100644"
              }
            }
          },
          "sha256": "PATCH1"
        },
        "@s+lead+1.0.0+002+a.patch": {
          "files": {
            "new.js": {
              "after": {
                "blob": "ONE",
                "mode": "100644"
              },
              "before": null
            }
          },
          "sha256": "PATCH2"
        }
      },
      "version": "1.0.0"
    },
    "pkg:npm/consumer@3.0.0": {
      "ecosystem": "npm",
      "integrity": "sha256-DIGEST",
      "name": "consumer",
      "patches": {},
      "version": "3.0.0"
    }
  }
}
"""
for word, value in {
    "CHECKSUM": "72821992b65efe72edc2534bbd66429062d3f4381270f21d1a99f2ce7950d1d7",
    "MANIFEST": "a" * 64,
    "INTEGRITY": INTEGRITY,
    "ONE": "1" * 40,
    "TWO": "2" * 40,
    "PATCH1": "b" * 64,
    "PATCH2": "c" * 64,
    "DIGEST": "d" * 64,
}.items():
    TEXT = TEXT.replace(word, value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a lock is."""
    (tmp_path / "patches").mkdir()
    return tmp_path / "patches" / "patches.lock"


def refused(path: Path, data: bytes) -> Problem:
    """The problem that reading these bytes as a lock ends with."""
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        read(path)
    return caught.value.problem


def test_a_lock_is_written_as_documented() -> None:
    """The bytes are JSON with sorted keys, two spaces and LF: a diff of two locks can be read."""
    assert dump(LOCK).decode() == TEXT


def test_a_lock_is_read_as_it_was_written(path: Path) -> None:
    """Reading gives the same value back, patches in order of their sequence."""
    path.write_bytes(dump(LOCK))
    assert read(path) == LOCK


def test_what_is_recorded_of_a_release_is_found() -> None:
    """A release is looked up by its value."""
    assert LOCK.package(CONSUMER) is LOCK.packages[1]
    assert LOCK.package(Package(ecosystem="npm", name="consumer", version="3.0.1")) is None


def test_the_order_things_are_recorded_in_does_not_matter() -> None:
    """Locks that say the same are the same bytes, so that a second run changes nothing."""
    lead = LOCK.packages[0]
    shuffled = Lock(
        manifest=LOCK.manifest,
        packages=(
            LOCK.packages[1],
            LockedPackage(package=LEAD, integrity=INTEGRITY, patches=tuple(reversed(lead.patches))),
        ),
        guards={("calls", LEAD): Baseline(needed=("n2", "n1"), control=("c",), boundary=())},
    )
    assert dump(shuffled) == dump(LOCK)


PARTS = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=5).filter(
    lambda part: part not in (".", "..")
)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
IDENTITIES = st.builds(
    Identity,
    blob=st.text("0123456789abcdef", min_size=40, max_size=40),
    mode=st.sampled_from(Mode),
)
CHANGES = st.builds(Change, before=st.none() | IDENTITIES, after=st.none() | IDENTITIES).filter(
    lambda change: change.before != change.after
)
CASES = st.lists(st.text(), unique=True).map(sorted)


@given(
    files=st.dictionaries(PATHS, CHANGES, min_size=1, max_size=3),
    needed=CASES,
    name=st.from_regex(r"(@[a-z]{1,3}/)?[A-Za-z]{1,4}", fullmatch=True),
)
def test_every_lock_comes_back_from_its_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, Change],
    needed: list[str],
    name: str,
) -> None:
    """Whatever paths and cases are called: the value read is the value written, and so again."""
    package = Package(ecosystem="npm", name=name, version="1.0.0")
    lock = Lock(
        manifest="0" * 64,
        packages=(
            LockedPackage(
                package=package,
                integrity=INTEGRITY,
                patches=(
                    LockedPatch(
                        name=PatchName(packages=(name,), version="1.0.0"),
                        sha256="1" * 64,
                        files=files,
                    ),
                ),
            ),
        ),
        guards={("fix", package): Baseline(needed=tuple(needed), control=(), boundary=())},
    )
    path = tmp_path_factory.getbasetemp() / "patches.lock"
    path.write_bytes(dump(lock))
    assert read(path) == lock
    assert dump(read(path)) == path.read_bytes()


URL = "pkg:npm/%40s/lead@1.0.0"
PATCH = "@s+lead+1.0.0+001+z.patch"
AT_PACKAGE = f"packages['{URL}']"
AT_PATCH = f"{AT_PACKAGE}.patches['{PATCH}']"
AT_FILE = f"{AT_PATCH}.files['dist/index.js']"
FILE = ("packages", URL, "patches", PATCH, "files", "dist/index.js")

# Where a value is put, the value, and: the problem's key, what, expected, found.
SPOILED: list[tuple[tuple[str, ...], object, tuple[str, str, str | None, str | None]]] = [
    (
        ("lock-version",),
        2,
        ("lock-version", "written by another version of patchtool", "1", "integer 2"),
    ),
    (("lock-version",), True, ("lock-version", "wrong type", "an integer", "boolean True")),
    (("manifest",), "A" * 64, ("manifest", "malformed", "64 hex digits", f"string '{'A' * 55}")),
    (("manifest",), None, ("manifest", "wrong type", "a string", "null")),
    (("packages",), [], ("packages", "wrong type", "a table", "an empty array")),
    (("pakages",), {}, ("pakages", "unknown key", "packages", None)),
    (("packages", URL), 1, (AT_PACKAGE, "wrong type", "a table", "integer 1")),
    (
        ("packages", URL, "name"),
        "@s/other",
        (AT_PACKAGE, "not the package its URL names", URL, "pkg:npm/%40s/other@1.0.0"),
    ),
    (
        ("packages", URL, "name"),
        "../x",
        (AT_PACKAGE, "not a package", "a name and an exact version", "'../x@1.0.0'"),
    ),
    (
        ("packages", URL, "version"),
        "\ud800",
        (f"{AT_PACKAGE}.version", "has control characters", "one line of printable text", None),
    ),
    (
        ("packages", URL, "integrity"),
        "sha1-x",
        (
            f"{AT_PACKAGE}.integrity",
            "malformed",
            "sha512- and base64, or sha256- and hex digits",
            "string 'sha1-x'",
        ),
    ),
    (
        ("packages", URL, "patches", "x.patch"),
        {},
        (
            f"{AT_PACKAGE}.patches['x.patch']",
            "not the name of a patch",
            "a version behind x, as in name+1.2.3.patch or @scope+name+1.2.3.patch",
            "''",
        ),
    ),
    (
        ("packages", URL, "patches", "x+1.0.0.patch"),
        {},
        (
            f"{AT_PACKAGE}.patches['x+1.0.0.patch']",
            "a patch of another package",
            "@s/lead@1.0.0",
            "x+1.0.0.patch",
        ),
    ),
    (
        ("packages", URL, "patches", "@s+lead+1.0.0+004+y.patch"),
        {},
        (
            f"{AT_PACKAGE}.patches",
            "the patches of one package are not in sequence",
            "one patch without a number, or the numbers 001, 002, 003, ... "
            "without gap or duplicate",
            "@s+lead+1.0.0+001+z.patch, @s+lead+1.0.0+002+a.patch, @s+lead+1.0.0+004+y.patch",
        ),
    ),
    (FILE[:-1], {}, (f"{AT_PATCH}.files", "empty", "at least one file", "a table")),
    (
        (*FILE, "before"),
        {"blob": "2" * 40, "mode": "100755"},
        (AT_FILE, "not a change", "before and after that differ", "the same twice"),
    ),
    (
        (*FILE, "before", "blob"),
        "1" * 39,
        (f"{AT_FILE}.before.blob", "malformed", "40 hex digits", f"string '{'1' * 39}'"),
    ),
    (
        (*FILE, "after", "mode"),
        "100600",
        (
            f"{AT_FILE}.after.mode",
            "unknown mode",
            "100644 or 100755 or 120000",
            "string '100600'",
        ),
    ),
    (
        ("guards", "calls", "pkg:npm/x@1.0.0"),
        {},
        (
            "guards.calls['pkg:npm/x@1.0.0']",
            "a baseline on no locked package",
            f"{URL} or pkg:npm/consumer@3.0.0",
            "pkg:npm/x@1.0.0",
        ),
    ),
    (
        ("guards", "calls", URL, "control"),
        ["c", "n2"],
        (
            f"guards.calls['{URL}'].control[1]",
            "a second case of this name",
            "each case once",
            "string 'n2'",
        ),
    ),
    (
        ("guards", "calls", URL, "boundary"),
        [3],
        (f"guards.calls['{URL}'].boundary[0]", "wrong type", "a string", "integer 3"),
    ),
]


@pytest.mark.parametrize(
    ("keys", "value", "expected"), SPOILED, ids=lambda value: ascii(value)[:60]
)
def test_each_mistake_is_told_with_its_key(
    path: Path,
    keys: tuple[str, ...],
    value: object,
    expected: tuple[str, str, str | None, str | None],
) -> None:
    """A lock that somebody edited: the whole message says where, and which command helps."""
    lock = json.loads(TEXT)
    table = lock
    for key in keys[:-1]:
        table = table[key]
    table[keys[-1]] = value
    problem = refused(path, json.dumps(lock).encode())
    assert (problem.kind, problem.subject) == ("lock", "patches/patches.lock")
    assert problem.remedy == "patchtool lock"
    assert (problem.path, problem.what, problem.expected) == expected[:3]
    assert expected[3] is None or (problem.found or "").startswith(expected[3])


def leaves(value: Any, *keys: str) -> list[tuple[str, ...]]:
    """The way to every key of a JSON value that has a fixed name."""
    if not isinstance(value, dict):
        return []
    return [
        found
        for key, item in value.items()
        for found in ([] if set(key) & set(":.+") else [(*keys, key)]) + leaves(item, *keys, key)
    ]


@pytest.mark.parametrize("keys", leaves(json.loads(TEXT)), ids="-".join)
def test_a_missing_key_is_told(path: Path, keys: tuple[str, ...]) -> None:
    """Every key of the format but the name of a fix must be there."""
    lock = deepcopy(json.loads(TEXT))
    table = lock
    for key in keys[:-1]:
        table = table[key]
    del table[keys[-1]]
    path.write_text(json.dumps(lock))
    if keys == ("guards", "calls"):
        assert read(path).guards == {}
    else:
        problem = refused(path, path.read_bytes())
        assert problem.what == "missing key"
        assert problem.path is not None
        assert problem.path.endswith(keys[-1])


@pytest.mark.parametrize("bad", ["/etc/passwd", "../x", "a/../b", "a//b", "", ".", "a/", "a\0b"])
def test_a_path_that_is_not_inside_the_package_is_told(path: Path, bad: str) -> None:
    """No lock makes anybody look outside a package."""
    lock = json.loads(TEXT)
    files = lock["packages"][URL]["patches"][PATCH]["files"]
    files[bad] = files["dist/index.js"]
    problem = refused(path, json.dumps(lock).encode())
    assert problem.what == "not a path inside a package"
    assert problem.found == repr(bad)


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"", "not JSON: Expecting value", 1),
        (b'{\n"a": }', "not JSON: Expecting value", 2),
        (b'{"a": 1, "a": 2}', "not JSON that can be read: the key 'a' is there twice", None),
        (
            TEXT.replace(
                '  "lock-version": 1,\n', "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
            ).encode(),
            "has the marks of a merge conflict",
            17,
        ),
        (b'{\n"\xff"', "not UTF-8", 2),
        (b"\0", "has a NUL byte", 1),
        (b" " * (16 * 1024 * 1024 + 1), "too large", None),
    ],
    ids=["empty", "not JSON", "key twice", "conflict", "not UTF-8", "NUL", "large"],
)
def test_a_file_that_is_no_lock_is_told(
    path: Path, data: bytes, what: str, line: int | None
) -> None:
    """What cannot be read at all is an error with its line, and the command that helps."""
    problem = refused(path, data)
    assert (problem.kind, problem.path) == ("lock", "patches/patches.lock")
    assert (problem.what, problem.line) == (what, line)
    assert problem.remedy == "patchtool lock"


@pytest.mark.parametrize(
    "data",
    [
        *(b"[" * 1_000_000, b'{"a":' * 200_000, b"9" * 100_000, b"[]", b"1e999", b"NaN"),
        *(
            b'"\\ud800"',
            b"{" + b",".join(b'"%d": 1' % (n % 199_999) for n in range(200_000)) + b"}",
        ),
    ],
)
def test_a_hostile_lock_is_an_error_and_no_traceback(path: Path, data: bytes) -> None:
    """Nesting, numbers without end and a twin among many keys are told like any other mistake."""
    assert refused(path, data).kind == "lock"


@settings(deadline=None)
@given(
    start=st.integers(0, len(TEXT)),
    length=st.integers(0, 20),
    data=st.text('[]{}":,\\\n 10aenull', max_size=6),
)
def test_whatever_is_written_is_read_or_told(
    tmp_path_factory: pytest.TempPathFactory, start: int, length: int, data: str
) -> None:
    """A lock with any stretch replaced by anything is a lock or an error with a message."""
    path = tmp_path_factory.getbasetemp() / "spoiled.lock"
    path.write_text(TEXT[:start] + data + TEXT[start + length :])
    kind = "lock"
    try:
        read(path)
    except UsageError as error:
        kind = error.problem.kind
    assert kind == "lock"


def test_a_deeply_nested_value_is_told(path: Path) -> None:
    """A value that can just be read can still be told in a message."""
    for depth in range(500, 1000, 10):
        data = TEXT.replace('"manifest": "', f'"manifest": {"[" * depth}{"]" * depth}, "x": "')
        assert refused(path, data.encode()).kind == "lock"


def test_a_lock_that_is_not_there_is_told(path: Path) -> None:
    """Reading what is missing is an error with the command that writes it."""
    with pytest.raises(UsageError) as caught:
        read(path)
    assert caught.value.problem == Problem(
        kind="lock",
        what="cannot be read",
        path="patches/patches.lock",
        found="No such file or directory",
        remedy="patchtool lock",
    )


def test_versions_left_alone_are_read_as_written(tmp_path: Path) -> None:
    """`apply` goes by the lock alone, so it must have them."""
    lead = LockedPackage(
        package=LEAD,
        integrity=INTEGRITY,
        patches=LOCK.packages[0].patches,
        leave_alone=("2.0.0", "3.0.0"),
    )
    lock = Lock(manifest="a" * 64, packages=(lead,), guards={})
    path = tmp_path / "patches.lock"
    path.write_bytes(dump(lock))
    assert read(path) == lock


def test_a_lock_that_is_believed_is_as_it_was_written(tmp_path: Path) -> None:
    """Whatever was changed in it since is told; other white space changes nothing that it says."""
    path = tmp_path / "patches.lock"
    path.write_bytes(dump(LOCK))
    assert read(path, believed=True) == LOCK
    path.write_bytes(dump(LOCK).replace(b"\n", b"\r\n"))
    assert read(path, believed=True) == LOCK
    path.write_bytes(dump(LOCK).replace(b'          "c"\n', b""))
    assert read(path) != LOCK
    with pytest.raises(UsageError) as caught:
        read(path, believed=True)
    assert caught.value.problem.what == "changed by hand, or by a merge"
    assert caught.value.problem.remedy == "patchtool lock"
