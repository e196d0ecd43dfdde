"""npm: what is installed, what the registry has, and how a stack is laid out.

`apply` runs at every install and needs only what looks at installed files. The rest, much of it
with the network and npm itself behind it, is imported when it is first asked for.
"""

from __future__ import annotations

import importlib

from patchtool.ecosystems import no_differences as differences
from patchtool.ecosystems.npm.installed import (
    companions,
    installed,
    path_in_package,
)
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "companions",
    "differences",
    "installed",
    "path_in_package",
]

_LATER = {
    "may_be_absent": "absence",
    "install_command": "commands",
    "integrity": "registry",
    "artefact": "registry",
    "releases": "registry",
    "lay_out": "layout",
    "package_directory": "layout",
    "runtime": "node",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
