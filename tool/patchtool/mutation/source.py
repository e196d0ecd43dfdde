"""The patched files that mutants are made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from patchtool.files import File
from patchtool.mutation import languages
from patchtool.mutation.generator import Mutant, mutants


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file that a patch changes: what it was, what it is, and where it stands.

    `patch` is the patch's file name, `directory` the package's place in a stack, and `path` the
    file's place in the package. A file the patch makes was empty.
    """

    patch: str
    directory: PurePath
    path: str
    pristine: bytes
    file: File

    @property
    def name(self) -> str:
        """What tells it from the others: `Mutant.file` of its mutants."""
        return f"{self.patch}: {self.path}"

    @property
    def is_read(self) -> bool:
        """Whether there is a grammar for it."""
        return languages.of(self.path) is not None


def mutants_of(sources: Iterable[Source]) -> tuple[Mutant, ...]:
    """The mutants of every file there is a grammar for, in order."""
    return tuple(
        mutant
        for source in sources
        if (language := languages.of(source.path)) is not None
        for mutant in mutants(source.pristine, source.file.data, language, source.name)
    )
