"""Where a package is installed in a Python environment, and what must change along with its files.

Runs at every install: it looks at directories and small files, and imports nothing that is slow.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from patchtool import plain_file
from patchtool.ecosystems import Copy
from patchtool.ecosystems.pypi.environment import search_path
from patchtool.ecosystems.pypi.record import update
from patchtool.errors import CannotTell, Problem
from patchtool.files import File, Files, Hindrance, Mode, Obstacle, Read
from patchtool.package import Package
from patchtool.tree import reader

_METADATA = (".dist-info", ".egg-info")
_SITES = ("site-packages", "dist-packages")

# The field in the head of a METADATA file, which ends at the first blank line.
_VERSION = re.compile(r"(?:.+\n)*?Version:[ \t]*(\S+)", re.IGNORECASE)


def installed(
    root: Path, names: Collection[str], environment: Mapping[str, str]
) -> dict[str, tuple[Copy, ...]]:
    """The copy of each of `names` that the project's Python imports: the first on its path.

    A copy's directory is the one that packages are installed in, such as site-packages.
    `CannotTell` for a package that is not installed from a wheel of an index, or is in a zip.
    """
    path = search_path(root, environment)
    return {name: tuple(_first(name, path)) for name in names}


def may_be_absent(root: Path, name: str, environment: Mapping[str, str]) -> str | None:  # noqa: ARG001
    """None: a Python environment does not keep what kind of install made it."""
    return None


def install_command(
    package: Package, root: Path, environment: Mapping[str, str], copy: Copy | None = None
) -> str:
    """The command with which a person installs exactly this release, in place of `copy`.

    Without one it goes where `installed` looks: the directory that is named, or an environment.
    """
    release = shlex.quote(f"{package.name}=={package.version}")
    directory = copy.directory if copy else _destination(root, environment)
    if directory is None:
        return f"pip install --force-reinstall --no-deps {release}"
    into = ""
    if directory.name not in _SITES:
        into = f" --upgrade --target {shlex.quote(str(directory))}"
    pip = "pip" if into else _pip(directory)
    return f"{pip} install --force-reinstall --no-deps{into} {release}"


def _destination(root: Path, environment: Mapping[str, str]) -> Path | None:
    """The directory that packages are installed in; None if it cannot be told."""
    try:
        path = search_path(root, environment)
    except CannotTell:
        return None
    sites = [entry for entry in path if entry.name in _SITES]
    if sites:
        return sites[0]
    return path[0] if len(path) == 1 else None


def _pip(directory: Path) -> str:
    """The pip for a directory of packages: the first on the PATH is often that of another."""
    environment = _virtual_environment(directory)
    return f"pip --python {shlex.quote(str(environment))}" if environment else "pip"


def _virtual_environment(directory: Path) -> Path | None:
    """The virtual environment that a directory of packages belongs to."""
    return next((each for each in directory.parents if (each / "pyvenv.cfg").is_file()), None)


def path_in_package(patch_path: str, name: str) -> str | None:  # noqa: ARG001
    """The same path: patches of Python packages start at site-packages."""
    return patch_path


def companions(copy: Copy, changes: Files) -> dict[str, File | None]:
    """RECORD as it must be after `changes`, and the bytecode that they make stale."""
    read = reader(copy.directory)
    further: dict[str, File | None] = {
        path: None
        for changed in changes
        for path in _bytecode(copy.directory, changed)
        if _own(path, read, copy)
    }
    for metadata in _metadata(copy.directory, copy.name):
        path = f"{metadata.name}/RECORD"
        record = _own(path, read, copy)
        if record is not None:
            further[path] = File(data=update(record.data, changes))
    return further


def _own(path: str, read: Read, copy: Copy) -> File | None:
    """The plain file at a path; `CannotTell` for one that is elsewhere, and perhaps not ours."""
    found = read(path)
    is_link = isinstance(found, File) and found.mode is Mode.SYMLINK
    if is_link or (isinstance(found, Obstacle) and found.kind is Hindrance.BELOW_LINK):
        what = "would have to be changed with the package, but is behind a link"
        raise _refused("linked", what, copy.name, copy.directory / path)
    return found if isinstance(found, File) else None


def _first(name: str, path: tuple[Path, ...]) -> Iterator[Copy]:
    for entry in path:
        if os.path.isdir(entry):  # noqa: PTH112 - False for what may not be looked at
            found = _metadata(entry, name)
            if found:
                yield _copy(name, found)
                return
        elif entry.is_file() and _is_in_zip(entry, name):
            raise _refused("zip", f"is imported from a zip file: {entry}", name, entry)


def _copy(name: str, found: list[Path]) -> Copy:
    metadata = found[0]
    if len(found) > 1:
        what = "is installed twice in one directory, so its version is not known"
        raise _refused("several-installed", what, name, metadata.parent)
    if metadata.suffix == ".egg-info":
        what = "is not installed from a wheel, but in development mode or by an old setup.py"
        raise _refused("editable", what, name, metadata)
    version = _VERSION.match(_read(metadata / "METADATA"))
    origin = _read(metadata / "direct_url.json")
    if version is None:
        raise _refused("broken", "has no METADATA, so its version is not known", name, metadata)
    if origin:
        raise _refused(*_origin(origin), name, metadata)
    directory = Path(os.path.realpath(metadata.parent))
    return Copy(name=name, version=version[1], directory=directory)


def _read(path: Path) -> str:
    """The text of a file; "" if it is not there."""
    try:
        return plain_file.read(path).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _unreadable(error, path) from error


def _unreadable(error: OSError, path: Path) -> CannotTell:
    what = f"cannot be read: {error.strerror}"
    return CannotTell(Problem(kind="unreadable", what=what, path=str(path)))


def _origin(text: str) -> tuple[str, str]:
    """What a direct_url.json says, as a kind and a sentence. PEP 610 has the format."""
    try:
        origin = json.loads(text)
        url, directory = origin["url"], origin.get("dir_info")
        editable = directory is not None and directory.get("editable") is True
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "direct-url", "is not installed from an index"
    if editable:
        return "editable", f"is an editable install: its files are the source tree {url}"
    return "direct-url", f"is installed from {url}, not from an index"


def _refused(kind: str, what: str, name: str, path: Path) -> CannotTell:
    return CannotTell(
        Problem(
            kind=kind,
            what=what,
            subject=name,
            path=str(path),
            expected="an install from an index, in a directory",
            remedy=f"{_pip(path)} install --force-reinstall --no-deps {shlex.quote(name)}",
        )
    )


def _metadata(directory: Path, name: str) -> list[Path]:
    """The metadata directories of the package in `directory`."""
    wanted = _normal(name)
    try:
        return sorted(
            entry
            for entry in directory.iterdir()
            if entry.name.endswith(_METADATA) and _owner(entry.name) == wanted
        )
    except OSError as error:
        raise _unreadable(error, directory) from error


def _owner(entry: str) -> str:
    """The package a metadata directory is of: `idna-3.10.dist-info` is of idna."""
    return _normal(entry.rpartition(".")[0].partition("-")[0])


def _normal(name: str) -> str:
    """A name in the one spelling that all its spellings share (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_in_zip(archive: Path, name: str) -> bool:
    import zipfile  # there is hardly ever a zip file on the path

    try:
        with zipfile.ZipFile(archive) as content:
            tops = {member.partition("/")[0] for member in content.namelist()}
    except (OSError, zipfile.BadZipFile):
        return False
    return any(top.endswith(_METADATA) and _owner(top) == _normal(name) for top in tops)


def _bytecode(directory: Path, path: str) -> Iterator[str]:
    """The compiled forms of a module that are there, of every interpreter and optimisation."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".py"):
        return
    cache = f"{folder}/__pycache__" if folder else "__pycache__"
    for entry in sorted((directory / cache).glob(f"{glob.escape(name.removesuffix('py'))}*.pyc")):
        yield f"{cache}/{entry.name}"
