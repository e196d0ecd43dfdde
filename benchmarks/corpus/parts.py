"""The three parts of the corpus: for each, what it is tried on, by which tools, and where.

Owns the directories: downloads are kept in one, the tools work in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.corpus import data, debian, reading, releases, shipped
from benchmarks.corpus.agreement import STRICT, WITH_OFFSETS
from benchmarks.corpus.tools import (
    Git,
    GnuPatch,
    PatchPackage,
    Tool,
    patchtool,
    patchtool_with_offsets,
)
from benchmarks.corpus.trial import Trial
from patchtool import ecosystems, programs
from patchtool.package import Package
from patchtool.store import Store

GIT, GNU, NPM = "git apply", debian.REFERENCE, "patch-package"
PATCH_PACKAGE = Package(ecosystem="npm", name="patch-package", version="8.0.1")

# What is tried, and its trials, run one by one as they are asked for.
Subject = tuple[str, Callable[[], Iterator[Trial]]]


class Workplace:
    """Where downloads are kept, where the tools work, and the tools."""

    def __init__(self, downloads: Path, scratch: Path, environment: Mapping[str, str]) -> None:
        self.downloads, self.scratch, self.environment = downloads, scratch, environment
        self.store = Store(
            directory=downloads / "releases", root=downloads, environment=environment
        )
        self.git = Git.at(scratch / "git", environment)
        self.tools: dict[str, Tool] = {
            STRICT: patchtool,
            WITH_OFFSETS: patchtool_with_offsets,
            GIT: self.git,
            GNU: GnuPatch(environment=environment),
        }

    def patch_package(self) -> PatchPackage:
        """patch-package, laid out from the registry."""
        ecosystem = ecosystems.of(PATCH_PACKAGE)
        stack = ecosystem.lay_out([PATCH_PACKAGE], self.store)
        return PatchPackage(
            program=ecosystem.package_directory(stack, PATCH_PACKAGE.name) / "index.js",
            node=programs.find("node", self.environment),
            environment=self.environment,
        )


def of_debian(place: Workplace, *, small: bool) -> Iterator[Subject]:
    """Debian source packages, each with its whole series of patches."""
    apt = debian.Apt(place.downloads, place.environment)
    for package in data.source_packages(small=small):
        judge = partial(debian.judge, package, apt, place.tools, place.scratch)
        yield str(package), judge


def of_releases(place: Workplace, *, small: bool) -> Iterator[Subject]:
    """Steps from one published release to another."""
    npm_tools: dict[str, Tool] = {**place.tools, NPM: place.patch_package()}
    for step in data.steps(small=small):
        tools = npm_tools if step.before.package.ecosystem == "npm" else place.tools
        judge = partial(releases.judge, step, place.store, place.git, tools, place.scratch)
        yield str(step), judge


def of_shipped(place: Workplace, *, small: bool) -> Iterator[Subject]:
    """Releases, each with patches that other packages carry for it."""
    for target in data.targets(small=small):
        judge = partial(
            shipped.judge, target, place.store, place.tools, place.scratch, references=(GNU, GIT)
        )
        yield str(target.release.package), judge


def of_carriers(place: Workplace, *, small: bool) -> Iterator[Subject]:
    """The packages that carry patches: all of these are read."""
    for carrier in data.carriers(small=small):
        yield str(carrier.package), partial(reading.judge, carrier, place.store, place.git)


PARTS = {
    "debian": of_debian,
    "releases": of_releases,
    "shipped": of_shipped,
    "read": of_carriers,
}
