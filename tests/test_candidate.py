"""Which release is judged, why that one, and which consumers go with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fake_ecosystem import NO_STORE, FakeEcosystem
from patchtool import ecosystems
from patchtool.candidate import Candidate, choose
from patchtool.errors import CannotTell, Problem
from patchtool.package import Package
from patchtool.project import Pin

LEAD = Package(ecosystem="npm", name="lead", version="1.0.0")
USER = Package(ecosystem="npm", name="user", version="3.0.0")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> FakeEcosystem:
    """Two newer releases of the lead; the consumer has two releases for the first of them."""
    fake = FakeEcosystem()
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"):
        fake.publish("lead", version)
    fake.publish("user", "3.0.0", dependencies={"lead": "1.0.0"})
    fake.publish("user", "3.1.0", dependencies={"lead": "1.9.0"})
    fake.publish("user", "3.2.0", dependencies={"lead": "1.9.0"})
    fake.publish("user", "3.3.0", dependencies={"lead": "^1.9.0"})
    monkeypatch.setattr(ecosystems, "of", lambda _: fake)
    return fake


def chosen(to: str | None, *packages: Package, root: Path = Path("/nowhere")) -> Candidate:
    """The candidate of a pin on these packages."""
    pin = Pin(packages=packages or (LEAD,), patches=())
    return choose(pin, root=root, to=to, store=NO_STORE)


def refused(to: str | None, *packages: Package) -> Problem:
    """The problem that choosing ends with."""
    with pytest.raises(CannotTell) as caught:
        chosen(to, *packages)
    return caught.value.problem


def test_a_version_is_taken_as_it_is_named(registry: FakeEcosystem) -> None:
    """--to names the release, and the reason says so."""
    registry.install("lead", "1.10.0")
    found = chosen("1.9.0")
    assert (str(found.lead), found.reason) == ("lead@1.9.0", "--to 1.9.0")


@pytest.mark.parametrize("installed", [(), ("1.0.0",)])
def test_without_a_version_the_newest_release_is_taken(
    registry: FakeEcosystem, installed: tuple[str, ...]
) -> None:
    """Nothing installed but the pin: the newest by version, not by date, and no prerelease."""
    registry.install("lead", *installed)
    for to in (None, "latest"):
        found = chosen(to)
        assert (found.lead.version, found.reason) == ("1.10.0", "it is the newest release")


def test_a_withdrawn_release_is_not_the_newest(registry: FakeEcosystem) -> None:
    """Deprecated or yanked: nobody moves to it by itself; it can be named, and may be all."""
    registry.publish("lead", "3.0.0", deprecated="published by mistake")
    assert chosen(None).lead.version == "1.10.0"
    assert chosen("latest").lead.version == "1.10.0"
    assert chosen("3.0.0").lead.version == "3.0.0"
    for version in ("1.0.0", "1.9.0", "1.10.0", "2.0.0-rc.1"):
        registry.publish("lead", version, deprecated="use another package")
    assert chosen(None).lead.version == "3.0.0"


def test_a_withdrawn_consumer_is_the_last_choice(registry: FakeEcosystem) -> None:
    """An older release that upstream stands by goes before it."""
    registry.publish("user", "3.2.0", dependencies={"lead": "1.9.0"}, deprecated="broken")
    assert chosen("1.9.0", LEAD, USER).packages[1].version == "3.1.0"
    registry.publish("user", "3.1.0", dependencies={"lead": "1.9.0"}, deprecated="broken")
    assert chosen("1.9.0", LEAD, USER).packages[1].version == "3.2.0"


def test_what_is_installed_is_taken_if_it_is_not_the_pin(registry: FakeEcosystem) -> None:
    """The user has moved: that release is judged, unless `latest` is asked for."""
    registry.install("lead", "1.0.0", "1.9.0", "1.9.0")
    assert chosen(None).lead.version == "1.9.0"
    assert "installed" in chosen(None).reason
    assert chosen("latest").lead.version == "1.10.0"


def test_two_other_versions_installed_are_not_chosen_between(registry: FakeEcosystem) -> None:
    """Which one is meant is not guessed; the remedy names one."""
    registry.install("lead", "1.9.0", "1.10.0")
    problem = refused(None)
    assert problem.kind == "several-versions"
    assert problem.found == "1.10.0, 1.9.0"
    assert problem.remedy == "patchtool should-delete --to 1.10.0"


def test_versions_that_are_left_alone_are_not_in_question(registry: FakeEcosystem) -> None:
    """A nested copy that the pin leaves alone is no move of the user's."""
    registry.install("lead", "1.0.0", "1.9.0")
    pin = Pin(packages=(LEAD,), patches=(), leave_alone=("1.9.0",))
    found = choose(pin, root=Path("/nowhere"), to=None, store=NO_STORE)
    assert found.reason == "it is the newest release"
    registry.install("lead", "1.9.0", "1.10.0")
    found = choose(pin, root=Path("/nowhere"), to=None, store=NO_STORE)
    assert found.reason == "1.10.0 is installed here"


def test_what_is_only_linked_is_not_in_question(registry: FakeEcosystem) -> None:
    """Somebody's working copy outside of the project is no move of the user's."""
    registry.install("lead", "1.0.0", "1.9.0")
    pinned, other = registry.copies["lead"]
    registry.copies["lead"] = (pinned, replace(other, linked=True))
    assert chosen(None).reason == "it is the newest release"


@pytest.mark.usefixtures("registry")
def test_where_nothing_is_installed_the_lockfile_says_what_will_be(tmp_path: Path) -> None:
    """A lockfile's version is judged, and the reason names the lockfile."""
    packages = {
        "node_modules/lead": {
            "version": "1.9.0",
            "resolved": "https://registry.invalid/lead/-/lead-1.9.0.tgz",
            "integrity": f"sha512-{'A' * 86}==",
        }
    }
    lockfile = {"lockfileVersion": 3, "packages": packages}
    (tmp_path / "package-lock.json").write_text(json.dumps(lockfile))
    found = chosen(None, root=tmp_path)
    assert found.lead.version == "1.9.0"
    assert "package-lock.json" in found.reason


@pytest.mark.usefixtures("registry")
def test_a_version_that_was_never_published_is_refused() -> None:
    """A gap in the numbers is no release; nothing near it is taken in its place."""
    problem = refused("1.5.0")
    assert (problem.kind, problem.subject, problem.found) == ("no-release", "lead", "1.5.0")


@pytest.mark.usefixtures("registry")
def test_consumers_are_the_newest_that_depend_on_exactly_the_candidate() -> None:
    """Two releases fit: the newer. One that only allows the candidate does not fit."""
    assert [str(each) for each in chosen("1.9.0", LEAD, USER).packages] == [
        "lead@1.9.0",
        "user@3.2.0",
    ]


@pytest.mark.usefixtures("registry")
def test_a_candidate_without_a_matching_consumer_is_refused() -> None:
    """No release of the consumer for the candidate: the guard could not be run as it should."""
    problem = refused("1.10.0", LEAD, USER)
    assert (problem.kind, problem.subject) == ("no-consumer", "user")
    assert "lead@1.10.0" in problem.what


@pytest.mark.parametrize("to", [None, "1.9.0"])
def test_consumers_are_those_of_the_project_where_the_candidate_is(
    registry: FakeEcosystem, to: str | None
) -> None:
    """With the candidate in use, a newer consumer than the one in use decides nothing."""
    registry.install("lead", "1.9.0")
    registry.install("user", "3.1.0")
    assert chosen(to, LEAD, USER).packages[1].version == "3.1.0"
    registry.install("user", "3.3.0")  # asks for ^1.9.0, and gets what is there
    assert chosen(to, LEAD, USER).packages[1].version == "3.3.0"
    registry.install("user", "3.0.0", "3.1.0")  # the first has a lead of its own
    assert chosen(to, LEAD, USER).packages[1].version == "3.1.0"


@pytest.mark.parametrize("used", ["3.0.0", "3.1.0, 3.2.0"])
def test_consumers_of_the_project_that_do_not_fit_are_refused(
    registry: FakeEcosystem, used: str
) -> None:
    """None that takes the candidate, or two: another one in their place would prove nothing."""
    registry.install("lead", "1.9.0")
    registry.install("user", *used.split(", "))
    problem = refused(None, LEAD, USER)
    assert (problem.kind, problem.subject, problem.found) == ("no-consumer", "user", used)
    assert problem.remedy == "install user@3.2.0"


def test_consumers_of_the_pin_are_no_matter_where_the_candidate_is_not(
    registry: FakeEcosystem,
) -> None:
    """Before a bump: consumers move with the lead."""
    registry.install("lead", "1.0.0")
    registry.install("user", "3.0.0")
    assert chosen("1.9.0", LEAD, USER).packages[1].version == "3.2.0"


@pytest.mark.parametrize("to", [None, "1.9.0"])
def test_a_pin_beside_the_candidate_is_told(registry: FakeEcosystem, to: str | None) -> None:
    """Both are in use: the candidate alone does not say that the patch can go."""
    registry.install("lead", "1.0.0", "1.9.0")
    assert chosen(to).beside_pin
    registry.install("lead", "1.9.0")
    assert not chosen(to).beside_pin
    registry.install("lead", "1.0.0")
    assert not chosen("1.9.0").beside_pin


def test_no_network_is_said_and_nothing_chosen(registry: FakeEcosystem) -> None:
    """The registry cannot be asked, even for a version that is named."""
    registry.published.clear()
    assert refused("1.9.0").kind == "network"
    assert refused(None).kind == "network"
