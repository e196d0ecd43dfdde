"""Checks a manifest across its fixes: names, releases and patch files that must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from patchtool.package import Package
    from patchtool.project.model import Fix
    from patchtool.project.patch_name import PatchName
    from patchtool.project.reader import Source


def check(source: Source, fixes: tuple[Fix, ...], patches: tuple[PatchName, ...]) -> None:
    """Raise the first error there is; `patches` are all the patch files of the directory."""
    _check_names(source, fixes)
    _check_pinned_once(source, fixes)
    _check_all_pinned(source, fixes, patches)
    _check_left_alone(source, fixes)


def _check_names(source: Source, fixes: tuple[Fix, ...]) -> None:
    first: dict[str, int] = {}
    for number, fix in enumerate(fixes):
        if first.setdefault(fix.name, number) != number:
            raise source.error(
                "a second fix of this name",
                key=f"fix[{number}].name",
                expected=f"a name other than that of fix[{first[fix.name]}]",
                found=repr(fix.name),
            )


def _check_pinned_once(source: Source, fixes: tuple[Fix, ...]) -> None:
    """Check that a release which leads or is patched stands in one pin alone.

    Else it would be open which fix a patch belongs to. Pins may share a consumer without patch.
    """
    first: dict[Package, str] = {}
    patched = {file.package for fix in fixes for file in fix.patches}
    leads = {pin.lead for fix in fixes for pin in fix.pins}
    for key, package in _pinned(fixes):
        if package in first and package in patched | leads:
            raise source.error(
                "pinned twice",
                key=key,
                expected=f"{package} only once, as in {first[package]}",
                found=str(package),
            )
        first.setdefault(package, key)


def _pinned(fixes: tuple[Fix, ...]) -> Iterator[tuple[str, Package]]:
    """Every pinned release, with its key path."""
    for fix_number, fix in enumerate(fixes):
        for pin_number, pin in enumerate(fix.pins):
            for number, package in enumerate(pin.packages):
                yield f"fix[{fix_number}].pin[{pin_number}].packages[{number}]", package


def _check_all_pinned(
    source: Source, fixes: tuple[Fix, ...], patches: tuple[PatchName, ...]
) -> None:
    pinned = {file.name for fix in fixes for file in fix.patches}
    for name in patches:
        if name not in pinned:
            raise source.error(
                "a patch file whose package is not pinned",
                key="fix",
                expected=f"{name.package}@{name.version} in the packages of a pin",
                found=str(name),
            )


def _check_left_alone(source: Source, fixes: tuple[Fix, ...]) -> None:
    """Check that no version is to be left alone that has a patch, be it in another pin."""
    patches = {
        (file.package.name, file.package.version): file.name
        for fix in fixes
        for file in fix.patches
    }
    for key, package in _left_alone(fixes):
        if name := patches.get(package):
            raise source.error(
                "a version that has a patch cannot be left alone",
                key=key,
                expected="a version without a patch",
                found=str(name),
            )


def _left_alone(fixes: tuple[Fix, ...]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Every name and version that may be left alone, with its key path."""
    for fix_number, fix in enumerate(fixes):
        for pin_number, pin in enumerate(fix.pins):
            names = {file.package.name for file in pin.patches}
            for number, version in enumerate(pin.leave_alone):
                key = f"fix[{fix_number}].pin[{pin_number}].leave-alone[{number}]"
                yield from ((key, (name, version)) for name in sorted(names))
