"""Makes apps for tests: packages under node_modules, patches, a manifest, and a lock for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from patch_making import Edit, patch_text
from patchtool.files import File, Mode
from patchtool.package import Package
from patchtool.pristine import PutOn, put_on
from patchtool.project import Lock, LockedPackage
from patchtool.project import lock as locks
from patchtool.project.load import load

# An integrity that nothing has: what is installed is never checked against it.
INTEGRITY = "sha512-" + base64.b64encode(bytes(64)).decode()


class App:
    """A project in `root`, and what is installed in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.patches = root / "patches"
        self.patches.mkdir(parents=True)
        (root / "package.json").write_text("{}")

    def install(
        self, name: str, version: str, files: Mapping[str, File], *, within: str = ""
    ) -> Path:
        """Put a package under node_modules, or under that of another one; its directory."""
        directory = self.root / within / "node_modules" / name
        write(directory, files)
        manifest = {"name": name, "version": version}
        (directory / "package.json").write_text(json.dumps(manifest))
        return directory

    def patch(self, file_name: str, name: str, edits: Mapping[str, Edit]) -> Path:
        """Write a patch of a package, with the paths that patch-package gives it."""
        path = self.patches / file_name
        path.write_bytes(patch_text(dict(edits), f"node_modules/{name}/"))
        return path

    def manifest(self, *fixes: Iterable[str], guard: str = "", pin: str = "") -> None:
        """Write a manifest with a fix of one pin for each list of package URLs.

        `guard` and `pin` are lines in front of each pin, and behind its packages.
        """
        self.patches.joinpath("patches.toml").write_text(
            "".join(
                f'[[fix]]\nname = "fix-{number}"\nsummary = "summary {number}"\n'
                f'delete-when = "upstream has it"\n{guard}'
                f"[[fix.pin]]\npackages = {json.dumps([*packages])}\n{pin}"
                for number, packages in enumerate(fixes, 1)
            )
        )

    def lock(self, pristine: Mapping[str, Mapping[str, File]]) -> None:
        """Write the lock, from the pristine files of each pinned release."""
        project = load(self.root, ignore_lock=True)
        pins = [pin for fix in project.fixes for pin in fix.pins]
        lock = Lock(
            manifest=project.digest,
            packages=tuple(
                _locked(
                    package,
                    put_on(
                        pin.patches_of(package),
                        pristine[str(package)],
                    ),
                    pin.leave_alone,
                )
                for pin in pins
                for package in pin.packages
            ),
            guards={},
        )
        (self.patches / locks.NAME).write_bytes(locks.dump(lock))

    def state(self) -> dict[str, tuple[bytes, int, int, int]]:
        """Every file's bytes, mode, inode and time of change: equal if nothing was written."""
        return {
            path.relative_to(self.root).as_posix(): (
                path.read_bytes(),
                (seen := path.stat()).st_mode,
                seen.st_ino,
                seen.st_mtime_ns,
            )
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def _locked(
    package: Package, steps: Iterable[PutOn], leave_alone: tuple[str, ...]
) -> LockedPackage:
    return LockedPackage(
        package=package,
        integrity=INTEGRITY,
        patches=tuple(step.locked for step in steps),
        leave_alone=leave_alone,
    )


def write(directory: Path, files: Mapping[str, File]) -> None:
    """Write files below a directory."""
    for path, each in files.items():
        full = directory / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(each.data)
        full.chmod(0o755 if each.mode is Mode.EXECUTABLE else 0o644)
