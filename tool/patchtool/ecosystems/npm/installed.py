"""Where copies of a package are installed, as seen from the files alone. Runs at every install.

It looks into `node_modules` directories and nowhere else, and imports nothing that is slow.
"""

# Paths are strings here: thousands of them are looked at.
# ruff: noqa: PTH114, PTH115
from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from patchtool.ecosystems import Copy
from patchtool.ecosystems.npm.project_files import MODULES, aliases, members, read, top_of
from patchtool.errors import CannotTell, Problem
from patchtool.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from patchtool.files import Files

# Where yarn's pnpm linker keeps the real directories that node_modules links to. Those of pnpm and
# bun are found by the links alone: pnpm leaves there for days what nothing uses any more.
_STORE = ".store"


def installed(
    root: Path,
    names: Collection[str],
    environment: Mapping[str, str],  # noqa: ARG001
) -> dict[str, tuple[Copy, ...]]:
    """Every copy of each of `names` under `root`, each real directory once.

    A member of a workspace has part in what is installed for the whole of it: then all copies
    there count. So do those that several members, or several of pnpm's links, lead to.
    A copy counts by the name in its package.json. Only if there is no such copy it counts by the
    name of its directory, which is what patch-package goes by when the two differ (an alias).
    A link that leads out of `root` leads to what belongs to somebody else: beside other copies it
    is one that is `linked`, and `CannotTell` if there is no other.
    """
    found: dict[str, dict[Path, Copy]] = {name: {} for name in names}
    aliased: dict[str, dict[Path, Copy]] = {name: {} for name in names}
    outside: dict[str, dict[Path, Copy]] = {}
    top = top_of(root)
    projects = list(dict.fromkeys([top, os.path.realpath(root), *members(top)]))
    for name, directory in _packages(top, projects, {*names, *aliases(projects, top, names)}):
        copy = _copy(directory)
        if copy is None:
            continue
        if not _is_in(directory, top):
            outside.setdefault(copy.name, {})[copy.directory] = replace(copy, linked=True)
        elif copy.name in found:
            found[copy.name][copy.directory] = copy
        elif name in aliased:
            aliased[name][copy.directory] = copy
    result = {}
    for name in names:
        copies = found[name] or aliased[name]
        linked = {at: copy for at, copy in outside.get(name, {}).items() if not _is_shared(at, top)}
        if linked and not copies:
            raise _linked(name, next(iter(linked)), top)
        copies |= linked
        result[name] = tuple(copies[directory] for directory in sorted(copies))
    return result


def _linked(name: str, directory: Path, top: str) -> CannotTell:
    from patchtool.ecosystems.npm.commands import install_as_locked

    return CannotTell(
        Problem(
            kind="linked",
            what="is a link that leads out of the project",
            subject=name,
            path=str(directory),
            remedy=install_as_locked(top),
        )
    )


def _is_shared(directory: Path, top: str) -> bool:
    """Whether it is in a store that the package manager keeps for all projects on purpose."""
    from patchtool.ecosystems.npm.absence import shared_store

    store = shared_store(top)
    return store is not None and _is_in(str(directory), store)


def _packages(
    top: str, projects: Collection[str], wanted: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The directories named as in `wanted`, with that name; a real directory may come twice.

    Each directory is looked into once, by its identity on the disk: so loops of links end, and
    the many links of a store cost no more than a look each.
    """
    real = _resolver()
    seen: set[tuple[int, int]] = set()
    looked_into: set[str] = set()
    waiting = list(projects)
    while waiting:
        place = waiting.pop()
        if place in looked_into:
            continue
        looked_into.add(place)
        for name, entry in _entries(f"{place}/{MODULES}"):
            status = entry.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in seen and name not in wanted:
                continue
            directory = entry.path
            if name in wanted or entry.is_symlink():
                directory = real(directory)
            if name in wanted:
                yield name, directory
            if identity not in seen and _is_in(directory, top):
                waiting.append(directory)
                beside = directory.rpartition(f"/{MODULES}/")[0]
                if entry.is_symlink() and _is_in(beside, top):  # what one in a store needs
                    waiting.append(beside)
            seen.add(identity)


def _resolver() -> Callable[[str], str]:
    """`realpath` of what is there, quick for the thousands of links of a store: it remembers."""
    known = {"": ""}

    def real(path: str) -> str:
        if path not in known:
            parent, _, name = path.rpartition("/")
            known[path] = place = f"{real(parent)}/{name}"
            if os.path.islink(place):
                target = os.readlink(place)
                if "/../" in f"/{target.lstrip('./')}/":  # behind a link it leads elsewhere
                    known[path] = os.path.realpath(place)
                else:
                    start = "" if target.startswith("/") else f"{place.rpartition('/')[0]}/"
                    known[path] = real(os.path.normpath(start + target))
        return known[path]

    return real


def _is_in(directory: str, top: str) -> bool:
    return directory.startswith(top.rstrip("/") + "/")


def _entries(modules: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The packages in a node_modules directory by name, and whatever may hold more packages."""
    for entry in _scan(modules):
        if entry.name == _STORE or entry.name.startswith("@"):
            for inner in _scan(entry.path):
                yield f"{entry.name}/{inner.name}", inner
        elif not entry.name.startswith("."):
            yield entry.name, entry


def _scan(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return [entry for entry in entries if _is_directory(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        what = f"cannot look into a directory: {error.strerror}"
        raise CannotTell(Problem(kind="unreadable", what=what, path=directory)) from error


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link in a circle, or into a place that may not be looked at


def _copy(directory: str) -> Copy | None:
    """The package in a directory; None if that holds no package.json with a name and a version."""
    manifest = read(f"{directory}/package.json")
    name, version = manifest.get("name"), manifest.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    return Copy(name=name, version=version, directory=Path(directory))


def companions(copy: Copy, changes: Files) -> Files:  # noqa: ARG001
    """Nothing: npm keeps no account of the files it has installed."""
    return {}


def path_in_package(patch_path: str, name: str) -> str | None:
    """A path of a patch (`node_modules/NAME/...`, nested or not) as a path inside the package."""
    prefix = f"{MODULES}/{name}/"
    start = patch_path.rfind(prefix)
    if start < 0 or not (start == 0 or patch_path[:start].endswith("/")):
        return None
    outer = patch_path[:start]
    if outer and not outer.startswith(f"{MODULES}/"):
        return None
    return patch_path[start + len(prefix) :] or None
