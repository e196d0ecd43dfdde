import pytest

from patchtool.versions import is_exactly, is_prerelease, newest, oldest_first, satisfies


def test_npm_versions_are_put_in_npm_s_order() -> None:
    """Numbers count as numbers, and a prerelease comes before its release."""
    shuffled = ["1.10.0", "1.0.0", "1.9.0", "1.0.0-beta.10", "1.0.0-beta.2", "1.0.0-beta"]
    assert oldest_first("npm", shuffled) == (
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.10",
        "1.0.0",
        "1.9.0",
        "1.10.0",
    )


def test_pypi_versions_are_put_in_pypi_s_order() -> None:
    """An epoch wins, and dev, rc, release and post follow each other."""
    shuffled = ["1!0.1", "1.0.post1", "1.0", "1.0rc1", "1.0.dev1", "2.0"]
    assert oldest_first("pypi", shuffled) == (
        "1.0.dev1",
        "1.0rc1",
        "1.0",
        "1.0.post1",
        "2.0",
        "1!0.1",
    )


@pytest.mark.parametrize("ecosystem", ["npm", "pypi"])
def test_garbage_from_a_registry_is_passed_over(ecosystem: str) -> None:
    """What is no version is left out, and never raises."""
    garbage = ["", "latest", "1.0.x", "zzz", "9" * 5000 + "x", "\ud800", "1.0.0\0"]
    assert oldest_first(ecosystem, [*garbage, "1.0.0"]) == ("1.0.0",)
    assert newest(ecosystem, garbage) is None
    assert not any(satisfies(ecosystem, version, "") for version in garbage)


def test_the_newest_is_no_prerelease_if_it_can_be_helped() -> None:
    """A prerelease is the newest only among prereleases."""
    assert newest("npm", ["1.0.0", "1.2.0", "2.0.0-rc.1", "1.10.0"]) == "1.10.0"
    assert newest("npm", ["2.0.0-rc.1", "2.0.0-rc.2"]) == "2.0.0-rc.2"
    assert newest("pypi", ["1.0", "2.0a1"]) == "1.0"
    assert newest("npm", []) is None


def test_prereleases_are_told_apart() -> None:
    """What cannot be read counts as a prerelease, so that nothing takes it unasked."""
    assert is_prerelease("npm", "1.0.0-beta.1")
    assert not is_prerelease("npm", "1.0.0+build-1")
    assert is_prerelease("pypi", "1.0.dev1")
    assert not is_prerelease("pypi", "1.0.post1")
    assert is_prerelease("npm", "nonsense")


# What npm's own semver says of each.
NPM = [
    ("5.0.11", "5.0.11", True),
    ("5.0.12", "5.0.11", False),
    ("1.0.0", "1.0.0-beta.1", False),
    ("1.2.4", "^1.2.3", True),
    ("2.0.0", "^1.2.3", False),
    ("0.2.0", "^0.1.2", False),
    ("1.2.9", "~1.2.3", True),
    ("1.3.0", "~1.2.3", False),
    ("1.3.0", "> 1.2.3", True),
    ("1.2.3", ">= 1.2.3 < 2.0.0", True),
    ("1.5.0", "1.2 - 2", True),
    ("4.1.8", "^3.25.76 || ^4.1.8", True),
    ("9.9.9", "", True),
    ("1.2.4-alpha", "^1.2.3", False),
    ("1.2.3-beta", "^1.2.3-alpha", True),
    ("2.0.0-rc.1", "<2", False),
    ("1.2.3", "^v1.2.3", True),
    ("1.2.3", "latest", False),
    ("1.2.3", "workspace:*", False),
    ("1.2.3", "npm:other@1.2.3", False),
    ("1.2.3", "git+https://example.invalid/x", False),
    ("1.0.0", "1.0.0" + " " * 100_000, False),
]


@pytest.mark.parametrize(("version", "wanted", "expected"), NPM)
def test_npm_ranges_mean_what_npm_makes_of_them(version: str, wanted: str, expected: bool) -> None:
    """Each version and range: whether npm would take the one for the other."""
    assert satisfies("npm", version, wanted) is expected


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("1.5", ">=1.0,<2", True),
        ("2.0", ">=1.0,<2", False),
        ("1.0.0", "==1.0", True),
        ("1.4.5", "~=1.4.2", True),
        ("2.0a1", ">=1.0", False),
        ("2.0a2", ">=2.0a1", True),
        ("1.0", "^1.0", False),
    ],
)
def test_pypi_specifiers_mean_what_pip_makes_of_them(
    version: str, wanted: str, expected: bool
) -> None:
    """Each version and specifier: whether pip would take the one for the other."""
    assert satisfies("pypi", version, wanted) is expected


@pytest.mark.parametrize(
    ("ecosystem", "wanted", "version", "expected"),
    [
        ("npm", "5.0.11", "5.0.11", True),
        ("npm", "=5.0.11", "5.0.11", True),
        ("npm", "5.0.12", "5.0.11", False),
        ("npm", "^5.0.11", "5.0.11", False),
        ("npm", "5.0", "5.0.0", False),
        ("npm", "5.0.x", "5.0.0", False),
        ("npm", "latest", "5.0.0", False),
        ("pypi", "==2.33.2", "2.33.2", True),
        ("pypi", "== 2.33", "2.33.0", True),
        ("pypi", "==2.33.*", "2.33.2", False),
        ("pypi", ">=2.33.2", "2.33.2", False),
        ("pypi", "==2.33.2,<3", "2.33.2", False),
        ("pypi", "", "2.33.2", False),
    ],
)
def test_an_exact_range_takes_in_one_version(
    ecosystem: str, wanted: str, version: str, expected: bool
) -> None:
    """Only a range that names one whole version is exactly it."""
    assert is_exactly(ecosystem, wanted, version) is expected
