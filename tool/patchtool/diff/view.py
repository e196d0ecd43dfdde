"""A tree as it is while a patch runs over it: what is on the disk, and what has changed since.

Owns the question "what is at this path?". Pure: the disk comes in as a function.
"""

from __future__ import annotations

from collections import Counter

from patchtool.diff.paths import parents
from patchtool.files import File, Found, Hindrance, Mode, Obstacle, Read


class View:
    """A tree under `read`, with changes on top."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self.changes: dict[str, File | None] = {}
        self._directories: Counter[str] = Counter()

    def put(self, path: str, file: File | None) -> None:
        """Let `path` be `file` from now on; None removes it."""
        if isinstance(self.changes.get(path), File):
            self._directories.subtract(parents(path))
        if file is not None:
            self._directories.update(parents(path))
        self.changes[path] = file

    def read(self, path: str) -> Found:
        """What is at `path` now."""
        changed = self.changes.get(path)
        if changed is not None:
            return changed
        if self._directories[path] > 0:
            return Obstacle(kind=Hindrance.DIRECTORY, at=path)
        for parent in parents(path):
            above = self.changes.get(parent)
            if above is not None:
                is_link = above.mode is Mode.SYMLINK
                kind = Hindrance.BELOW_LINK if is_link else Hindrance.BELOW_FILE
                return Obstacle(kind=kind, at=parent)
        if path in self.changes:
            return None
        found = self._read(path)
        return None if isinstance(found, Obstacle) and self._is_gone(found) else found

    def _is_gone(self, obstacle: Obstacle) -> bool:
        if obstacle.kind is Hindrance.DIRECTORY:
            removed = (
                held in self.changes and self.changes[held] is None for held in obstacle.holds
            )
            return bool(obstacle.holds) and all(removed)
        return obstacle.at in self.changes

    def net_changes(self) -> dict[str, File | None]:
        """The changes that are some: those that differ from what `read` gives."""
        return {path: file for path, file in self.changes.items() if self._differs(path, file)}

    def _differs(self, path: str, file: File | None) -> bool:
        found = self._read(path)
        return file != found if file is not None else isinstance(found, File)
