"""Packages that are part of the project: a directory of it that was copied from an origin.

What is to be done with a registry is left to the ecosystem of the origin.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from patchtool import ecosystems
from patchtool.ecosystems import Copy, Release, Runtime
from patchtool.errors import CannotTell, Problem, UsageError

if TYPE_CHECKING:
    from patchtool.files import File, Files
    from patchtool.package import Package, Vendored
    from patchtool.store import Store


@dataclass(frozen=True, slots=True)
class Directory:
    """The ecosystem of one vendored package: nothing but the project knows where it is."""

    package: Package

    @property
    def vendored(self) -> Vendored:
        """Where the package is and what it was made from."""
        if self.package.vendored is None:
            what = "a package that is part of the project, but nobody says which part"
            remedy = "add a table [fix.pin.vendored.NAME] with path and origin to patches.toml"
            raise UsageError(
                Problem(kind="ecosystem", what=what, subject=str(self.package), remedy=remedy)
            )
        return self.package.vendored

    def installed(
        self,
        root: Path,
        names: Collection[str],
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> dict[str, tuple[Copy, ...]]:
        """The directory, if it is there; `CannotTell` if it leads out of the project.

        A directory does not tell its version: it is taken for the pinned one.
        """
        real_root = Path(os.path.realpath(root))
        directory = Path(os.path.realpath(root / self.vendored.path))
        if not directory.is_dir():
            return dict.fromkeys(names, ())
        if real_root not in directory.parents:
            what = "is a link that leads out of the project"
            raise CannotTell(
                Problem(
                    kind="linked", what=what, subject=str(self.package), path=self.vendored.path
                )
            )
        copy = Copy(name=self.package.name, version=self.package.version, directory=directory)
        return dict.fromkeys(names, (copy,))

    def may_be_absent(
        self,
        root: Path,  # noqa: ARG002
        name: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> str | None:
        """None: every clone of a project has all its parts."""
        return None

    def install_command(
        self,
        package: Package,  # noqa: ARG002
        root: Path,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
        copy: Copy | None = None,  # noqa: ARG002
    ) -> str:
        """The command that brings the directory back as it was committed."""
        return f"git checkout HEAD -- {shlex.quote(self.vendored.path)}"

    def companions(self, copy: Copy, changes: Files) -> Files:  # noqa: ARG002
        """Nothing: nobody keeps an account of the files."""
        return {}

    def path_in_package(self, patch_path: str, name: str) -> str | None:  # noqa: ARG002
        """A path of a patch, which starts at the root as in `git diff`, as one in the directory."""
        start = f"{self.vendored.path}/"
        return patch_path[len(start) :] if patch_path.startswith(start) else None

    def integrity(self, package: Package, store: Store) -> str:  # noqa: ARG002
        """The integrity of the origin; of an archive, the sha256 of what is there now."""
        release = self.vendored.release
        if release is not None:
            return ecosystems.of(release).integrity(release, store)
        from patchtool.ecosystems.directory.archive import integrity

        return integrity(self.vendored.origin, str(self.package), store)

    def artefact(
        self,
        package: Package,  # noqa: ARG002
        integrity: str,
        store: Store,
    ) -> Mapping[str, File]:
        """The origin's files that belong into the directory, by their paths in it."""
        from patchtool.ecosystems.directory.archive import files
        from patchtool.ecosystems.directory.differences import without

        release = self.vendored.release
        found = without(
            files(self.vendored.origin, integrity, str(self.package), store)
            if release is None
            else ecosystems.of(release).artefact(release, integrity, store),
            self.vendored,
        )
        if not found:
            what = "nothing of the origin is left to be vendored"
            raise CannotTell(
                Problem(
                    kind="artefact",
                    what=what,
                    subject=str(self.package),
                    path=self.vendored.origin_path or None,
                    expected=f"files of {self.vendored.origin}",
                )
            )
        return found

    def releases(self, name: str, store: Store) -> tuple[Release, ...]:
        """The releases of the origin; `CannotTell` if that is an archive, which has none."""
        release = self.vendored.release
        if release is not None:
            return ecosystems.of(release).releases(release.name, store)
        what = "comes from an archive, and nobody lists other releases of it"
        raise CannotTell(Problem(kind="no-release", what=what, subject=name))

    def lay_out(self, packages: Sequence[Package], store: Store) -> Path:
        """Each package's files as the origin has them, in a directory of the package's name.

        What they need is not laid out: a vendored package runs inside its project.
        """
        from patchtool import stack

        origins = {}
        for package in packages:
            origin = Directory(package)
            origins[package] = (origin, origin.integrity(package, store))
        lock = json.dumps(
            [[each.purl, it[1], asdict(it[0].vendored)] for each, it in origins.items()]
        ).encode()
        done = stack.find(lock, store)
        if done:
            return done
        with store.cache.scratch() as scratch:
            made = scratch / "stack"
            made.mkdir()
            for package, (origin, integrity) in origins.items():
                files = origin.artefact(package, integrity, store)
                stack.change(made, {self.package_directory(made, package.name): files})
            return stack.publish(made, lock, store)

    def package_directory(self, stack: Path, name: str) -> Path:
        """Where the package stands in a laid-out stack."""
        return stack / name

    def runtime(self, store: Store) -> Runtime:
        """What the origin's ecosystem runs with; for an archive, what a Python package does."""
        release = self.vendored.release
        if release is not None:
            return ecosystems.of(release).runtime(store)
        from patchtool.ecosystems.pypi.layout import runtime

        return runtime(store)

    def differences(
        self, root: Path, expected: Mapping[str, File], environment: Mapping[str, str]
    ) -> tuple[Problem, ...]:
        """Everything in the directory that is neither `expected` nor declared."""
        from patchtool.ecosystems.directory.differences import differences
        from patchtool.ecosystems.directory.working_tree import read_files

        tree = read_files(root / self.vendored.path, environment)
        return differences(expected, tree, self.vendored, subject=str(self.package))
