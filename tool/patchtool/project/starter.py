"""The smallest manifest that patch files call for, for someone who has none yet."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from patchtool import plain_file
from patchtool.package import Package
from patchtool.project.patch_name import PatchName
from patchtool.values import replace

# Paths as patch-package writes them, and paths of any kind.
_IN_MODULES = re.compile(rb"(?m)^(?:---|\+\+\+|diff --git) .*\bnode_modules/")
_PATHS = re.compile(rb"(?m)^(?:---|\+\+\+) [ab]/")


def start_command(names: Iterable[PatchName], path: Path) -> str:
    """The command that writes a first manifest to `path`, beside patch files of these names.

    It renames those for Python packages that are named otherwise than a manifest can name them.
    """
    directory, moves = path.parent, ""
    for name in names:
        renamed = replace(name, packages=(*name.packages[:-1], _canonical(name.package)))
        if renamed != name and not is_of_npm(directory / str(name)):
            old, new = (shlex.quote(str(directory / str(each))) for each in (name, renamed))
            moves += f"mv -i -- {old} {new} && "
    return f"{moves}cat > {shlex.quote(str(path))} <<'END'\n{starter(names, directory)}END"


def starter(names: Iterable[PatchName], directory: Path) -> str:
    """A patches.toml with one fix for each package that is patched; it can be read as it is."""
    packages = dict.fromkeys(
        name.npm_release if is_of_npm(directory / str(name)) else _python_release(name)
        for name in names
    )
    return "\n".join(
        f"""[[fix]]
name = "{_fix_name(package)}"
summary = "say what is broken in {package}"
delete-when = "say what a release must do for the patch to go"
[[fix.pin]]
packages = ["{package.purl}"]
"""
        for package in packages
    )


def _fix_name(package: Package) -> str:
    """The release in the letters that the name of a fix may have."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", f"{package.name}-{package.version}").lstrip("-._")


def is_of_npm(patch: Path) -> bool:
    """Whether a patch file seems to be for an npm package: by its paths, or if it has none."""
    try:
        data = plain_file.read(patch)
    except OSError:
        return True
    return bool(_IN_MODULES.search(data)) or not _PATHS.search(data)


def _python_release(name: PatchName) -> Package:
    return Package(ecosystem="pypi", name=_canonical(name.package), version=name.version)


def _canonical(name: str) -> str:
    """The one spelling of a Python package's name that a package URL may have (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
