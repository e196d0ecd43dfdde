"""`patchtool status`: what is pinned, installed and patched, in one screen.

Yes if everything that is pinned and installed is patched: so it also proves an install that ran
without scripts. Needs no network and writes nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from patchtool import lockfiles
from patchtool.commands import Answer
from patchtool.commands.apply import Done, bases, done
from patchtool.commands.installed_problems import problems_of
from patchtool.commands.options import add_fixes, add_patches, chosen, explain
from patchtool.errors import Problem
from patchtool.installed import Installed, locked_series, survey
from patchtool.project.load import load
from patchtool.project.stale import altered, stale
from patchtool.series import State
from patchtool.tree import look

if TYPE_CHECKING:
    from patchtool.package import Package
    from patchtool.project import Fix

_DESCRIPTION = """\
Shows each fix, the releases it is pinned to, and the state of every installed copy: pristine,
patched, partial (some files of each), or foreign (anything else). Needs no network and writes
nothing.

Exit 0: all that is pinned is patched, wherever it is installed. So it also tells whether an
install ran without scripts.
"""

_EXAMPLES = """\
  patchtool status
  patchtool status streamed-tool-calls --json
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What one of the user's own lockfiles will install of a pinned package."""

    package: str
    version: str
    lockfile: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FixStatus:
    """One fix: why it is kept, when it can go, and what is installed of what it is pinned to."""

    name: str
    summary: str
    bug: tuple[str, ...]
    forwarded: str
    delete_when: str
    pins: tuple[tuple[str, ...], ...]
    copies: tuple[Done, ...]
    resolved: tuple[Resolution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The fixes that were asked for, and everything that is not as it should be."""

    answer: Answer
    fixes: tuple[FixStatus, ...]
    problems: tuple[Problem, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)


def run(
    *, root: Path, environment: Mapping[str, str], fixes: Sequence[str], patches: Path | None
) -> Result:
    """Look at everything that is installed under `root`."""
    project = load(root, patches)
    by_hand = altered(project)  # then nothing is believed of what is installed
    problems = [*stale(project), *by_hand]
    statuses = []
    lock = None if by_hand else project.lock
    series = locked_series(lock, project.directory) if lock else ()
    locked = lock.packages if lock else ()
    asked_for = chosen(project, fixes)
    surveys = look(
        lambda: [survey(series, root, environment, only=_pinned(fix)) for fix in asked_for],
        lambda seen: bases(chain(*seen), root),
        Path(os.path.realpath(root)),
    )
    for fix, found in zip(asked_for, surveys, strict=True):
        pinned = _pinned(fix)
        problems += problems_of(found, root, environment)
        problems += _waiting(found)
        problems += lockfiles.findings(root, (each for each in locked if each.package in pinned))
        statuses.append(
            FixStatus(
                name=fix.name,
                summary=fix.summary,
                bug=fix.bug,
                forwarded=fix.forwarded,
                delete_when=fix.delete_when,
                pins=tuple(tuple(map(str, pin.packages)) for pin in fix.pins),
                copies=tuple(done(each) for each in found),
                resolved=tuple(dict.fromkeys(_resolutions(fix, root))),
            )
        )
    return Result(
        answer=Answer.NO if problems else Answer.YES,
        fixes=tuple(statuses),
        problems=tuple(problems),
    )


def _pinned(fix: Fix) -> set[Package]:
    return {package for pin in fix.pins for package in pin.packages}


def _waiting(found: Sequence[Installed]) -> Iterator[Problem]:
    """The patches that would go on to what is installed, and are not on."""
    names = dict.fromkeys(
        each.series.names for each in found if each.plan.state in (State.PRISTINE, State.PARTIAL)
    )
    if names:
        yield Problem(
            kind="unpatched",
            what="not on what is installed",
            subject=", ".join(names),
            remedy="patchtool apply",
        )


def _resolutions(fix: Fix, root: Path) -> Iterator[Resolution]:
    """What the lockfiles say of the packages that have a patch."""
    names = {(file.package.ecosystem, file.package.name) for file in fix.patches}
    for ecosystem, name in sorted(names):
        for found in lockfiles.resolved(root, ecosystem, name):
            yield Resolution(package=name, version=found.version, lockfile=found.lockfile)
