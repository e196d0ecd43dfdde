import re

import pytest

from patchtool.package import Package, Vendored


@pytest.mark.parametrize(
    ("text", "ecosystem", "name", "version"),
    [
        ("pkg:npm/lodash@4.17.21", "npm", "lodash", "4.17.21"),
        ("pkg:npm/%40scope/name@1.2.3", "npm", "@scope/name", "1.2.3"),
        ("pkg:npm/a@1.0.0-beta.1", "npm", "a", "1.0.0-beta.1"),
        ("pkg:npm/a@1.0.0%2Bbuild", "npm", "a", "1.0.0+build"),
        ("pkg:pypi/typing-extensions@4.0", "pypi", "typing-extensions", "4.0"),
        ("pkg:pypi/a@1%212.0", "pypi", "a", "1!2.0"),
    ],
)
def test_a_canonical_url_goes_both_ways(text: str, ecosystem: str, name: str, version: str) -> None:
    """A package URL is read, and written back as it was."""
    package = Package.from_purl(text)
    assert package == Package(ecosystem=ecosystem, name=name, version=version)
    assert package.purl == text


def test_a_scope_may_be_written_plainly() -> None:
    """An @ in place of %40 means the same."""
    assert Package.from_purl("pkg:npm/@a/b@1.0.0").purl == "pkg:npm/%40a/b@1.0.0"


def test_capitals_are_kept() -> None:
    """JSONStream does not turn into jsonstream, which is another package."""
    package = Package.from_purl("pkg:npm/JSONStream@1.3.5")
    assert package.name == "JSONStream"
    assert package.purl == "pkg:npm/JSONStream@1.3.5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "required"),
        ("lodash@4.17.21", "pkg"),
        ("pkg:npm/lodash", "no version"),
        ("pkg:npm/lodash@", "no version"),
        ("pkg:npm/lodash@1.0.0?os=linux", "qualifiers"),
        ("pkg:npm/lodash@1.0.0#lib", "subpaths"),
        ("pkg:npm/lodash@1.0.0?file_name=a.tgz", "qualifiers"),
        ("pkg:pypi/six@1.17.0?os=linux", "qualifiers"),
        ("pkg://npm/lodash@1.0.0", "canonical spelling is 'pkg:npm/lodash@1.0.0'"),
        ("pkg:pypi/typing_extensions@4.0", "'pkg:pypi/typing-extensions@4.0'"),
    ],
)
def test_another_text_is_refused(text: str, message: str) -> None:
    """A text that is not exactly one release is a ValueError that says why."""
    with pytest.raises(ValueError, match=re.escape(message)):
        Package.from_purl(text)


@pytest.mark.parametrize("file", ["six-1.17.0.tar.gz", "a-1!2.0+b-cp311-cp311-linux_x86_64.whl"])
def test_a_file_of_a_release_may_be_named(file: str) -> None:
    """The qualifier `file_name` goes both ways, and makes another package of it."""
    plain = Package(ecosystem="pypi", name="six", version="1.17.0")
    named = plain.of_file(file)
    assert Package.from_purl(named.purl) == named != plain


@pytest.mark.parametrize(
    ("file", "other"),
    [
        ("", ""),
        ("a_1-1.0-py3-none-any.whl", "a_1-2.0.1-py3-none-any.whl"),
        ("a_1-1.0.tar.gz", "a_1-2.0.1.tar.gz"),
    ],
)
def test_another_release_has_a_file_named_alike(file: str, other: str) -> None:
    """At another version, the named file is the one for the same platform."""
    package = Package(ecosystem="pypi", name="a-1", version="1.0", file=file)
    assert package.at("2.0.1") == Package(ecosystem="pypi", name="a-1", version="2.0.1", file=other)


@pytest.mark.parametrize(
    ("origin", "other"),
    [
        ("pkg:pypi/h2@2", "pkg:pypi/h2@3"),
        ("pkg:npm/%40a/b@2", "pkg:npm/%40a/b@3"),
        ("https://archive.invalid/v2/x.tar.gz", "https://archive.invalid/v3/x.tar.gz"),
    ],
)
def test_another_release_has_another_origin(origin: str, other: str) -> None:
    """What is vendored at another version was made from that version of its origin."""
    vendored = Vendored(path="x", origin=origin, added=("y",))
    package = Package(ecosystem="generic", name="h2", version="2", vendored=vendored)
    assert package.at("3").vendored == Vendored(path="x", origin=other, added=("y",))


def test_a_package_prints_as_people_write_it() -> None:
    """In messages a package is name@version."""
    assert str(Package(ecosystem="npm", name="@a/b", version="1.0.0")) == "@a/b@1.0.0"
