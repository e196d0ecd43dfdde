"""A small project to read, and ways to spoil it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from patchtool.errors import Problem, UsageError
from patchtool.project import Project
from patchtool.project.load import load

MANIFEST = """\
[[fix]]
name = "calls"
summary = "calls are mixed up"
bug = ["https://bugs.invalid/1", "http://bugs.invalid"]
forwarded = "not-needed"
delete-when = "every required case passes on an unpatched release"

[fix.guard]
path = "guard/calls"
timeout = 60

[[fix.pin]]
packages = ["pkg:npm/%40s/lead@1.0.0", "pkg:npm/consumer@3.0.0"]
"""


@dataclass(frozen=True)
class Repository:
    """A root with a manifest, one patch and one guard in it."""

    root: Path

    @property
    def manifest(self) -> Path:
        """The manifest's path."""
        return self.root / "patches" / "patches.toml"

    @property
    def lock(self) -> Path:
        """The lock's path."""
        return self.root / "patches" / "patches.lock"

    def patch(self, name: str, content: str = "a patch\n") -> Path:
        """Write a patch file; its path."""
        path = self.root / "patches" / name
        path.write_text(content)
        return path

    def replace(self, old: str, new: str) -> None:
        """Put a text of the manifest in the place of another that is there once."""
        text = self.manifest.read_text()
        assert text.count(old) == 1
        self.manifest.write_text(text.replace(old, new))

    def append(self, text: str) -> None:
        """Add a text to the end of the manifest."""
        with self.manifest.open("a") as file:
            file.write(text)

    def load(self) -> Project:
        """The project, read."""
        return load(self.root)

    def refused(self) -> Problem:
        """The problem that reading the project ends with."""
        with pytest.raises(UsageError) as caught:
            self.load()
        return caught.value.problem


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A project that can be read as it is."""
    (tmp_path / "patches").mkdir()
    (tmp_path / "guard" / "calls").mkdir(parents=True)
    repository = Repository(tmp_path)
    repository.manifest.write_text(MANIFEST)
    repository.patch("@s+lead+1.0.0.patch")
    return repository
