"""Which Python environment a project uses, and the directories it imports from.

Looks at files and runs that environment's interpreter if it is another than ours; installs and
changes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from patchtool.errors import CannotTell, Problem

# Names what to look into; the command line's --python sets it.
VARIABLE = "PATCHTOOL_PYTHON"

_PROGRAMS = ("bin/python", "Scripts/python.exe")
_SEES = ("PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE")


def search_path(root: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The directories and zip files that the project's Python imports from, in its order.

    PATCHTOOL_PYTHON is an interpreter, an environment, or a directory of packages as `pip install
    --target` makes them. Without it: the active environment, else `.venv` under `root`, else the
    interpreter that runs.
    """
    for named in filter(None, map(environment.get, (VARIABLE, "VIRTUAL_ENV"))):
        return _of(Path(named), environment)
    own = root / ".venv"
    return _of(own, environment) if (own / "pyvenv.cfg").is_file() else _paths(sys.path)


def _of(place: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    if place.is_dir() and place.resolve() == Path(sys.prefix).resolve():
        return _paths(sys.path)
    if place.is_dir():
        # Not Path.exists, which raises where one may not look.
        programs = [place / name for name in _PROGRAMS if os.path.exists(place / name)]  # noqa: PTH110
        return _ask(programs[0].absolute(), environment) if programs else (place,)
    program = shutil.which(place, path=environment.get("PATH", os.defpath))
    if program is None:
        raise CannotTell(
            Problem(
                kind="python",
                what="no such interpreter or environment",
                path=str(place),
                expected="a Python, an environment, or a directory of installed packages",
                remedy="python -m venv .venv",
            )
        )
    return _ask(Path(program).absolute(), environment)


def _ask(python: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The search path of another interpreter (an absolute path), in that interpreter's words."""
    from patchtool import process

    done = process.run(
        [python, "-c", "import json, sys; print(json.dumps(sys.path))"],
        directory=Path("/"),
        environment=process.clean(environment, also=_SEES),
        timeout=30,
    )
    try:
        # What a sitecustomize prints comes before.
        return _paths(json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError, TypeError) as error:
        said = process.redact(done.stderr.decode(errors="replace").strip()[-500:])
        what = "does not run as a Python interpreter"
        raise CannotTell(
            Problem(kind="python", what=what, path=str(python), found=said or None)
        ) from error


def _paths(entries: list[str]) -> tuple[Path, ...]:
    return tuple(Path(entry) for entry in entries if entry)
