import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool.errors import UsageError
from patchtool.project.patch_name import PatchName, in_order, is_name, is_version, parse

FORMS = {
    "lodash+4.17.21.patch": PatchName(packages=("lodash",), version="4.17.21"),
    "@scope+name+1.2.3.patch": PatchName(packages=("@scope/name",), version="1.2.3"),
    "a++b+1.2.3.patch": PatchName(packages=("a", "b"), version="1.2.3"),
    "a++@scope+b+1.2.3.patch": PatchName(packages=("a", "@scope/b"), version="1.2.3"),
    "@scope+a++b+1.2.3.patch": PatchName(packages=("@scope/a", "b"), version="1.2.3"),
    "@s+a++b++@t+c+1.2.3.patch": PatchName(packages=("@s/a", "b", "@t/c"), version="1.2.3"),
    "a+1.2.3+001.patch": PatchName(packages=("a",), version="1.2.3", sequence=1),
    "a+1.2.3+002+what it does.patch": PatchName(
        packages=("a",), version="1.2.3", sequence=2, label="what it does"
    ),
    "@s+a+1.2.3+1000+x.y-z.patch": PatchName(
        packages=("@s/a",), version="1.2.3", sequence=1000, label="x.y-z"
    ),
    "a+1.2.3.dev.patch": PatchName(packages=("a",), version="1.2.3", dev=True),
    "a++@s+b+1.2.3+001+what.dev.patch": PatchName(
        packages=("a", "@s/b"), version="1.2.3", sequence=1, label="what", dev=True
    ),
    "a+1.0.0-beta.1.patch": PatchName(packages=("a",), version="1.0.0-beta.1"),
    "7zip-bin+5.1.1.patch": PatchName(packages=("7zip-bin",), version="5.1.1"),
    "socket.io-client+4.0.0.patch": PatchName(packages=("socket.io-client",), version="4.0.0"),
    "JSONStream+1.3.5.patch": PatchName(packages=("JSONStream",), version="1.3.5"),
    "typing_extensions+4.0.patch": PatchName(packages=("typing_extensions",), version="4.0"),
    "a+1!2.0.post1.patch": PatchName(packages=("a",), version="1!2.0.post1"),
}


@pytest.mark.parametrize("text", FORMS)
def test_every_form_of_name_goes_both_ways(text: str) -> None:
    """A name is read as what it says, and written back letter by letter."""
    assert parse(text) == FORMS[text]
    assert str(FORMS[text]) == text


def test_the_patched_package_is_the_innermost() -> None:
    """In a nested name the last package is the one that is patched."""
    assert parse("a++@scope+b+1.2.3.patch").package == "@scope/b"


BAD = [
    ("a+1.2.3.diff", "a file name that ends in .patch", "a+1.2.3.diff"),
    ("@s/a+1.2.3.patch", "a file name that ends in .patch", "@s/a+1.2.3.patch"),
    ("lodash.patch", "a version behind lodash", ""),
    ("lodash@4.17.21.patch", "a package name", "lodash@4.17.21"),
    ("+1.2.3.patch", "a package name", ""),
    (".patch", "a package name", ""),
    ("@scope+1.2.3.patch", "a version behind @scope/1.2.3", ""),
    ("@scope.patch", "a package name", "@scope"),
    ("@s+..+1.2.3.patch", "a package name", "@s/.."),
    ("..++b+1.2.3.patch", "a package name", ".."),
    ("a++++b+1.2.3.patch", "a package name", ""),
    ("a+b+c+1.2.3.patch", "a version behind a", "b"),
    ("a+v1.2.3.patch", "a version behind a", "v1.2.3"),
    ("a+latest.patch", "a version behind a", "latest"),
    ("a+1.2.3+.patch", "a sequence number of three digits, from 001", ""),
    ("a+1.0.0+build.patch", "a sequence number of three digits, from 001", "build"),
    ("a+1.2.3+1+x.patch", "a sequence number of three digits, from 001", "1"),
    ("a+1.2.3+000+x.patch", "a sequence number of three digits, from 001", "000"),
    ("a+1.2.3+0001+x.patch", "a sequence number of three digits, from 001", "0001"),
    ("a+1.2.3+001+.patch", "a label without +, / and control characters", ""),
    ("a+1.2.3+001+x+y.patch", "a label without +, / and control characters", "x+y"),
    ("a+1.2.3+001+x\\y.patch", "a label without +, / and control characters", "x\\y"),
    ("a+1.2.3+001+\x1b[2J.patch", "a label without +, / and control characters", "\x1b[2J"),
    ("a\n+1.2.3.patch", "a package name", "a\n"),
    ("a+1.2.3\udcff.patch", "a version behind a", "1.2.3\udcff"),
]


@pytest.mark.parametrize(("text", "expected", "found"), BAD, ids=ascii)
def test_any_other_name_is_refused(text: str, expected: str, found: str) -> None:
    """A bad name is an error that says what was expected where, and shows an example."""
    with pytest.raises(UsageError) as caught:
        parse(text)
    problem = caught.value.problem
    assert problem.kind == "patch-name"
    assert problem.what == "not the name of a patch"
    assert problem.subject == text
    assert problem.expected == f"{expected}, as in name+1.2.3.patch or @scope+name+1.2.3.patch"
    assert problem.found == repr(found)


WORDS = st.text(string.ascii_letters + string.digits + "._~-", min_size=1, max_size=8)
NAMES = st.from_regex(r"(@[a-z0-9][a-z.~-]{0,5}/)?[A-Z0-9_~][a-z._~-]{0,5}", fullmatch=True)
VERSIONS = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}(-[a-z0-9.-]{1,8})?", fullmatch=True)
PATCH_NAMES = st.builds(
    PatchName,
    packages=st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    version=VERSIONS,
    sequence=st.integers(1, 999_999_999),
    label=st.none() | WORDS,
    dev=st.booleans(),
).filter(lambda name: not str(replace(name, dev=False)).endswith(".dev.patch"))


@given(PATCH_NAMES)
def test_every_name_comes_back_from_its_text(name: PatchName) -> None:
    """What is written is read as the same value."""
    assert parse(str(name)) == name


@given(st.text("a@/+.-01dev ", max_size=24))
def test_a_text_is_read_exactly_or_refused(text: str) -> None:
    """Whatever a file is called: an error, or a value that gives the same name back."""
    try:
        name = parse(text + ".patch")
    except UsageError:
        return
    assert str(name) == text + ".patch"


def order(*texts: str) -> list[str]:
    """The names in order, as texts."""
    return [str(name) for name in in_order(map(parse, texts))]


def test_a_sequence_is_put_in_order_of_its_numbers() -> None:
    """Patches of one copy stand together, by number, however the labels sort."""
    assert order("b+1.0.0.patch", "a+1.0.0+002+a.patch", "a+1.0.0+001+z.patch") == [
        "a+1.0.0+001+z.patch",
        "a+1.0.0+002+a.patch",
        "b+1.0.0.patch",
    ]


def test_each_copy_and_version_has_a_sequence_of_its_own() -> None:
    """Two versions, and a nested copy beside a hoisted one, do not count together."""
    names = ["a++b+1.0.0.patch", "b+1.0.0.patch", "b+2.0.0+001.patch", "b+2.0.0+002.dev.patch"]
    assert order(*names) == names


@pytest.mark.parametrize(
    "names",
    [
        ["a+1.0.0+001+x.patch", "a+1.0.0+003+y.patch"],
        ["a+1.0.0+002+x.patch"],
        ["a+1.0.0+001+x.patch", "a+1.0.0+001+y.patch"],
        ["a+1.0.0.patch", "a+1.0.0+001+x.patch"],
        ["a+1.0.0.dev.patch", "a+1.0.0.patch"],
    ],
    ids=["gap", "not from 1", "duplicate", "with and without", "dev and not"],
)
def test_a_broken_sequence_is_refused(names: list[str]) -> None:
    """Gaps, duplicates and a patch without number beside others are errors that name the files."""
    with pytest.raises(UsageError) as caught:
        in_order(map(parse, names))
    problem = caught.value.problem
    assert problem.kind == "patch-name"
    assert problem.what == "the patches of one package are not in sequence"
    assert problem.subject == "a@1.0.0"
    assert problem.found == ", ".join(names)


def test_names_and_versions_that_fit_are_known() -> None:
    """What the manifest asks about a package that a patch file is to be named after."""
    assert is_name("@scope/name")
    assert not is_name("a/b")
    assert is_version("1.0.0-rc.1")
    assert not is_version("^1.0.0")
    assert not is_version("1.0.0+build")
