"""PyPI: what is installed, what the indexes have, and how a stack is laid out.

`apply` runs at every install and needs only what looks at installed files. The rest, with the
network and pip itself behind it, is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from patchtool.ecosystems import no_differences as differences
from patchtool.ecosystems.pypi.installed import (
    companions,
    install_command,
    installed,
    may_be_absent,
    path_in_package,
)

__all__ = [
    "companions",
    "differences",
    "install_command",
    "installed",
    "may_be_absent",
    "path_in_package",
]

_LATER = {
    "integrity": "contents",
    "artefact": "contents",
    "releases": "release",
    "lay_out": "layout",
    "package_directory": "layout",
    "runtime": "layout",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
