"""`patchtool apply`: put the patches on everything that is installed, or take them off.

All or nothing over all patches: everything is computed first, and nothing is written unless
everything fits. Runs at every install, so it imports nothing slow.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from patchtool import ecosystems
from patchtool.commands import Answer
from patchtool.commands.installed_problems import problems_of
from patchtool.commands.options import add_fixes, add_patches, explain
from patchtool.commands.selection import selected
from patchtool.errors import Problem, UsageError
from patchtool.installed import Installed, Series, survey
from patchtool.series import State
from patchtool.tree import look, update_all
from patchtool.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    import argparse

    from patchtool.commands.apply_file import FileApplied
    from patchtool.files import File

_DESCRIPTION = """\
Finds every installed copy of every package that has a patch, and puts all patches on, or none if
anything does not fit. What is patched already is left as it is. Whether a patch fits is decided
by the content of the files, not by the version. Needs no network, and no patches.toml, unless
fixes are named: a directory with patch-package's patches will do.

Exit 0: all is patched (with --reverse: pristine). Exit 1: something does not fit or is missing;
it is told with a command that helps, and nothing was written.
"""

_EXAMPLES = """\
  "postinstall": "patchtool apply"     in package.json, for every npm install and npm ci
  patchtool apply --dry-run            say what would be done
  patchtool apply one-fix another      only the packages of these fixes
  patchtool apply --reverse            take the patches off
  patchtool apply --file fix.patch --into vendor/library
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of one copy of a package: its state before and after, the files written.

    `absent` says why a package may be missing, `left_alone` why a foreign copy stays as it is. The
    states are None where nothing was looked at: of what is missing, or only linked.
    """

    package: str
    patches: tuple[str, ...]
    directory: Path | None
    version: str | None
    before: State | None
    after: State | None
    files: tuple[str, ...]
    absent: str | None
    left_alone: str | None

    @property
    def other_version(self) -> str | None:
        """The version that is installed, if it is not the pinned one."""
        return None if self.package.endswith(f"@{self.version}") else self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was done, or what stood in the way (and then nothing was written)."""

    answer: Answer
    dry_run: bool
    copies: tuple[Done, ...]
    problems: tuple[Problem, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    explain(parser, _DESCRIPTION, _EXAMPLES)
    add_fixes(parser)
    add_patches(parser)
    parser.add_argument("--reverse", action="store_true", help="take the patches off again")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")
    parser.add_argument(
        "--file",
        type=Path,
        metavar="PATCH",
        help="apply this one patch file to any directory; needs --into",
    )
    parser.add_argument("--into", type=Path, metavar="DIR", help="the directory for --file")
    parser.add_argument(
        "--strip",
        type=int,
        metavar="N",
        help="with --file: leave out the first N directories of each path (default: 1)",
    )
    parser.add_argument(
        "--allow-offset",
        action="store_true",
        help="with --file: a hunk may go to the only other place where it fits",
    )


def run(
    *,
    root: Path,
    environment: Mapping[str, str],
    fixes: Sequence[str],
    patches: Path | None,
    reverse: bool,
    dry_run: bool,
    file: Path | None,
    into: Path | None,
    strip: int | None,
    allow_offset: bool,
) -> Result | FileApplied:
    """Apply the project's patches under `root`, or one patch file into a directory."""
    if file is not None or into is not None:
        from patchtool.commands.apply_file import apply_file

        if file is None or into is None:
            raise _usage("--file and --into go together")
        if fixes:
            raise _usage("--file applies that file alone, and no fix", found=" ".join(fixes))
        return apply_file(
            file=file,
            into=into,
            strip=1 if strip is None else strip,
            reverse=reverse,
            allow_offset=allow_offset,
            dry_run=dry_run,
        )
    if strip is not None or allow_offset:
        raise _usage("--strip and --allow-offset need --file")
    series = selected(root, patches, fixes)
    return _apply_all(series, root, environment, reverse=reverse, dry_run=dry_run)


def _apply_all(
    series: Sequence[Series],
    root: Path,
    environment: Mapping[str, str],
    *,
    reverse: bool,
    dry_run: bool,
) -> Result:
    """Take every copy to the wanted end, or none if anything stands in the way."""

    def decide() -> _Decision:
        found = survey(series, root, environment, backward=reverse)
        problems = problems_of(found, root, environment, backward=reverse)
        return _Decision(found=found, root=root, problems=problems)

    top = Path(os.path.realpath(root))
    if dry_run:
        decision = look(decide, lambda seen: bases(seen.found, root), top)
    else:
        decision = update_all(decide, top)
    end = State.PRISTINE if reverse else State.PATCHED
    return Result(
        answer=Answer.YES if decision.is_clear else Answer.NO,
        dry_run=dry_run,
        copies=tuple(done(each, end=end if decision.is_clear else None) for each in decision.found),
        problems=decision.problems,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """What was found, and what would be written where."""

    found: tuple[Installed, ...]
    root: Path
    problems: tuple[Problem, ...]

    @property
    def is_clear(self) -> bool:
        return not self.problems

    @property
    def changes(self) -> Mapping[Path, Mapping[str, File | None]]:
        """By directory: the root for all that is under it, so that one swap changes it all."""
        top = Path(os.path.realpath(self.root))
        changes: dict[Path, dict[str, File | None]] = {}
        for each in self.found:
            if each.copy is None or each.copy.linked:
                continue
            directory = each.copy.directory
            base = _base(directory, top)
            prefix = "" if directory == base else f"{directory.relative_to(base).as_posix()}/"
            files = dict(each.plan.changes)
            if files:
                files |= ecosystems.of(each.series.package).companions(each.copy, files)
            changes.setdefault(base, {}).update(
                (prefix + path, file) for path, file in files.items()
            )
        return changes


def bases(found: Iterable[Installed], root: Path) -> set[Path]:
    """The directories that are locked for whoever changes these copies, or looks at them."""
    top = Path(os.path.realpath(root))
    copies = (each.copy for each in found)
    return {_base(copy.directory, top) for copy in copies if copy is not None and not copy.linked}


def _base(directory: Path, top: Path) -> Path:
    return top if directory.is_relative_to(top) else directory


def done(each: Installed, *, end: State | None = None) -> Done:
    """The account of one copy, which was taken to `end`; None if it was only looked at."""
    is_known = each.copy is not None and not each.copy.linked  # what is linked is not looked at
    before = each.plan.state if is_known else None
    is_taken = each.copy is not None and each.left_alone is None
    return Done(
        package=str(each.series.package),
        patches=tuple(str(file.name) for file in each.series.files),
        directory=each.copy.directory if each.copy else None,
        version=each.copy.version if each.copy else None,
        before=before,
        after=end if end and is_taken else before,
        files=tuple(sorted(each.plan.changes)) if end else (),
        absent=each.absent,
        left_alone=each.left_alone,
    )


def _usage(what: str, found: str | None = None) -> UsageError:
    return UsageError(
        Problem(kind="usage", what=what, found=found, remedy="patchtool apply --help")
    )
