"""Where mutants are judged: copies of the patched stack, with one file changed for a while."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from patchtool import stack
from patchtool.guard import Target
from patchtool.mutation.generator import Mutant
from patchtool.mutation.source import Source
from patchtool.project import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where mutants are judged: the guard, the patched stack, and the files mutants are made of.

    `sources` are by `Mutant.file`; `cases` are the required ones, in the guard's order. On the
    stack `unpatched` those in `needed` are known to fail.
    """

    guard: Guard
    target: Target
    root: Path
    sources: Mapping[str, Source]
    cases: tuple[str, ...]
    unpatched: Path
    needed: tuple[str, ...]

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of the patched stack."""
        with tempfile.TemporaryDirectory(prefix="patchtool-mutant-") as scratch:
            copy = Path(scratch, self.target.directory.name)
            stack.copy(self.target.directory, copy)
            yield copy

    @contextmanager
    def mutated(self, copy: Path, mutant: Mutant) -> Iterator[None]:
        """Have the mutant in a copy of the patched stack until the block is left."""
        source = self.sources[mutant.file]
        changed = replace(source.file, data=mutant.apply(source.file.data))
        directory = copy / source.directory
        stack.change(copy, {directory: {source.path: changed}})
        try:
            yield
        finally:
            stack.change(copy, {directory: {source.path: source.file}})
            # Two mutants of one size, made within a second, look alike to who wrote this.
            path = directory / source.path
            for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
                bytecode.unlink()
