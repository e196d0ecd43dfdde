"""The bytes of a lock: how it is written, and the checksums that stand in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256


def checksum_of(whole: Mapping[str, object]) -> str:
    """Of all the rest: so that no change by hand, or by a merge, is taken for what was recorded."""
    rest = {key: value for key, value in whole.items() if key != "checksum"}
    # In one line, which is far quicker: `apply` computes this at every install.
    return sha256(json.dumps(rest, sort_keys=True).encode("ascii")).hexdigest()


def manifest_checksum(manifest: bytes) -> str:
    """The SHA-256 of a manifest, in hex: with LF, as TOML has no other line ends to tell apart.

    Those in the file may be another's doing: git's autocrlf changes them on the way out.
    """
    return sha256(with_lf(manifest)).hexdigest()


def with_lf(data: bytes) -> bytes:
    """The bytes with LF for each CRLF."""
    return data.replace(b"\r\n", b"\n")


def encoded(whole: Mapping[str, object]) -> bytes:
    """A lock's bytes: JSON, in one order."""
    return json.dumps(whole, sort_keys=True, indent=2).encode("ascii") + b"\n"
