"""Which hunks of a pin's patches a release already has, by a reverse match of each hunk alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchtool import diff
from patchtool.patch_file import parse_patch
from patchtool.pristine import pristine_files
from patchtool.project.patch_bytes import read_bytes

if TYPE_CHECKING:
    from patchtool.package import Package
    from patchtool.project import PatchFile
    from patchtool.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """One patched file of a release: how many of the patch's hunks for it are in already."""

    patch: str
    path: str
    adopted: int
    hunks: int


def adopted_hunks(
    patches: Sequence[PatchFile], packages: Sequence[Package], store: Store
) -> tuple[Adopted, ...]:
    """Count, for each file the patches change, the hunks that these releases already have.

    Raises `CannotTell`, and `PatchError` for a patch that cannot be read.
    """
    releases = {package.name: package for package in packages}
    found = []
    for file in patches:
        files = pristine_files(releases[file.name.package], None, store)
        for section in parse_patch(read_bytes(file), file).sections:
            target = files.get(section.new_path)
            if section.hunks:
                adopted = sum(
                    target is not None and diff.hunk_is_in(hunk, target.data)
                    for hunk in section.hunks
                )
                found.append(
                    Adopted(
                        patch=str(file.name),
                        path=section.new_path,
                        adopted=adopted,
                        hunks=len(section.hunks),
                    )
                )
    return tuple(found)
