"""The smallest manifest that patch files call for, for someone who has none yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from patchtool import plain_file
from patchtool.package import Package
from patchtool.project.patch_name import PatchName

# Paths as patch-package writes them, and paths of any kind.
_IN_MODULES = re.compile(rb"(?m)^(?:---|\+\+\+|diff --git) .*\bnode_modules/")
_PATHS = re.compile(rb"(?m)^(?:---|\+\+\+) [ab]/")


def starter(names: Iterable[PatchName], directory: Path) -> str:
    """A patches.toml with one fix for each package that is patched; it can be read as it is."""
    packages = dict.fromkeys(
        name.npm_release if is_of_npm(directory / str(name)) else _python_release(name)
        for name in names
    )
    return "\n".join(
        f"""[[fix]]
name = "{package.name.removeprefix("@").replace("/", "-")}-{package.version}"
summary = "say what is broken in {package}"
delete-when = "say what a release must do for the patch to go"
[[fix.pin]]
packages = ["{package.purl}"]
"""
        for package in packages
    )


def is_of_npm(patch: Path) -> bool:
    """Whether a patch file seems to be for an npm package: by its paths, or if it has none."""
    try:
        data = plain_file.read(patch)
    except OSError:
        return True
    return bool(_IN_MODULES.search(data)) or not _PATHS.search(data)


def _python_release(name: PatchName) -> Package:
    return Package(ecosystem="pypi", name=name.package, version=name.version)
