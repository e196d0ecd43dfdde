"""The smallest manifest that patch files call for, for someone who has none yet."""

from __future__ import annotations

from collections.abc import Iterable

from patchtool.project.patch_name import PatchName


def starter(names: Iterable[PatchName]) -> str:
    """A patches.toml with one fix for each package that is patched; it can be read as it is."""
    packages = dict.fromkeys(name.npm_release for name in names)
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
