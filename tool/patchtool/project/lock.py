"""patches/patches.lock: what `patchtool lock` recorded, read and written.

Owns the format. `apply` reads this file at every install, so nothing heavy is imported here. What
is read is checked as if a stranger wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from patchtool.errors import UsageError
from patchtool.files import Identity, Mode
from patchtool.package import Package
from patchtool.project import vendored
from patchtool.project.lock_bytes import checksum_of, encoded
from patchtool.project.model import Baseline, Change, Lock, LockedPackage, LockedPatch
from patchtool.project.patch_name import PatchName, in_order, is_name, is_version, parse
from patchtool.project.reader import Source, Value
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "patches.lock"
VERSION = 1

# Room for some hundred thousand case names; reading as much takes well under a second.
_LIMIT = 16 * 1024 * 1024

# How many hex digits a SHA-256 has, and a git blob id.
_SHA256, _BLOB = 64, 40
_INTEGRITY = r"sha512-[A-Za-z0-9+/]{86}==|sha256-[0-9a-f]{64}"


def read(path: Path, *, believed: bool = False) -> Lock:
    """Read the lock; `UsageError` of kind `lock` says what is wrong in it.

    If it is to be `believed`, that includes every change since it was written.
    """
    source = Source(path=path, kind="lock", remedy="patchtool lock")
    _, text = source.text(_LIMIT)
    whole = Value(source=source, key="", raw=_parse(source, text))
    version = whole.table()["lock-version"]
    if version.integer() != VERSION:
        raise version.error("written by another version of patchtool", str(VERSION))
    table = whole.table("lock-version", "checksum", "manifest", "packages", "guards")
    checksum = _hex(table["checksum"], _SHA256)
    packages = {url: _read_package(url, each) for url, each in table["packages"].table().items()}
    lock = Lock(
        manifest=_hex(table["manifest"], _SHA256),
        packages=tuple(packages.values()),
        guards={
            (fix, _lead(lead, baseline, packages)): _read_baseline(baseline)
            for fix, leads in table["guards"].table().items()
            for lead, baseline in leads.table().items()
        },
    )
    if believed and checksum != checksum_of(table.values):
        raise source.error("changed by hand, or by a merge")
    return lock


def _parse(source: Source, text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as error:
        raise source.error(f"not JSON: {error.msg}", line=error.lineno) from error
    except (RecursionError, ValueError) as error:  # nested too deep; an integer too long; twins
        raise source.error(f"not JSON that can be read: {error}") from error


def _without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = iter(table)  # in the order in which each was there first
        twin = next(key for key, _ in pairs if key != next(keys, None))
        raise ValueError(f"the key {twin!r} is there twice")
    return table


def _hex(value: Value, digits: int) -> str:
    text = value.string()
    if len(text) != digits or text.strip("0123456789abcdef"):
        raise value.error("malformed", f"{digits} hex digits")
    return text


def _integrity(value: Value) -> str:
    text = value.string()
    if not re.fullmatch(_INTEGRITY, text):
        raise value.error("malformed", "sha512- and base64, or sha256- and hex digits")
    return text


def _read_package(url: str, value: Value) -> LockedPackage:
    table = value.table(
        "ecosystem",
        "name",
        "version",
        "file",
        "vendored",
        "integrity",
        "leave-alone",
        "patches",
    )
    package = Package(
        ecosystem=table["ecosystem"].line(),
        name=table["name"].line(),
        version=table["version"].line(),
        file=table.optional("file", Value.line) or "",
        vendored=table.optional("vendored", vendored.read),
    )
    if not (is_name(package.name) and is_version(package.version)):
        raise value.error("not a package", "a name and an exact version", repr(str(package)))
    if url != package.purl:
        raise value.error("not the package its URL names", url, package.purl)
    patches = {
        _patch_name(name, patch, package): patch for name, patch in table["patches"].table().items()
    }
    try:
        ordered = in_order(patches)
    except UsageError as error:
        raise table["patches"].error(
            error.problem.what, error.problem.expected, error.problem.found
        ) from error
    return LockedPackage(
        package=package,
        integrity=_integrity(table["integrity"]),
        patches=tuple(_read_patch(name, patches[name]) for name in ordered),
        leave_alone=table.optional("leave-alone", _versions) or (),
    )


def _versions(value: Value) -> tuple[str, ...]:
    return tuple(item.line() for item in value.some())


def _patch_name(file_name: str, value: Value, package: Package) -> PatchName:
    try:
        name = parse(file_name)
    except UsageError as error:
        raise value.error(
            error.problem.what, error.problem.expected, error.problem.found
        ) from error
    if (name.package, name.version) != (package.name, package.version):
        raise value.error("a patch of another package", str(package), file_name)
    return name


def _read_patch(name: PatchName, value: Value) -> LockedPatch:
    table = value.table("sha256", "files")
    files = {path: _read_change(path, each) for path, each in table["files"].table().items()}
    if not files:
        raise table["files"].error("empty", "at least one file")
    return LockedPatch(name=name, sha256=_hex(table["sha256"], _SHA256), files=files)


def _read_change(path: str, value: Value) -> Change:
    if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise value.error("not a path inside a package", "such as dist/index.js", repr(path))
    table = value.table("before", "after")
    change = Change(before=_read_identity(table["before"]), after=_read_identity(table["after"]))
    if change.before == change.after:
        raise value.error("not a change", "before and after that differ", "the same twice")
    return change


def _read_identity(value: Value) -> Identity | None:
    if value.raw is None:
        return None
    table = value.table("blob", "mode")
    modes = {mode.value: mode for mode in Mode}
    mode = table["mode"].string()
    if mode not in modes:
        raise table["mode"].error("unknown mode", " or ".join(modes))
    return Identity(blob=_hex(table["blob"], _BLOB), mode=modes[mode])


def _lead(url: str, value: Value, packages: Mapping[str, LockedPackage]) -> Package:
    if url not in packages:
        raise value.error("a baseline on no locked package", " or ".join(packages), url)
    return packages[url].package


def _read_baseline(value: Value) -> Baseline:
    table = value.table("needed", "control", "boundary")
    seen: set[str] = set()

    def cases(key: str) -> tuple[str, ...]:
        items = table[key].items()
        for item in items:
            if item.string() in seen:
                raise item.error("a second case of this name", "each case once")
            seen.add(item.string())
        return tuple(item.string() for item in items)

    return Baseline(needed=cases("needed"), control=cases("control"), boundary=cases("boundary"))


def dump(lock: Lock) -> bytes:
    """The lock as the bytes of its file: the same for equal locks, whatever order they are in."""
    guards: dict[str, dict[str, object]] = {}
    for (fix, lead), baseline in lock.guards.items():
        guards.setdefault(fix, {})[lead.purl] = {
            "needed": sorted(baseline.needed),
            "control": sorted(baseline.control),
            "boundary": sorted(baseline.boundary),
        }
    whole: dict[str, object] = {
        "lock-version": VERSION,
        "manifest": lock.manifest,
        "packages": {each.package.purl: _dump_package(each) for each in lock.packages},
        "guards": guards,
    }
    return encoded(whole | {"checksum": checksum_of(whole)})


def _dump_package(locked: LockedPackage) -> dict[str, object]:
    return {
        "ecosystem": locked.package.ecosystem,
        "name": locked.package.name,
        "version": locked.package.version,
        **({"file": locked.package.file} if locked.package.file else {}),
        **({"vendored": vendored.dump(of)} if (of := locked.package.vendored) else {}),
        "integrity": locked.integrity,
        **({"leave-alone": list(locked.leave_alone)} if locked.leave_alone else {}),
        "patches": {
            str(patch.name): {
                "sha256": patch.sha256,
                "files": {
                    path: {
                        "before": _dump_identity(change.before),
                        "after": _dump_identity(change.after),
                    }
                    for path, change in patch.files.items()
                },
            }
            for patch in locked.patches
        },
    }


def _dump_identity(identity: Identity | None) -> dict[str, str] | None:
    if identity is None:
        return None
    return {"blob": identity.blob, "mode": identity.mode.value}
