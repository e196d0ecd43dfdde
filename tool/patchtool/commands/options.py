"""Options and first steps that several commands share: which fixes, and the way to the network."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from patchtool.errors import Problem, UsageError
from patchtool.values import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from patchtool.project import Fix, Guard, Project
    from patchtool.store import Store


def explain(parser: argparse.ArgumentParser, description: str, examples: str) -> None:
    """Let --help say more than the command's summary, and show how it is used."""
    parser.description = f"{parser.description}\n\n{description}"
    parser.epilog = f"examples:\n{examples}\n{parser.epilog}"


def add_common(parser: Any) -> None:
    """Add what every command has: --json, --root, --python."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document and nothing else"
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the project's directory (default: the current one)",
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        help="where Python packages are installed: an interpreter, an environment or a directory "
        "(default: the active environment, else .venv in the project, else this Python)",
    )


def add_patches(parser: argparse.ArgumentParser) -> None:
    """Add --patches."""
    parser.add_argument(
        "--patches",
        type=Path,
        metavar="DIR",
        help="the directory with the patch files (default: patches, in the project)",
    )


def add_fixes(parser: argparse.ArgumentParser) -> None:
    """Add the names of fixes."""
    parser.add_argument(
        "fixes", nargs="*", metavar="FIX", help="the name of a fix (default: every fix)"
    )


def add_network(parser: argparse.ArgumentParser) -> None:
    """Add --offline."""
    parser.add_argument(
        "--offline", action="store_true", help="use the cache alone, and say what it lacks"
    )


def add_fresh(parser: argparse.ArgumentParser) -> None:
    """Add --fresh."""
    parser.add_argument(
        "--fresh", action="store_true", help="run the guard anew, whatever the cache holds"
    )


def chosen(project: Project, names: Sequence[str]) -> tuple[Fix, ...]:
    """The fixes of these names, or all; `UsageError` for a name that is none."""
    return tuple(project.fix(name) for name in names) if names else project.fixes


def guarded(project: Project, names: Sequence[str], command: str) -> tuple[tuple[Fix, Guard], ...]:
    """The fixes of these names, or all, each with its guard.

    `UsageError` for a name that is none, and if one of them has no guard: nothing can be proved
    without. Then `command` is told to be run for those that have one.
    """
    fixes = chosen(project, names)
    with_guards = tuple((fix, fix.guard) for fix in fixes if fix.guard is not None)
    for fix in fixes:
        if fix.guard is None:
            ready = " ".join(each.name for each, _ in with_guards)
            raise UsageError(
                Problem(
                    kind="no-guard",
                    what="has no guard, so nothing says whether it is needed",
                    subject=fix.name,
                    expected='a [fix.guard] table in patches.toml, such as path = "guard"',
                    remedy=f"{command} {ready}" if ready else None,
                )
            )
    return with_guards


def open_store(root: Path, environment: Mapping[str, str], *, offline: bool) -> Store:
    """The store for one run of a command, which shows its progress on this process's terminal."""
    from patchtool.progress import Progress
    from patchtool.store import Store, cache_directory

    return Store(
        directory=cache_directory(environment),
        root=root,
        environment=environment,
        offline=offline,
        progress=Progress(sys.stderr),
    )
