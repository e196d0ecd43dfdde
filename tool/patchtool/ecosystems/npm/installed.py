"""Where copies of a package are installed, as seen from the files alone. Runs at every install.

It looks into `node_modules` directories and nowhere else, and imports nothing that is slow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchtool.ecosystems import Copy
from patchtool.errors import CannotTell, Problem

if TYPE_CHECKING:
    from patchtool.files import Files
    from patchtool.package import Package

MODULES = "node_modules"

# Where pnpm, bun and yarn's pnpm linker keep the real directories that node_modules links to.
_STORES = (".pnpm", ".bun", ".store")


def installed(
    root: Path,
    names: Collection[str],
    environment: Mapping[str, str],  # noqa: ARG001
) -> dict[str, tuple[Copy, ...]]:
    """Every copy of each of `names` under `root`, each real directory once.

    A copy counts by the name in its package.json. Only if there is no such copy it counts by the
    name of its directory, which is what patch-package goes by when the two differ (an alias).
    `CannotTell` if a package is only there as a link that leads out of `root`: what it leads to
    belongs to somebody else.
    """
    found: dict[str, dict[Path, Copy]] = {name: {} for name in names}
    aliased: dict[str, dict[Path, Copy]] = {name: {} for name in names}
    outside: dict[str, str] = {}
    top = os.path.realpath(root)
    for name, directory in _packages(top, {*names, *_aliases(top, names)}):
        copy = _copy(directory)
        if copy is None:
            continue
        if not _is_in(directory, top):
            outside[copy.name] = directory
        elif copy.name in found:
            found[copy.name][copy.directory] = copy
        elif name in aliased:
            aliased[name][copy.directory] = copy
    result = {}
    for name in names:
        copies = found[name] or aliased[name]
        if not copies and name in outside:
            raise _linked(name, outside[name])
        result[name] = tuple(copies[directory] for directory in sorted(copies))
    return result


def _linked(name: str, directory: str) -> CannotTell:
    return CannotTell(
        Problem(
            kind="linked",
            what="is a link that leads out of the project",
            subject=name,
            path=directory,
            remedy=f"npm install {name}",
        )
    )


def _packages(top: str, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """The directories named as in `wanted`, with that name; a real directory may come twice.

    Each directory is looked into once, by its identity on the disk: so loops of links end, and
    the many links of a store cost no more than a look each.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [top, *_workspaces(top)]
    while waiting:
        for name, entry in _entries(f"{waiting.pop()}/{MODULES}"):
            status = entry.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in seen and name not in wanted:
                continue
            directory = entry.path
            if name in wanted or entry.is_symlink():
                directory = os.path.realpath(directory)
            if name in wanted:
                yield name, directory
            if identity not in seen and _is_in(directory, top):
                waiting.append(directory)
            seen.add(identity)


def _is_in(directory: str, top: str) -> bool:
    return directory.startswith(top.rstrip("/") + "/")


def _entries(modules: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The packages in a node_modules directory by name, and whatever may hold more packages."""
    for entry in _scan(modules):
        if entry.name in _STORES or entry.name.startswith("@"):
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
    manifest = _read(f"{directory}/package.json")
    name, version = manifest.get("name"), manifest.get("version")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    return Copy(name=name, version=version, directory=Path(directory))


def _read(path: str) -> dict[str, Any]:
    """A JSON object in a file; empty if there is none that can be read."""
    try:
        value = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _aliases(top: str, names: Collection[str]) -> Iterator[str]:
    """Other names under which the packages stand, from the project and from npm's own record.

    pnpm needs none of this: the real directories in its store have the packages' own names.
    """
    for group in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, spec in _object(_read(f"{top}/package.json").get(group)).items():
            if isinstance(spec, str) and spec.startswith("npm:"):
                target = spec.removeprefix("npm:")
                if target in names or target.rpartition("@")[0] in names:
                    yield name
    for place, package in _object(_record(top).get("packages")).items():
        if isinstance(package, dict) and package.get("name") in names:
            yield place.rpartition(f"{MODULES}/")[2]


def _record(top: str) -> dict[str, Any]:
    """The record that npm keeps of what it installed, if any package in it has another name.

    It is large, and hardly ever has one: so it is searched before it is read.
    """
    path = f"{top}/{MODULES}/.package-lock.json"
    try:
        data = Path(path).read_bytes()
    except OSError:
        return {}
    return _read(path) if data.count(b'"name"') > 1 else {}


def _workspaces(top: str) -> Iterator[str]:
    """The directories of npm's or yarn's workspaces; pnpm's are found through its store."""
    listed = _read(f"{top}/package.json").get("workspaces")
    patterns = listed.get("packages") if isinstance(listed, dict) else listed
    for pattern in patterns if isinstance(patterns, list) else ():
        if isinstance(pattern, str) and not pattern.startswith(("!", "/")):
            for directory in Path(top).glob(pattern):
                yield os.path.realpath(directory)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def may_be_absent(root: Path, name: str, environment: Mapping[str, str]) -> str | None:
    """Why npm may have left `name` out: a kind of dependency that an install may omit, or None."""
    manifest = _read(f"{root}/package.json")
    if name in _object(manifest.get("optionalDependencies")):
        return "it is an optional dependency"
    if _object(_object(manifest.get("peerDependenciesMeta")).get(name)).get("optional"):
        return "it is an optional peer dependency"
    production = _omits_development(environment)
    if production and name in _object(manifest.get("devDependencies")):
        return f"it is a development dependency, and {production}"
    packages = _object(_read(f"{root}/package-lock.json").get("packages"))
    copies = [
        _object(package)
        for place, package in packages.items()
        if place.rpartition(f"{MODULES}/")[2] == name
    ]
    if copies and all(copy.get("optional") for copy in copies):
        return "only optional dependencies need it"
    if production and copies and all(copy.get("dev") or copy.get("devOptional") for copy in copies):
        return f"only development needs it, and {production}"
    return None


def _omits_development(environment: Mapping[str, str]) -> str | None:
    """What says that development dependencies are not installed, if anything does."""
    variables = {key.lower(): value for key, value in environment.items()}
    included = variables.get("npm_config_include", "").replace("\n", ",").split(",")
    if "dev" in included:
        return None
    if "dev" in variables.get("npm_config_omit", "").replace("\n", ",").split(","):
        return "npm was told to omit those"
    if variables.get("npm_config_production") == "true":
        return "npm was told to install for production"
    return "NODE_ENV is production" if variables.get("node_env") == "production" else None


def install_command(package: Package, copy: Copy | None = None) -> str:
    """The command with which a person installs exactly this release, in place of `copy`.

    npm leaves a directory alone that has the right version, whatever is in it: so it goes first.
    """
    import shlex

    install = f"npm install --save-exact {package}"
    return f"rm -r {shlex.quote(str(copy.directory))} && {install}" if copy else install


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
