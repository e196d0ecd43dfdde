"""Builds what is measured: real packages as npm installs them, and a patch of each.

`packages.json` names 200 packages without dependencies, so that an install is nearly the same
every time. Patches are made by git from two edits of each package's largest module.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Failed
from patchtool.files import File
from patchtool.package import Package
from patchtool.pristine import put_on
from patchtool.project import Lock, LockedPackage
from patchtool.project import lock as locks
from patchtool.project.load import bare, load

PATCH_PACKAGE = "8.0.1"
PACKAGES = Path(__file__).with_name("packages.json")

# A module that git takes for text and that has room for two hunks; larger ones are bundles.
_SMALLEST, _LARGEST, _LINES = 400, 256 * 1024, 12
_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One file of one package, before and after its patch."""

    package: Package
    integrity: str
    path: str
    pristine: bytes
    patched: bytes
    patch: bytes

    @property
    def place(self) -> str:
        """The file's path in the project."""
        return f"node_modules/{self.package.name}/{self.path}"

    @property
    def patch_name(self) -> str:
        """The patch file's name."""
        return f"{self.package.name.replace('/', '+')}+{self.package.version}.patch"


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A project with all packages installed and some of them patched."""

    root: Path
    edits: Sequence[Edit]

    @property
    def patches(self) -> list[Path]:
        """The patch files."""
        return [self.root / "patches" / edit.patch_name for edit in self.edits]

    @property
    def whole(self) -> Path:
        """All patches in one file, for a tool that takes one."""
        return self.root / "all.patch"

    def reset(self, *, patched: bool) -> None:
        """Let every touched file be pristine or patched, in a new file as an install makes it."""
        for edit in self.edits:
            path = self.root / edit.place
            path.unlink(missing_ok=True)
            path.write_bytes(edit.patched if patched else edit.pristine)
        os.sync()  # nobody shall wait for what the reset has written

    def check(self, who: str) -> None:
        """Raise `Failed` unless every touched file is patched, byte for byte."""
        for edit in self.edits:
            if (self.root / edit.place).read_bytes() != edit.patched:
                raise Failed(f"{who} has left {edit.place} otherwise than patched")


def packages() -> dict[str, str]:
    """The packages to install: name to exact version."""
    found: dict[str, str] = json.loads(PACKAGES.read_text(encoding="utf-8"))["dependencies"]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What npm has installed: the packages to patch, and patch-package somewhere else.

    Its dependencies must not be among what is patched: the patches are not made to run.
    """

    packages: Path
    patch_package: Path


def install(cache: Path) -> Installed:
    """Install everything, once."""
    packages, tools = cache / "packages", cache / "tools"
    _install(packages, PACKAGES.read_bytes())
    needs = {"private": True, "dependencies": {"patch-package": PATCH_PACKAGE}}
    _install(tools, json.dumps(needs).encode())
    return Installed(packages=packages, patch_package=tools / "node_modules" / "patch-package")


def _install(place: Path, manifest: bytes) -> None:
    done = place / "node_modules" / ".package-lock.json"
    if done.exists() and (place / "package.json").read_bytes() == manifest:
        return
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "package.json").write_bytes(manifest)
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"]
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL, timeout=600)


def spread(edits: Sequence[Edit], count: int) -> list[Edit]:
    """So many of the edits, taken evenly."""
    return list(edits[:: len(edits) // count][:count])


def edits(place: Path, work: Path) -> list[Edit]:
    """An edit of every package, with the patch that git makes of it."""
    recorded = json.loads((place / "node_modules" / ".package-lock.json").read_bytes())["packages"]
    before: dict[str, bytes] = {}
    for name in packages():
        path = f"node_modules/{name}/{_largest_module(place / 'node_modules' / name)}"
        before[path] = (place / path).read_bytes()
    after = {
        path: b"".join(edited(data.splitlines(keepends=True))) for path, data in before.items()
    }
    patches = _diff(before, after, work)
    return [
        Edit(
            package=Package(ecosystem="npm", name=name, version=version),
            integrity=recorded[f"node_modules/{name}"]["integrity"],
            path=full.removeprefix(f"node_modules/{name}/"),
            pristine=before[full],
            patched=after[full],
            patch=patches[full],
        )
        for (name, version), full in zip(packages().items(), before, strict=True)
    ]


def _largest_module(directory: Path) -> str:
    fitting = [
        (path.stat().st_size, path.relative_to(directory).as_posix())
        for path in directory.rglob("*.*js")
        if path.is_file() and _is_fitting(path.read_bytes())
    ]
    return max(fitting)[1]


def _is_fitting(data: bytes) -> bool:
    return (
        _SMALLEST <= len(data) <= _LARGEST
        and data.count(b"\n") >= _LINES
        and not any(byte in data for byte in (b"\r", b"\0"))
    )


def edited(lines: Sequence[bytes]) -> list[bytes]:
    """The lines with one changed at a quarter and one added at three quarters."""
    result, quarter = list(lines), len(lines) // 4
    result[quarter] = b"// was: " + lines[quarter].strip()[:80] + b" //\n"
    result.insert(3 * quarter, b"// added by the patch\n")
    return result


def _diff(before: Mapping[str, bytes], after: Mapping[str, bytes], work: Path) -> dict[str, bytes]:
    """What `git diff` says of each file."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    git("init", "-q", directory=work)
    write(work, before)
    git("add", "-f", ".", directory=work)
    write(work, after)
    sections = _SECTION.split(git("diff", "--no-renames", directory=work))[1:]
    shutil.rmtree(work)
    return dict(zip(sorted(before), sections, strict=True))


def git(*arguments: str, directory: Path) -> bytes:
    """What git prints, untouched by anybody's configuration."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "LC_ALL": "C"}
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.check_output(command, cwd=directory, env=environment, timeout=120)


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a directory."""
    for path, data in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)


def app(root: Path, installed: Installed, chosen: Sequence[Edit], lock: bool) -> App:
    """Lay out a project in `root`: everything installed, the chosen edits as patches."""
    root.mkdir(parents=True)
    shutil.copytree(installed.packages / "node_modules", root / "node_modules", symlinks=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(installed.packages / name, root)
    program = root / "node_modules" / ".bin" / "patch-package"  # what npx looks for
    program.parent.mkdir(exist_ok=True)
    program.symlink_to(installed.patch_package / "index.js")
    write(root, {f"patches/{edit.patch_name}": edit.patch for edit in chosen})
    write(root, {"all.patch": b"".join(edit.patch for edit in chosen)})
    if lock:
        _write_lock(root, chosen)
    return App(root=root, edits=tuple(chosen))


def _write_lock(root: Path, chosen: Sequence[Edit]) -> None:
    """A manifest with one pin of all packages, and the lock that belongs to it."""
    purls = [edit.package.purl for edit in chosen]
    (root / "patches" / "patches.toml").write_text(
        '[[fix]]\nname = "measured"\nsummary = "two edits"\ndelete-when = "never"\n'
        f"[[fix.pin]]\npackages = {json.dumps(purls)}\n",
        encoding="utf-8",
    )
    files = {file.package: file for file in bare(root / "patches")}
    lock = Lock(
        manifest=load(root).digest,
        packages=tuple(
            LockedPackage(
                package=edit.package,
                integrity=edit.integrity,
                patches=tuple(
                    step.locked
                    for step in put_on([files[edit.package]], {edit.path: File(data=edit.pristine)})
                ),
            )
            for edit in chosen
        ),
        guards={},
    )
    (root / "patches" / locks.NAME).write_bytes(locks.dump(lock))
