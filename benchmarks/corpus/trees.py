"""Directory trees on the disk as values: read whole, written whole, compared byte for byte.

Knows nothing of patches. What git knows of a file counts (bytes, executable bit, link target);
times and owners do not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from patchtool.files import File, Mode

Tree = Mapping[str, File]


class TreeReader:
    """Reads one directory again and again; a file whose status has not changed is not read anew.

    The status has the inode and the time of its last change (ctime), which no program can set.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._known: dict[str, tuple[tuple[int, ...], File]] = {}

    def read(self) -> dict[str, File]:
        """Every file and link, by its path; directories only count by what they hold."""
        self._known = dict(self._entries(self._root, ""))
        return {path: file for path, (_, file) in self._known.items()}

    def _entries(
        self, above: str, prefix: str
    ) -> Iterator[tuple[str, tuple[tuple[int, ...], File]]]:
        with os.scandir(above) as entries:
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    yield from self._entries(entry.path, f"{path}/")
                    continue
                found = entry.stat(follow_symlinks=False)
                status = (found.st_ino, found.st_size, found.st_mode, found.st_ctime_ns)
                known = self._known.get(path)
                yield path, known if known and known[0] == status else (status, _read(entry))


def _read(entry: os.DirEntry[str]) -> File:
    if entry.is_symlink():
        target = os.readlink(entry.path)  # noqa: PTH115 - a Path would tidy the target up
        return File(data=os.fsencode(target), mode=Mode.SYMLINK)
    executable = entry.stat().st_mode & 0o100
    mode = Mode.EXECUTABLE if executable else Mode.REGULAR
    return File(data=Path(entry.path).read_bytes(), mode=mode)


def read_tree(root: Path) -> dict[str, File]:
    """The files and links below `root`, once."""
    return TreeReader(root).read()


def change_tree(root: Path, now: Tree, wanted: Tree) -> None:
    """Turn the tree at `root`, which holds `now`, into `wanted`."""
    for path in now.keys() - wanted.keys():
        (root / path).unlink()
        _remove_empty(root, (root / path).parent)
    for path, file in wanted.items():
        if now.get(path) != file:
            _write(root / path, file)


def write_tree(root: Path, files: Tree) -> None:
    """Make a new tree at `root`."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    change_tree(root, {}, files)


def difference(one: Tree, other: Tree) -> list[str]:
    """The paths at which two trees differ, sorted."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def _write(path: Path, file: File) -> None:
    if path.is_symlink() or path.exists():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.mode is Mode.SYMLINK:
        os.symlink(file.data, path)  # noqa: PTH211 - the same
    else:
        path.write_bytes(file.data)
        path.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)


def _remove_empty(root: Path, directory: Path) -> None:
    while directory != root and not any(directory.iterdir()):
        directory.rmdir()
        directory = directory.parent
