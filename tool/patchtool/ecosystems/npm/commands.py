"""How a person installs a release, in the words of the project's package manager.

They are for messages; nothing here is run.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from patchtool.ecosystems.npm.project_files import MODULES, top_of

if TYPE_CHECKING:
    from patchtool.ecosystems import Copy
    from patchtool.package import Package

_NPM = "npm install --save-exact {package}"
_BUN = ("bun add --exact {package}", "rm -r {copy} && bun install --force")

# By lockfile: what installs exactly a release, and what installs it anew in place of a copy. They
# leave a directory alone that seems to be the right one, whatever is in it: so it goes first. The
# first yarn does not even notice that one is gone, unless all are.
_COMMANDS = {
    "package-lock.json": (_NPM, f"rm -r {{copy}} && {_NPM}"),
    "pnpm-lock.yaml": (
        "pnpm add {workspace}--save-exact {package}",
        "rm -r {copy} && pnpm install --force",
    ),
    "yarn.lock": ("yarn add --exact {package}", "rm -r {modules} && yarn install"),
    "bun.lock": _BUN,
    "bun.lockb": _BUN,
}


def install_command(
    package: Package,
    root: Path,
    environment: Mapping[str, str],  # noqa: ARG001
    copy: Copy | None = None,
) -> str:
    """The command with which a person installs exactly this release, in place of `copy`."""
    top = top_of(root)
    add, replace = _of_the_manager(top)
    return (replace if copy else add).format(
        package=shlex.quote(str(package)),
        copy=shlex.quote(str(copy.directory)) if copy else None,
        modules=shlex.quote(f"{top}/{MODULES}"),
        workspace="--workspace-root " if (root / "pnpm-workspace.yaml").exists() else "",
    )


def install_as_locked(top: str) -> str:
    """The command that installs what the project asks for, and leaves its files as they are."""
    program, _, _ = _of_the_manager(top)[0].partition(" ")
    return f"{program} install"


def _of_the_manager(top: str) -> tuple[str, str]:
    """How the package manager whose lockfile is there adds a release, and replaces a copy."""
    lockfiles = [name for name in _COMMANDS if Path(top, name).exists()]
    return _COMMANDS[lockfiles[0] if lockfiles else "package-lock.json"]
