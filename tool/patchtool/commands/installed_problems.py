"""What keeps patches from going on what is installed, with the place and what to do about it.

Runs at every install, so it imports nothing slow. It must not decide what is a problem.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from patchtool import ecosystems
from patchtool.errors import PatchError, Problem
from patchtool.installed import Installed, bare_series
from patchtool.patch_file import OF_THE_PATCH
from patchtool.project.load import bare
from patchtool.series import State
from patchtool.tree import reader
from patchtool.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from patchtool.ecosystems import Copy


def problems_of(
    found: Sequence[Installed],
    root: Path,
    environment: Mapping[str, str],
    *,
    backward: bool = False,
) -> tuple[Problem, ...]:
    """Everything that keeps the patches from going on, or off, with where it is and what to do.

    What is wrong with a patch itself is told once, however many copies it is for.
    """
    # Not every install runs the project's own scripts: `npm install NAME` does not.
    again = "patchtool apply --reverse" if backward else "patchtool apply"
    located = (
        _located(problem, each, root, f"{_install(each, root, environment)} && {again}")
        for each in found
        for problem in each.plan.problems
    )
    return tuple(dict.fromkeys(located))


def _install(each: Installed, root: Path, environment: Mapping[str, str]) -> str:
    package = each.series.package
    return ecosystems.of(package).install_command(package, root, environment, each.copy)


def _located(problem: Problem, each: Installed, root: Path, install: str) -> Problem:
    """The problem with the patch, the path as seen from the root, and a remedy."""
    package, remedy = each.series.package, problem.remedy
    if each.copy is None:
        return replace(problem, remedy=install if _is_known(each) else "patchtool status")
    if problem.kind in OF_THE_PATCH:
        return replace(problem, subject=problem.subject or each.series.names)
    if remedy is None:
        remedy = _with_lf(problem, each)
    if remedy is None and each.copy.version != package.version:
        remedy = "patchtool should-delete"  # of what is installed, fix by fix
    elif remedy is None:
        remedy = install
    what = problem.what
    if problem.kind == "foreign" and (others := _others_on(each, each.copy)):
        what += f": {others} is on it, which the lock has for another release"
    versions = f"installed is {each.copy.version}, pinned {package.version}"
    if each.series.locked and each.copy.version != package.version:
        versions += f'; its pin may say leave-alone = ["{each.copy.version}"]'
    place = os.path.relpath(each.copy.directory, os.path.realpath(root))
    return replace(
        problem,
        subject=problem.subject or each.series.names,
        path=f"{place}/{problem.path}" if problem.path else place,
        what=f"{what} ({versions})",
        remedy=remedy,
    )


def _others_on(each: Installed, copy: Copy) -> str | None:
    """The patches of another release that are on a copy, if any are.

    So it is where there was no lock yet: then a patch goes on whatever it fits.
    """
    files = [
        file for file in bare(each.series.files[0].path.parent) if file.package.name == copy.name
    ]
    read = reader(copy.directory)
    for other in bare_series(files):
        if other.package.version != each.series.package.version:
            try:
                if other.plan(read, backward=False).state is State.PATCHED:
                    return other.names
            except PatchError:
                continue
    return None


def _is_known(each: Installed) -> bool:
    """Whether it is known what to install: else `status` says how to start the manifest for it."""
    from patchtool.project.starter import is_of_npm

    return each.series.locked is not None or is_of_npm(each.series.files[0].path)


def _with_lf(problem: Problem, each: Installed) -> str | None:
    """The command that mends a patch file whose line ends are the trouble; None if they are not."""
    if problem.kind != "no-match":
        return None
    import shlex

    from patchtool.diff.explain import CRLF_PATCH

    paths = [file.path for file in each.series.files if str(file.name) == problem.subject]
    if not paths or not problem.what.startswith(CRLF_PATCH):
        return None
    return rf"perl -pi -e 's/\r$//' -- {shlex.quote(os.path.relpath(paths[0]))}"
