"""Debian source packages: a whole debian/patches/series, in order, and off again.

Owns how they are fetched (apt, from the sources that this machine has) and unpacked (dpkg-source,
which also says what the series makes of the archive).
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus.tools import Tool
from benchmarks.corpus.trees import Tree, difference, read_tree
from benchmarks.corpus.trial import Trial, Workbench
from patchtool import process
from patchtool.errors import CannotTell, Problem

# The tool whose steps are the right ones, because dpkg-source runs it with the same flags.
REFERENCE = "GNU patch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePackage:
    """A source package at one version; `sha256` is of its .dsc, which has those of the rest."""

    name: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Apt:
    """apt with a configuration of its own: the machine's sources, as sources of source code."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._downloads = directory / "debian"
        self._directory = directory / "apt"
        self._environment = {**environment, "APT_CONFIG": str(self._directory / "apt.conf")}
        self._updated = False

    def fetch(self, package: SourcePackage) -> Path:
        """The package's .dsc, with its archives beside it; `CannotTell` if it is not to be had."""
        version = package.version.partition(":")[2] or package.version
        dsc = self._downloads / f"{package.name}_{version}.dsc"
        if not dsc.exists():
            self._update()
            self._downloads.mkdir(parents=True, exist_ok=True)
            words = ["source", "--quiet=2", "--download-only", f"{package.name}={package.version}"]
            self._apt(words, self._downloads, str(package))
        found = hashlib.sha256(dsc.read_bytes()).hexdigest()
        if found != package.sha256:
            raise CannotTell(
                Problem(
                    kind="integrity",
                    what="is not the source package that is wanted",
                    subject=str(package),
                    expected=package.sha256,
                    found=found,
                )
            )
        return dsc

    def unpack(self, dsc: Path, into: Path, *, patched: bool) -> Tree:
        """The upstream files, as they are in the archives or with the whole series on."""
        words = ["dpkg-source", "--no-check"]
        words += [] if patched else ["--skip-patches"]
        self._run([*words, "--extract", str(dsc), str(into)], dsc.parent, dsc.name)
        return {
            path: file
            for path, file in read_tree(into).items()
            if not path.startswith(("debian/", ".pc/"))
        }

    def _update(self) -> None:
        if self._updated:
            return
        parts = self._directory / "sources"
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir(parents=True)
        for path in self._sources():
            text = re.sub(
                r"(?m)^(Types:\s*)?deb(?= )|^(Types:\s*)deb$", r"\1\2deb-src", path.read_text()
            )
            (parts / path.name).write_text(text)
        for name in ("lists/partial", "archives/partial"):
            (self._directory / name).mkdir(parents=True, exist_ok=True)
        (self._directory / "apt.conf").write_text(
            'Dir::Etc::sourcelist "/dev/null";\n'
            f'Dir::Etc::sourceparts "{parts}";\n'
            f'Dir::State::lists "{self._directory / "lists"}";\n'
            f'Dir::Cache "{self._directory}";\n'
            'APT::Sandbox::User "root";\n'
            'Acquire::Retries "1";\n'
            'Acquire::http::Timeout "20";\n'
        )
        # A source that does not answer is not ours to judge: what is missing is found missing.
        process.run(
            ["apt-get", "update", "--quiet=2"],
            directory=self._directory,
            environment=self._environment,
            timeout=300,
        )
        self._updated = True

    def _sources(self) -> list[Path]:
        """The files that say where this machine's apt gets its packages."""
        done = process.run(
            ["apt-config", "shell", "X", "Dir::Etc::sourcelist/f", "X", "Dir::Etc::sourceparts/d"],
            directory=self._directory,
            environment={k: v for k, v in self._environment.items() if k != "APT_CONFIG"},
            timeout=60,
        )
        one, many = (Path(name) for name in re.findall(r"X='(.*)'", done.stdout.decode()))
        files = [one, *sorted([*many.glob("*.list"), *many.glob("*.sources")])]
        return [path for path in files if path.exists()]

    def _apt(self, words: list[str], directory: Path, subject: str) -> None:
        self._run(["apt-get", *words], directory, subject)

    def _run(self, words: list[str], directory: Path, subject: str) -> None:
        done = process.run(words, directory=directory, environment=self._environment, timeout=300)
        if done.code != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise CannotTell(
                Problem(
                    kind="source-package",
                    what=f"{words[0]} failed: {said[-1] if said else done.code}",
                    subject=subject,
                )
            )


def judge(
    package: SourcePackage, apt: Apt, tools: Mapping[str, Tool], directory: Path
) -> Iterator[Trial]:
    """Every patch of the series on, in order, and off again, from the last to the first."""
    dsc = apt.fetch(package)
    with tempfile.TemporaryDirectory(dir=directory) as made:
        scratch = Path(made)
        upstream = apt.unpack(dsc, scratch / "upstream", patched=False)
        patched = apt.unpack(dsc, scratch / "patched", patched=True)
        patches = list(_series(scratch / "upstream" / "debian" / "patches"))
        bench = Workbench(scratch / "tools", tools, upstream)
        steps = [bench.tree]
        for patch, strip in patches:
            _, wanted = bench.ask(REFERENCE, patch, strip, backward=False)
            answers = bench.compare(patch, strip, wanted, backward=False)
            steps.append(wanted)
            yield Trial(subject=str(package), patch=patch.name, backward=False, answers=answers)
        wrong = difference(bench.tree, patched)
        if wrong:
            what = "the series makes something else of the archive than dpkg-source does"
            raise CannotTell(
                Problem(kind="reference", what=what, subject=str(package), path=wrong[0])
            )
        for (patch, strip), wanted in zip(reversed(patches), reversed(steps[:-1]), strict=True):
            answers = bench.compare(patch, strip, wanted, backward=True)
            yield Trial(subject=str(package), patch=patch.name, backward=True, answers=answers)


def _series(patches: Path) -> Iterator[tuple[Path, int]]:
    """The patch files and their strip counts (quilt(1): a name, options, a comment)."""
    for line in (patches / "series").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words:
            strip = next((int(word[2:]) for word in words[1:] if word.startswith("-p")), 1)
            yield patches / words[0], strip
