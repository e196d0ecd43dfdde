"""Reads patches/patches.toml, which people write.

Owns its format and every check of it, each with the key's path. Does not read the lock, what is
in a patch, or what is installed.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from patchtool.package import Package
from patchtool.project import vendored
from patchtool.project.across import check
from patchtool.project.lock_bytes import manifest_checksum
from patchtool.project.model import AcceptedMutant, Fix, Guard, Pin
from patchtool.project.patch_name import PatchFile, PatchName, is_name, is_version
from patchtool.project.reader import Source, Table, Value
from patchtool.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

NAME = "patches.toml"

# What people write by hand is a few kilobytes; more is a mistake, or meant to be slow to read.
_LIMIT = 256 * 1024

# One run of a guard, in seconds.
_TIMEOUT = 300.0
_LONGEST_TIMEOUT = 24 * 60 * 60

_FIX_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ADDRESS = re.compile(r"https?://[^\s/]+(?:/\S*)?")

_FIX_KEYS = (
    "name",
    "summary",
    "bug",
    "forwarded",
    "delete-when",
    "guard",
    "pin",
    "accepted-mutant",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The fixes a manifest holds, and its checksum."""

    digest: str
    fixes: tuple[Fix, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What the keys refer to: `patches` are the patch files in `directory`, in order."""

    root: Path
    directory: Path
    patches: tuple[PatchName, ...]


def read(directory: Path, *, root: Path, patches: tuple[PatchName, ...]) -> Manifest:
    """Read the manifest in `directory`; `UsageError` of kind `manifest` says what is wrong in it.

    A guard's path starts at `root`; `patches` are the patch files in `directory`, in order.
    """
    source = Source(path=directory / NAME, kind="manifest")
    data, text = source.text(_LIMIT)
    context = _Context(root=root, directory=directory, patches=patches)
    whole = Value(source=source, key="", raw=_parse(source, text)).table("fix")
    fixes = tuple(_read_fix(item.table(*_FIX_KEYS), context) for item in whole["fix"].some())
    check(source, fixes, patches)
    return Manifest(digest=manifest_checksum(data), fixes=fixes)


def _parse(source: Source, text: str) -> dict[str, Any]:
    import tomli  # imported late: `apply` need not read a manifest

    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise source.error(
            f"not TOML: {error.msg} at column {error.colno}", line=error.lineno
        ) from error
    except (RecursionError, ValueError) as error:  # nested too deep; an integer too long
        raise source.error(f"not TOML that can be read: {error}") from error


def _read_fix(table: Table, context: _Context) -> Fix:
    pins = tuple(
        _read_pin(item.table("packages", "leave-alone", "vendored"), context)
        for item in table["pin"].some()
    )
    patches = {str(file.name): file.name for pin in pins for file in pin.patches}
    return Fix(
        name=_fix_name(table["name"]),
        summary=table["summary"].line(),
        bug=table.optional("bug", _addresses) or (),
        forwarded=table.optional("forwarded", _forwarded) or "no",
        delete_when=table["delete-when"].line(),
        guard=table.optional("guard", lambda value: _read_guard(value, context.root)),
        pins=pins,
        accepted_mutants=table.optional(
            "accepted-mutant",
            lambda value: tuple(_read_accepted_mutant(item, patches) for item in value.some()),
        )
        or (),
    )


def _fix_name(value: Value) -> str:
    name = value.line()
    if not _FIX_NAME.fullmatch(name):
        raise value.error("not the name of a fix", "letters, digits, dots and dashes")
    return name


def _addresses(value: Value) -> tuple[str, ...]:
    return tuple(_address(item, "an address such as https://…") for item in value.some())


def _forwarded(value: Value) -> str:
    if value.raw in ("no", "not-needed"):
        return value.line()
    return _address(value, "'no', 'not-needed', or an address such as https://…")


def _address(value: Value, expected: str) -> str:
    text = value.line()
    if not _ADDRESS.fullmatch(text):
        raise value.error("not an address", expected)
    return text


def _read_guard(value: Value, root: Path) -> Guard:
    table = value.table("path", "command", "timeout", "parallel")
    path = _path_inside(table["path"], root)
    command = table.optional(
        "command", lambda command: tuple(word.line() for word in command.some())
    )
    if command is None and path.parent == root and path.is_file():
        # pytest would read whatever else stands there, and no run would be kept by it.
        raise table["path"].error(
            "a guard of pytest has no folder of its own", "a file in a folder"
        )
    return Guard(
        path=path,
        command=command,
        timeout=table.optional("timeout", _seconds) or _TIMEOUT,
        parallel=table.optional("parallel", Value.boolean) or False,
    )


def _path_inside(value: Value, root: Path) -> Path:
    """A path that is there and, as written and with all links followed, below `root`."""
    relative = os.path.normpath(value.line())
    path = root / relative
    try:
        inside, there = path.resolve().is_relative_to(root.resolve()), path.exists()
    except (OSError, RuntimeError) as error:  # too long a name; links in a circle
        raise value.error(f"cannot be followed: {error}", f"a path below {root}") from error
    if not inside or relative in (".", "..") or relative.startswith(("../", "/")):
        raise value.error("leaves the project", f"a relative path below {root}")
    if not there:
        raise value.error("no such file or directory", f"a path below {root}")
    return path


def _seconds(value: Value) -> float:
    seconds = value.number()
    if not 0 < seconds <= _LONGEST_TIMEOUT:
        raise value.error("out of range", f"seconds, more than 0 and at most {_LONGEST_TIMEOUT}")
    return float(seconds)


def _read_accepted_mutant(value: Value, patches: dict[str, PatchName]) -> AcceptedMutant:
    table = value.table("patch", "original", "mutant", "reason")
    patch = table["patch"].line()
    if patch not in patches:
        raise table["patch"].error("no patch of this fix", " or ".join(patches))
    original, mutant = table["original"].string(), table["mutant"].string()
    if original == mutant:
        raise table["mutant"].error("the same as the original", "another text")
    return AcceptedMutant(
        patch=patches[patch], original=original, mutant=mutant, reason=table["reason"].line()
    )


def _read_pin(table: Table, context: _Context) -> Pin:
    packages: list[Package] = []
    for item in table["packages"].some():
        package = _read_package(item)
        for other in packages:
            if other.name == package.name:
                raise item.error("a second release of one package in a pin", f"only {other}")
            if other.ecosystem != package.ecosystem:
                raise item.error("packages of two kinds in a pin", f"pkg:{other.ecosystem}/…")
        packages.append(package)
    packages = vendored.declared(table, packages)
    patches = tuple(
        PatchFile(name=name, path=context.directory / str(name), package=package)
        for package in packages
        for name in context.patches
        if (name.package, name.version) == (package.name, package.version)
    )
    if not patches:
        names = (PatchName(packages=(each.name,), version=each.version) for each in packages)
        raise table["packages"].error(
            "none of the packages has a patch", " or ".join(map(str, names)), "no such file"
        )
    return Pin(
        packages=tuple(packages),
        patches=patches,
        leave_alone=table.optional("leave-alone", _versions) or (),
    )


def _versions(value: Value) -> tuple[str, ...]:
    versions = [_exact(item, item.line()) for item in value.some()]
    for number, item in enumerate(value.items()):
        if versions[number] in versions[:number]:
            raise item.error("there twice", "each version once")
    return tuple(versions)


def _read_package(value: Value) -> Package:
    try:
        package = Package.from_purl(value.line())
    except ValueError as error:
        raise value.error(
            f"not the URL of a package: {error}", "such as 'pkg:npm/%40scope/name@1.2.3'"
        ) from error
    if not is_name(package.name):
        raise value.error("not the name of a package", "a name, or @scope/name", package.name)
    _exact(value, package.version)
    return package


def _exact(value: Value, version: str) -> str:
    """The version, which must be exact."""
    if not is_version(version):
        raise value.error(
            "not an exact version", "a version such as 1.2.3, without a + part", version
        )
    return version
