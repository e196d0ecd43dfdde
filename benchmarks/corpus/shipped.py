"""Patch files that ship inside packages, each on the published release that it was made for.

Nobody has recorded what they make of it: right is what GNU patch makes, and where it does not take
the patch, what git makes. Owns where such a patch is found, and the trial of each alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus.releases import Published
from benchmarks.corpus.tools import Tool
from benchmarks.corpus.trees import Tree
from benchmarks.corpus.trial import Trial, Workbench
from patchtool.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """One patch: the release that carries it, its path there, and how many directories to strip."""

    carrier: Published
    path: str
    strip: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A release, and the patches that were made for it, which may not fit together."""

    release: Published
    patches: Sequence[Shipped]


def judge(
    target: Target,
    store: Store,
    tools: Mapping[str, Tool],
    directory: Path,
    references: Sequence[str],
) -> Iterator[Trial]:
    """Each patch on the pristine release, and off again if anything took it."""
    subject = str(target.release.package)
    with tempfile.TemporaryDirectory(dir=directory) as made:
        scratch = Path(made)
        pristine = target.release.fetch(store)
        bench = Workbench(scratch / "tools", tools, pristine)
        for shipped in target.patches:
            file = scratch / Path(shipped.path).name
            file.write_bytes(shipped.carrier.fetch(store)[shipped.path].data)
            patched = _right(bench, file, shipped.strip, references)
            ways = (
                [(patched, False)] if patched == pristine else [(patched, False), (pristine, True)]
            )
            for wanted, backward in ways:
                answers = bench.compare(file, shipped.strip, wanted, backward=backward)
                yield Trial(subject=subject, patch=file.name, backward=backward, answers=answers)


def _right(bench: Workbench, file: Path, strip: int, references: Sequence[str]) -> Tree:
    """What the first of `references` that takes the patch makes; the tree itself if none does."""
    for name in references:
        refusal, left = bench.ask(name, file, strip, backward=False)
        if refusal is None:
            return left
    return bench.tree
