"""The ecosystems, listed in a dict. Each is one module with the same few functions.

Nothing outside this package says "npm" or "pypi" to decide what to do: it asks `of(package)`.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from patchtool.errors import Problem, UsageError
from patchtool.values import TYPE_CHECKING, dataclass, field

if TYPE_CHECKING:
    from typing import Any, Protocol

    from patchtool.files import File, Files
    from patchtool.package import Package
    from patchtool.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One installed copy of a package: its name, its version, and the real directory it is in.

    Paths inside the package start at that directory; packages may share one. `linked` says that
    a link leads to it out of the project: it belongs to somebody else, and nobody may change it.
    """

    name: str
    version: str
    directory: Path
    linked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One published release: what it depends on (name to range), and why not to use it, if so."""

    version: str
    dependencies: Mapping[str, str] = field(default_factory=dict)
    prerelease: bool = False
    deprecated: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What a guard runs with: what identifies it, for results that are kept, and its variables."""

    identity: str
    environment: Mapping[str, str]


if TYPE_CHECKING:

    class Ecosystem(Protocol):
        """What each module in this package offers. Errors: `CannotTell` unless said otherwise."""

        def installed(
            self, root: Path, names: Collection[str], environment: Mapping[str, str]
        ) -> Mapping[str, tuple[Copy, ...]]:
            """Every copy of each of `names` that the project in `root` uses, sorted by directory.

            All names at once, because finding one costs as much as finding them all. A name with
            no copy has an empty tuple.
            """

        def may_be_absent(
            self, root: Path, name: str, environment: Mapping[str, str]
        ) -> str | None:
            """Why `name` may be missing under `root` (an install mode), or None if it may not.

            `CannotTell` if packages are installed there in a way that cannot be patched.
            """

        def install_command(
            self,
            package: Package,
            root: Path,
            environment: Mapping[str, str],
            copy: Copy | None = None,
        ) -> str:
            """The command with which a person installs exactly this release, in place of `copy`.

            It installs where `installed` will find it.
            """

        def companions(self, copy: Copy, changes: Files) -> Files:
            """What else must change along with files of a copy, such as a list of their hashes."""

        def path_in_package(self, patch_path: str, name: str) -> str | None:
            """A path of a patch file as a path inside the package; None if it lies outside."""

        def integrity(self, package: Package, store: Store) -> str:
            """The registry's integrity of the release, as `sha512-<base64>` or `sha256-<hex>`."""

        def artefact(self, package: Package, integrity: str, store: Store) -> Mapping[str, File]:
            """The release's files, fetched, checked against `integrity`, unpacked in memory."""

        def releases(self, name: str, store: Store) -> tuple[Release, ...]:
            """Every published release of `name`, oldest version first."""

        def lay_out(self, packages: Sequence[Package], store: Store) -> Path:
            """Install exactly `packages` and all they need, once; a directory nobody may change."""

        def differences(
            self, root: Path, expected: Mapping[str, File], environment: Mapping[str, str]
        ) -> tuple[Problem, ...]:
            """How a copy that is part of the project differs from `expected`, its whole content."""

        def runtime(self, store: Store) -> Runtime:
            """The programs that run code of this ecosystem, and the variables that find them."""

        def package_directory(self, stack: Path, name: str) -> Path:
            """Where the package stands in a laid-out stack."""


def no_differences(
    root: Path,  # noqa: ARG001
    expected: Mapping[str, File],  # noqa: ARG001
    environment: Mapping[str, str],  # noqa: ARG001
) -> tuple[Problem, ...]:
    """The `differences` of packages that are installed, and so are no part of the project."""
    return ()


# What is part of a project has a module like the others, but it must know which part.
_VENDORED = "generic"
_MODULES = {
    _VENDORED: "patchtool.ecosystems.directory",
    "npm": "patchtool.ecosystems.npm",
    "pypi": "patchtool.ecosystems.pypi",
}


def of(package: Package) -> Ecosystem:
    """The ecosystem of a package; `UsageError` names those there are."""
    kind = package.ecosystem
    if kind not in _MODULES:
        raise UsageError(
            Problem(
                kind="ecosystem",
                what="unknown kind of package",
                subject=str(package),
                expected=" or ".join(sorted(_MODULES)),
                found=kind,
            )
        )
    module: Any = importlib.import_module(_MODULES[kind])
    found: Ecosystem = module.Directory(package) if kind == _VENDORED else module
    return found
