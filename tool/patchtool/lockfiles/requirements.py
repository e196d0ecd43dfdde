"""Reads the pinned requirements of requirements.txt and of the files it includes.

The lines are pip's; what a requirement says is read by `packaging`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from patchtool.lockfiles.python_release import integrities, wheel
from patchtool.lockfiles.resolution import Resolved, Source

if TYPE_CHECKING:
    from patchtool.lockfiles.lockfile import Lockfile

_MOST_FILES = 100
_INCLUDE = re.compile(r"(?:-r|-c|--requirement|--constraint)(?:\s+|\s*=\s*|(?<=-[rc]))(.+)")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s+|\s*=\s*)(.+)")
_COMMENT = re.compile(r"(^|\s)#.*")
_OPTION = re.compile(r"\s--?[a-z]")
_HASH = re.compile(r"\s--hash[=\s]\s*(\w+:[0-9a-fA-F]+)")
_EGG = re.compile(r"(?:^|&)egg=([A-Za-z0-9._-]+)")
_GIT = re.compile(r"(git|hg|svn|bzr)\+")
_ADDRESS = re.compile(r"[\w+.-]+:|.*[/\\]|.*\.(whl|zip|tar\.\w+|tgz)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """One logical line: where it starts, and its text without comment or continuation."""

    lockfile: Lockfile
    number: int
    text: str


def read(lockfile: Lockfile, name: str) -> Iterator[Resolved]:
    """Every pin of `name` that the interpreter which runs would get.

    A requirement that leaves the version open says nothing about it and is passed over. A
    constraints file is read like an included one: what it pins is what the project gets if it
    gets the package at all.
    """
    for line in _lines(lockfile):
        if not line.text.startswith("-") or _EDITABLE.match(line.text):
            yield from _resolved(line, name)


def _lines(lockfile: Lockfile) -> Iterator[_Line]:
    """The logical lines of a file and of all it includes, each file once."""
    waiting, seen = [lockfile], {lockfile.path.resolve()}
    while waiting:
        file = waiting.pop()
        for line in _logical(file):
            yield line
            if not (include := _INCLUDE.fullmatch(line.text)):
                continue
            included = _included(line, include[1].strip("'\""))
            if (path := included.path.resolve()) not in seen:
                seen.add(path)
                waiting.append(included)
            if len(seen) > _MOST_FILES:
                raise file.error(
                    "includes too many files",
                    line=line.number,
                    expected=f"at most {_MOST_FILES}",
                )


def _included(line: _Line, target: str) -> Lockfile:
    if "://" in target:
        raise line.lockfile.error(
            "includes a file by its address, which is not fetched",
            line=line.number,
            expected="a path",
            found=target,
        )
    file = line.lockfile
    directory = file.relative.rpartition("/")[0]
    relative = f"{directory}/{target}" if directory else target
    return replace(file, path=file.path.parent / target, relative=relative)


def _logical(lockfile: Lockfile) -> Iterator[_Line]:
    start, text = 0, ""
    for number, line in enumerate([*lockfile.content().split("\n"), ""], start=1):
        start = start or number
        line = line.rstrip("\r")
        comment = line.lstrip().startswith("#")  # as for pip, it ends what was continued
        if line.endswith("\\") and not comment:
            text += line.removesuffix("\\")
            continue
        text += f" {line}" if comment else line
        if text := _COMMENT.sub("", text).strip():
            yield _Line(lockfile=lockfile, number=start, text=text)
        start, text = 0, ""


def _resolved(line: _Line, name: str) -> Iterator[Resolved]:
    editable = _EDITABLE.fullmatch(line.text)
    text = editable[1] if editable else line.text
    required = _OPTION.split(text, maxsplit=1)[0]
    try:
        requirement = Requirement(required)
    except InvalidRequirement as error:
        if not _ADDRESS.match(required):
            raise line.lockfile.error("not a requirement", line=line.number) from error
        own, version, address = _named_by_address(required)
    else:
        if requirement.marker and not requirement.marker.evaluate():
            return
        own, address = canonicalize_name(requirement.name), requirement.url or ""
        version = wheel(address)[1] if address else _pinned(requirement)
    if own == name and (version or address):
        yield Resolved(
            version=version,
            integrity=integrities(_HASH.findall(line.text)),
            source=Source.LINK if editable and not _GIT.match(address) else _source(address),
            lockfile=line.lockfile.name,
            place=f"line {line.number}",
        )


def _named_by_address(address: str) -> tuple[str, str, str]:
    """The name and version that a bare address or path gives away, in `#egg=` or as a wheel."""
    own, version = wheel(address)
    egg = _EGG.search(urlsplit(address).fragment)
    return canonicalize_name(egg[1]) if egg else own, version, address


def _pinned(requirement: Requirement) -> str:
    """The one version that a requirement allows; empty if it allows more."""
    for clause in requirement.specifier:
        if clause.operator in ("==", "===") and not clause.version.endswith(".*"):
            return clause.version
    return ""


def _source(address: str) -> Source:
    if not address:
        return Source.REGISTRY
    if _GIT.match(address):
        return Source.GIT
    return Source.TARBALL if re.match(r"https?:", address) else Source.FILE
