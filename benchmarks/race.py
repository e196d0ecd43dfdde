"""Who puts patches on, how fast: patchtool beside the tools that do the same, in turns."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fixtures import App
from benchmarks.measure import Run, measure

# What all others are compared with.
BASE = "node patch-package"
OURS = ("patchtool, with a lock", "patchtool, patches alone")
# What it costs to wait for the disk, which no other tool here does.
HASTY = "patchtool, with a lock, not waiting for the disk"
_HASTY = """\
import os, sys
os.fsync = lambda _: None
from patchtool.__main__ import main
sys.exit(main())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A program that puts patches on; `knows` whether it takes a patched tree for done."""

    name: str
    command: Callable[[App], Sequence[str | Path]]
    knows: bool = True
    locked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The runs of one contender, round by round; `again` is empty if it cannot run twice."""

    fresh: list[Run]
    again: list[Run]


def contenders(patchtool: Path) -> list[Contender]:
    """All that are there; `patchtool` is the program to measure."""
    found = [
        Contender(name=OURS[0], command=lambda _: [patchtool, "apply"], locked=True),
        Contender(name=OURS[1], command=lambda _: [patchtool, "apply"]),
        Contender(
            name=HASTY,
            command=lambda _: [patchtool.parent / "python", "-c", _HASTY, "apply"],
            locked=True,
        ),
        Contender(
            name=BASE,
            command=lambda app: ["node", app.root / "node_modules/.bin/patch-package"],
        ),
        Contender(name="npx patch-package", command=lambda _: ["npx", "patch-package"]),
        Contender(
            name="git apply",
            command=lambda app: ["git", "apply", "--whitespace=nowarn", *app.patches],
            knows=False,
        ),
    ]
    if shutil.which("patch"):
        found.append(
            Contender(
                name="GNU patch",
                command=lambda app: ["patch", "-s", "-p1", "-i", app.whole],
                knows=False,
            )
        )
    return found


def race(
    all_of_them: Sequence[Contender], apps: Mapping[bool, App], rounds: int
) -> dict[str, Result]:
    """Let each put the patches on a fresh tree and, if it knows that, on its own result again.

    `apps` are the same project with and without a lock. What each has made is compared byte for
    byte; a first round that counts for nobody fills the caches.
    """
    results = {each.name: Result(fresh=[], again=[]) for each in all_of_them}
    for number in range(rounds + 1):
        for each in all_of_them:
            app = apps[each.locked]
            app.reset(patched=False)
            fresh = measure(each.command(app), app.root)
            app.check(each.name)
            again = [measure(each.command(app), app.root)] if each.knows else []
            app.check(each.name)
            if number:
                results[each.name].fresh.append(fresh)
                results[each.name].again.extend(again)
    return results
