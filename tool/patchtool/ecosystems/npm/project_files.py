"""What the files of a project say of its layout: its workspace, and packages under other names.

Runs at every install: it reads package.json and little else, and imports nothing that is slow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from patchtool import plain_file
from patchtool.errors import CannotTell, Problem
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

MODULES = "node_modules"

# How each lockfile writes down that a package is installed under another name: the pattern of
# that name, before `NAME@`. npm's own record is read as what it is.
_ALIASES = {
    # Looked for at the start of a word alone, or a long one would be read over and over.
    "yarn.lock": r'(?<![^"\s,/])((?:@[^/"\s,]+/)?[^@"\s,/]+)@npm:',
    "bun.lock": r'"([^"]+)": \["',
    "pnpm-lock.yaml": r"^ +'?([^\s']+)'?: '?",
}


def read(path: str) -> dict[str, Any]:
    """A JSON object in a file; empty if there is none that can be read."""
    return _object(_bytes(path))


def text(path: str) -> str:
    """The text of a file; empty if there is none that can be read."""
    return _bytes(path).decode("utf-8", "replace")


def _bytes(path: str) -> bytes:
    """What is in a file; nothing if it cannot be read.

    `CannotTell` if it is too large: it is there, and what it says of the project would be missed.
    """
    try:
        return plain_file.read(path)
    except plain_file.TooLarge as error:
        what = f"cannot be read: {error.strerror}"
        raise CannotTell(Problem(kind="unreadable", what=what, path=path)) from error
    except (OSError, ValueError):  # the latter for a path that no file can have
        return b""


def _object(data: bytes) -> dict[str, Any]:
    try:
        return table(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def table(value: object) -> dict[str, Any]:
    """The value, if it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def top_of(root: Path) -> str:
    """The real directory that `root` is installed from: itself, or the top of its workspace."""
    start = os.path.realpath(root)
    directory = Path(start)
    while not (directory / ".git").exists() and directory != directory.parent:
        directory = directory.parent
        if start in members(str(directory)):
            return str(directory)
    return start


def members(top: str) -> list[str]:
    """The directories of a workspace: of npm, yarn and bun by their manifest, of pnpm as locked."""
    listed = read(f"{top}/package.json").get("workspaces")
    patterns = listed.get("packages") if isinstance(listed, dict) else listed
    found = [
        directory
        for pattern in (patterns if isinstance(patterns, list) else ())
        if isinstance(pattern, str) and not pattern.startswith(("!", "/"))
        for directory in _matching(top, pattern)
    ]
    return [os.path.realpath(path) for path in (*found, *_pnpm_members(top))]


def _matching(top: str, pattern: str) -> list[Path]:
    """The paths that a pattern of a workspace means; none if it is no pattern."""
    try:
        return list(Path(top).glob(pattern))
    except (OSError, ValueError, NotImplementedError):
        return []


def _pnpm_members(top: str) -> Iterator[Path]:
    """The directories that stand as importers in what pnpm has installed, or else in its lock."""
    for lockfile in (f"{MODULES}/.pnpm/lock.yaml", "pnpm-lock.yaml"):
        locked = text(f"{top}/{lockfile}")
        if locked:
            import re  # imported late: most projects are not pnpm's

            importers = re.search(r"^importers:\n(.*?)(?=^\S|\Z)", locked, re.MULTILINE | re.DOTALL)
            for found in (
                re.finditer(r"^  '?(\S+?)'?:", importers[1], re.MULTILINE) if importers else ()
            ):
                yield Path(top, found[1])
            return


def aliases(projects: Collection[str], top: str, names: Collection[str]) -> Iterator[str]:
    """Other names under which the packages stand, by manifests, lockfiles and npm's own record."""
    for project in projects:
        manifest = read(f"{project}/package.json")
        for group in ("dependencies", "devDependencies", "optionalDependencies"):
            for name, spec in table(manifest.get(group)).items():
                if isinstance(spec, str) and spec.startswith("npm:"):
                    target = spec.removeprefix("npm:")
                    if target in names or target.rpartition("@")[0] in names:
                        yield name
    for place, package in table(_record(top).get("packages")).items():
        if isinstance(package, dict) and package.get("name") in names:
            yield place.rpartition(f"{MODULES}/")[2]
    for lockfile, pattern in _ALIASES.items():
        yield from _in_lockfile(f"{top}/{lockfile}", pattern, names)


def _record(top: str) -> dict[str, Any]:
    """The record that npm keeps of what it installed, if any package in it has another name.

    It is large, and hardly ever has one: so it is searched before it is read.
    """
    data = _bytes(f"{top}/{MODULES}/.package-lock.json")
    return _object(data) if data.count(b'"name"') > 1 else {}


def _in_lockfile(path: str, pattern: str, names: Collection[str]) -> Iterator[str]:
    """The names in front of any of `names`; an ordinary package's is its own."""
    locked = text(path)
    if not locked:
        return
    import re  # imported late: a project of npm has none of these

    packages = "|".join(map(re.escape, names))
    for found in re.finditer(rf"{pattern}(?:{packages})@", locked, re.MULTILINE):
        *outer, name = found[1].split("/")  # bun puts the packages around it in front
        yield f"{outer[-1]}/{name}" if outer and outer[-1].startswith("@") else name
