"""Reads the addresses that npm, pnpm, yarn and bun write for a package, and names its source."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from patchtool.lockfiles.resolution import Source

_GIT = re.compile(
    r"git(\+\w+)?:|git@|ssh:|(github|gitlab|bitbucket|gist):|https?://[^#]*\.git(#|$)"
)
_FILE = re.compile(r"file:|\.{0,2}/|[A-Za-z]:[\\/]")
_LINK = re.compile(r"(link|portal):")
_WORKSPACE = re.compile(r"workspace:")
_INTEGRITY = re.compile(r"(md5|sha\d+)-[A-Za-z0-9+/]+=*")
_RELEASE = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")


def source_of(address: str, *, name: str, version: str, checked: bool) -> Source:
    """The source of `name` that a lockfile takes from `address`; an empty one is the registry's.

    Lockfiles name the registry's own archives by address, and no list of hosts tells them from
    others: people have mirrors. The rule: an address is the registry's when its path ends in
    `/<name>/-/<base>-<version>.tgz`, where `<base>` is the name with or without its scope, and
    the lockfile has a checksum of the content (`checked`). Any other http address is a tarball.
    """
    for pattern, source in (
        (_GIT, Source.GIT),
        (_FILE, Source.FILE),
        (_LINK, Source.LINK),
        (_WORKSPACE, Source.WORKSPACE),
    ):
        if pattern.match(address):
            return source
    path = unquote(urlsplit(address).path) if address else ""
    ends = (f"/{name}/-/{base}-{version}.tgz" for base in (name, name.rpartition("/")[2]))
    if not address or (checked and any(path.endswith(end) for end in ends)):
        return Source.REGISTRY
    return Source.TARBALL


def split(text: str) -> tuple[str, str]:
    """`name@rest` as its two parts; the name may have a scope. No rest: an empty one."""
    at = text.find("@", 1)
    return (text, "") if at < 0 else (text[:at], text[at + 1 :])


def is_release(text: str) -> bool:
    """Whether a text is one exact version, as npm writes it."""
    return _RELEASE.fullmatch(text) is not None


def integrities(text: str) -> tuple[str, ...]:
    """Every `<algorithm>-<base64>` of an `integrity` field, which may hold several."""
    return tuple(part for part in text.split() if _INTEGRITY.fullmatch(part))
