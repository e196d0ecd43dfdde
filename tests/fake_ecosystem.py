"""An ecosystem in memory, for what only asks which releases there are and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar

from patchtool.ecosystems import Copy, Release
from patchtool.errors import CannotTell, Problem
from patchtool.files import File
from patchtool.package import Package


class NoStore:
    """A store that keeps nothing, of a process without variables."""

    environment: ClassVar[dict[str, str]] = {}

    def once(self, _key: str, make: Callable[[], Any]) -> Any:
        """What `make` gives, made each time."""
        return make()


NO_STORE: Any = NoStore()


class FakeEcosystem:
    """Releases with their files and dependencies, and copies that are said to be installed."""

    def __init__(self) -> None:
        self.published: dict[str, dict[str, Release]] = {}
        self.files: dict[str, Mapping[str, File]] = {}
        self.copies: dict[str, tuple[Copy, ...]] = {}

    def publish(
        self,
        name: str,
        version: str,
        files: Mapping[str, File] | None = None,
        *,
        dependencies: Mapping[str, str] | None = None,
        deprecated: str | None = None,
    ) -> Package:
        """Put a release on the registry."""
        release = Release(version=version, dependencies=dependencies or {}, deprecated=deprecated)
        self.published.setdefault(name, {})[version] = release
        self.files[f"{name}@{version}"] = files or {}
        return Package(ecosystem="npm", name=name, version=version)

    def install(self, name: str, *versions: str) -> None:
        """Say that these versions are installed."""
        self.copies[name] = tuple(
            Copy(name=name, version=version, directory=Path("/nowhere", version))
            for version in versions
        )

    def installed(
        self, _root: Path, names: Collection[str], _environment: Mapping[str, str]
    ) -> Mapping[str, tuple[Copy, ...]]:
        """What `install` said."""
        return {name: self.copies.get(name, ()) for name in names}

    def releases(self, name: str, _store: object) -> tuple[Release, ...]:
        """The releases in the order of their publication."""
        if name not in self.published:
            raise CannotTell(Problem(kind="network", what="no network", subject=name))
        return tuple(self.published[name].values())

    def integrity(self, package: Package, _store: object) -> str:
        """A word that `artefact` knows again."""
        return f"registry's {package}"

    def artefact(self, package: Package, integrity: str, _store: object) -> Mapping[str, File]:
        """The files, if the integrity is the one that was asked for."""
        if integrity != f"registry's {package}":
            raise CannotTell(Problem(kind="integrity", what=integrity, subject=str(package)))
        return self.files[str(package)]

    def install_command(self, package: Package, _root: Path, _environment: object) -> str:
        """A command that names the release."""
        return f"install {package}"

    def path_in_package(self, patch_path: str, name: str) -> str | None:
        """As npm does."""
        prefix = f"node_modules/{name}/"
        return patch_path.removeprefix(prefix) if patch_path.startswith(prefix) else None
