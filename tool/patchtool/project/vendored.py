"""What is declared of a vendored package: read from patches.toml and patches.lock, and written.

Both files have the same keys. Nothing heavy is imported: `apply` reads the lock at every install.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from patchtool.package import Package, Vendored
from patchtool.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from patchtool.project.reader import Table, Value

_KEYS = ("path", "origin", "origin-path", "leave-out", "added")
_ORIGIN = r"pkg:(npm|pypi)/\S+@\S+|https?://[^\s/]+/\S+"


def declared(table: Table, packages: Sequence[Package]) -> list[Package]:
    """The packages of a pin's table, each that is part of the project with what is said of it."""
    tables = table.optional("vendored", lambda value: dict(value.table().items())) or {}
    own = [package.name for package in packages if package.ecosystem == "generic"]
    for name in tables:
        if name not in own:
            expected = " or ".join(f"vendored.{each}" for each in own) or "no such table"
            raise tables[name].error("this pin has no such pkg:generic", expected)
    for name in own:
        if name not in tables:
            raise table["packages"].error(
                "a package that is part of the project, but nobody says which part",
                f"a table [fix.pin.vendored.{name}] with path and origin",
                f"pkg:generic/{name}",
            )
    return [
        replace(each, vendored=_of(tables[each.name], each)) if each.name in tables else each
        for each in packages
    ]


def _of(value: Value, package: Package) -> Vendored:
    found = read(value)
    origin = value.table()["origin"]
    try:
        release = found.release
    except ValueError as error:
        raise origin.error(f"not the URL of a package: {error}") from error
    if release is not None and release.version != package.version:
        raise origin.error("another version than that of the package", package.version)
    return found


def read(value: Value) -> Vendored:
    """Read the table of one vendored package."""
    table = value.table(*_KEYS)
    origin = table["origin"].line()
    if not re.fullmatch(_ORIGIN, origin):
        expected = "a URL such as 'pkg:pypi/name@1.2.3', or an address such as https://…"
        raise table["origin"].error("neither a release nor the address of an archive", expected)
    return Vendored(
        path=_inside(table["path"]),
        origin=origin,
        origin_path=table.optional("origin-path", _inside) or "",
        left_out=table.optional("leave-out", _patterns) or (),
        added=table.optional("added", _patterns) or (),
    )


def dump(vendored: Vendored) -> dict[str, object]:
    """The table that `read` makes the same value of."""
    values = (
        vendored.path,
        vendored.origin,
        vendored.origin_path,
        list(vendored.left_out),
        list(vendored.added),
    )
    return {key: value for key, value in zip(_KEYS, values, strict=True) if value}


def _inside(value: Value) -> str:
    """A relative path in plain form, which leads nowhere but down."""
    path = value.line()
    if path != os.path.normpath(path) or path == "." or path.startswith(("/", "..")):
        raise value.error("not a plain relative path", "a path such as src/vendor/name")
    return path


def _patterns(value: Value) -> tuple[str, ...]:
    return tuple(item.line() for item in value.some())
