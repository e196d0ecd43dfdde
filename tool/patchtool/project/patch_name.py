"""The names of patch files, as patch-package writes them: read, written, put in order.

Owns what a file name means. Reads no patch and no manifest, and imports nothing heavy: `apply`
starts with this module.

    name+1.2.3.patch                a package
    @scope+name+1.2.3.patch         a package in a scope
    a++@scope+b+1.2.3.patch         the copy of @scope/b that is installed inside a
    name+1.2.3+001+what.patch       the first of several patches of one package
    name+1.2.3.dev.patch            of a package that only development installs

A `+` behind the version always starts a sequence number, so a version with a build part
(`1.0.0+build`) has no file name. npm drops that part from the versions it publishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from patchtool.errors import Problem, UsageError
from patchtool.package import Package
from patchtool.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLE = "name+1.2.3.patch or @scope+name+1.2.3.patch"

_PART = r"[A-Za-z0-9_~][A-Za-z0-9._~-]*"
_NAME = rf"(?:@{_PART}/)?{_PART}"
_VERSION = r"[0-9][A-Za-z0-9.!-]*"
_NUMBER = r"(?!000)(?:[0-9]{3}|[1-9][0-9]{3,8})"
_LABEL = r"[^+/\\]+"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchName:
    """What the name of a patch file says; `str()` gives the file name back.

    `packages` are the names from the outermost package to the patched one: `("a", "@scope/b")`
    is the copy of `@scope/b` that is installed inside `a`. `sequence` counts from 1, or is None
    for the only patch of a package; `label` is free text behind it.
    """

    packages: tuple[str, ...]
    version: str
    sequence: int | None = None
    label: str | None = None
    dev: bool = False

    @property
    def package(self) -> str:
        """The name of the package that is patched."""
        return self.packages[-1]

    @property
    def npm_release(self) -> Package:
        """The release that is patched, as patch-package means it: one from npm."""
        return Package(ecosystem="npm", name=self.package, version=self.version)

    @property
    def order(self) -> tuple[tuple[str, ...], str, int]:
        """A sort key: the patches of one copy stand together, in order of their sequence."""
        return self.packages, self.version, self.sequence or 0

    def __str__(self) -> str:
        parts = ["++".join(name.replace("/", "+") for name in self.packages), self.version]
        if self.sequence is not None:
            parts.append(f"{self.sequence:03}")
        if self.label is not None:
            parts.append(self.label)
        return "+".join(parts) + (".dev.patch" if self.dev else ".patch")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchFile:
    """A patch file that is there: what its name says, where it is, the release it is made for."""

    name: PatchName
    path: Path
    package: Package


def is_name(text: str) -> bool:
    """Whether `text` can be a package's name in the name of a patch file."""
    return re.fullmatch(_NAME, text) is not None


def is_version(text: str) -> bool:
    """Whether `text` can be an exact version in the name of a patch file."""
    return re.fullmatch(_VERSION, text) is not None


def parse(file_name: str) -> PatchName:
    """Read the name of a patch file; `UsageError` says what was expected of any other.

    `str(parse(name)) == name` holds for every name that is read.
    """
    stem = file_name.removesuffix(".patch")
    if stem == file_name or "/" in file_name:
        raise _bad(file_name, "a file name that ends in .patch", file_name)
    dev = stem.endswith(".dev")
    *outer, last = stem.removesuffix(".dev").split("++")
    parts = last.split("+")
    name_parts = 2 if last.startswith("@") else 1
    packages = tuple(part.replace("+", "/", 1) for part in (*outer, "+".join(parts[:name_parts])))
    for package in packages:
        if not is_name(package):
            raise _bad(file_name, "a package name", package)
    version, *rest = parts[name_parts:] or [""]
    if not is_version(version):
        raise _bad(file_name, f"a version behind {packages[-1]}", version)
    number, label = _sequence(file_name, rest)
    return PatchName(packages=packages, version=version, sequence=number, label=label, dev=dev)


def _sequence(file_name: str, parts: list[str]) -> tuple[int | None, str | None]:
    """The sequence number and the label in the parts behind the version."""
    if not parts:
        return None, None
    number, *labels = parts
    if not re.fullmatch(_NUMBER, number):
        raise _bad(file_name, "a sequence number of three digits, from 001", number)
    if not labels:
        return int(number), None
    label = "+".join(labels)
    if not (re.fullmatch(_LABEL, label) and label.isprintable()):
        raise _bad(file_name, "a label without +, / and control characters", label)
    return int(number), label


def _bad(file_name: str, expected: str, found: str) -> UsageError:
    return UsageError(
        Problem(
            kind="patch-name",
            what="not the name of a patch",
            subject=file_name,
            expected=f"{expected}, as in {_EXAMPLE}",
            found=repr(found),
        )
    )


def in_order(names: Iterable[PatchName]) -> tuple[PatchName, ...]:
    """Sort the names; the patches of one copy of a package come in order of their sequence.

    A copy has one patch without a number, or the numbers 1, 2, 3, ... without gap or duplicate;
    anything else is a `UsageError`.
    """
    ordered = tuple(sorted(names, key=lambda name: (name.order, str(name))))
    for _, group in groupby(ordered, key=lambda name: name.order[:2]):
        copy = tuple(group)
        numbers = [name.sequence for name in copy]
        if numbers not in ([None], [*range(1, len(copy) + 1)]):
            raise UsageError(
                Problem(
                    kind="patch-name",
                    what="the patches of one package are not in sequence",
                    subject=f"{copy[0].package}@{copy[0].version}",
                    expected="one patch without a number, or the numbers 001, 002, 003, ... "
                    "without gap or duplicate",
                    found=", ".join(str(name) for name in copy),
                )
            )
    return ordered
