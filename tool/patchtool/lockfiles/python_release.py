"""What the lockfiles of Python's tools have in common: hashes, markers, names of archives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from packaging.markers import InvalidMarker, Marker
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

if TYPE_CHECKING:
    from patchtool.project.reader import Value


def integrities(hashes: Iterable[str]) -> tuple[str, ...]:
    """Each `sha256:<hex>` as `sha256-<hex>`."""
    return tuple(text.replace(":", "-", 1) for text in hashes)


def holds(marker: Value) -> bool:
    """Whether an environment marker is true for the interpreter that runs."""
    try:
        return Marker(marker.string()).evaluate()
    except InvalidMarker as error:
        raise marker.error("not an environment marker") from error


def wheel(address: str) -> tuple[str, str]:
    """The canonical name and the version of the wheel at an address; empty if it is none."""
    file_name = unquote(urlsplit(address).path).rpartition("/")[2]
    try:
        name, version, *_ = parse_wheel_filename(file_name)
    except InvalidWheelFilename:
        return "", ""
    return name, str(version)
