"""Release steps: git's diff between two published releases must turn the one into the other.

Owns how the diff is made; the releases come through the project's own ecosystems, checked against
their recorded integrity. For npm the files stand below node_modules, as a patch-package user's do.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus.tools import Git, Tool
from benchmarks.corpus.trees import Tree
from benchmarks.corpus.trial import Trial, Workbench
from patchtool import ecosystems
from patchtool.archive import unpack_tarball
from patchtool.ecosystems.pypi import contents
from patchtool.files import File
from patchtool.package import Package
from patchtool.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A release and the integrity that its registry gave for it when it was recorded."""

    package: Package
    integrity: str

    def fetch(self, store: Store) -> Tree:
        """The release's files as its installer writes them; an sdist's as they are in it."""
        if self.package.file.endswith(".tar.gz"):
            data = contents.fetch(self.package, self.integrity, store)
            return unpack_tarball(data, subject=str(self.package))
        return ecosystems.of(self.package).artefact(self.package, self.integrity, store)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Two releases of one package."""

    before: Published
    after: Published

    def __str__(self) -> str:
        return f"{self.before.package} -> {self.after.package.version}"


def judge(
    step: Step, store: Store, git: Git, tools: Mapping[str, Tool], directory: Path
) -> Iterator[Trial]:
    """The step's diff forward, then backward."""
    name = step.before.package.name
    below = f"node_modules/{name}/" if step.before.package.ecosystem == "npm" else ""
    # patch-package looks for a project around node_modules.
    project = {"package.json": File(data=json.dumps({"name": "project"}).encode())} if below else {}
    before, after = (
        {**project, **{below + path: file for path, file in release.fetch(store).items()}}
        for release in (step.before, step.after)
    )
    with tempfile.TemporaryDirectory(dir=directory) as made:
        scratch = Path(made)
        file = f"{name.replace('/', '+')}+{step.before.package.version}.patch"
        patch = scratch / file
        write_difference(git, before, after, patch)
        bench = Workbench(scratch / "tools", tools, before)
        for wanted, backward in ((after, False), (before, True)):
            answers = bench.compare(patch, 1, wanted, backward=backward)
            yield Trial(subject=str(step), patch=file, backward=backward, answers=answers)


def write_difference(git: Git, before: Tree, after: Tree, patch: Path) -> None:
    """`git diff` between two trees, with all that it can say: binaries, renames, copies, modes."""
    stream = b"".join([*_commit(b"before", before), *_commit(b"after", after)])
    words = ["--binary", "-M", "-C", "--full-index", "--no-ext-diff", "--no-textconv"]
    git.require(["fast-import", "--quiet", "--force"], patch.parent, stream)
    git.require(["diff", *words, f"--output={patch}", "before", "after"], patch.parent)


def _commit(branch: bytes, tree: Tree) -> Iterator[bytes]:
    """One commit in git-fast-import(1)'s format."""
    yield b"commit refs/heads/%s\ncommitter x <x> 0 +0000\ndata 0\ndeleteall\n" % branch
    for path, file in tree.items():
        name = path.encode("utf-8", "surrogateescape")
        quoted = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        yield b'M %s inline "%s"\ndata %d\n' % (file.mode.value.encode(), quoted, len(file.data))
        yield file.data + b"\n"
