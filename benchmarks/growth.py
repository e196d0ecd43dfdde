"""How the time and memory of `apply` grow with the number of patches and the size of files.

The packages are made up here, alike but for their names, so that nothing but the number or the
size differs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fixtures import App, Edit, edited, write
from benchmarks.measure import Run, measure
from patchtool.package import Package

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
SIZES = tuple(1024 * 4**power for power in range(9))  # 1 KiB to 64 MiB

_LINE = b"export const value = (index) => table[index & 0xff];\n"
# How many lines of context a hunk has.
_CONTEXT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The runs for one number or size."""

    at: int
    fresh: list[Run]
    again: list[Run]


def by_count(
    patchtool: Path, work: Path, counts: Sequence[int], rounds: int, say: Callable[[str], None]
) -> list[Point]:
    """Put on so many patches of files of 8 KiB each."""
    points = []
    for count in counts:
        say(f"growth: {count} patches")
        edits = [_edit(f"made-up-{number}", 8 * 1024) for number in range(count)]
        points.append(_point(count, patchtool, work, edits, rounds))
    return points


def by_size(
    patchtool: Path, work: Path, sizes: Sequence[int], rounds: int, say: Callable[[str], None]
) -> list[Point]:
    """Put on one patch of a file that has so many bytes."""
    points = []
    for size in sizes:
        say(f"growth: a file of {size} bytes")
        points.append(_point(size, patchtool, work, [_edit("made-up", size)], rounds))
    return points


def _point(at: int, patchtool: Path, work: Path, edits: Sequence[Edit], rounds: int) -> Point:
    root = work / "growth"
    shutil.rmtree(root, ignore_errors=True)
    for edit in edits:
        manifest = f'{{"name": "{edit.package.name}", "version": "{edit.package.version}"}}'
        write(
            root,
            {
                f"node_modules/{edit.package.name}/package.json": manifest.encode(),
                f"patches/{edit.patch_name}": edit.patch,
            },
        )
    app = App(root=root, edits=edits)
    point = Point(at=at, fresh=[], again=[])
    for _ in range(rounds):
        app.reset(patched=False)
        for runs in (point.fresh, point.again):
            runs.append(measure([patchtool, "apply"], root))
            app.check("patchtool")
    shutil.rmtree(root)
    return point


def _edit(name: str, size: int) -> Edit:
    """A file of numbered lines and its patch, written as git writes it."""
    width = len(_LINE) + 8
    lines = [b"%07d %b" % (number, _LINE) for number in range(max(12, size // width))]
    old, new = b"".join(lines), b"".join(edited(lines))
    quarter = len(lines) // 4
    end = 3 * quarter
    place = f"node_modules/{name}/index.js".encode()
    before, after = lines[quarter - _CONTEXT : quarter], lines[quarter + 1 : quarter + 1 + _CONTEXT]
    above, below = lines[end - _CONTEXT : end], lines[end : end + _CONTEXT]
    patch = [b"diff --git a/%b b/%b\n--- a/%b\n+++ b/%b\n" % (place, place, place, place)]
    patch += [b"@@ -%d,7 +%d,7 @@\n" % (quarter - 2, quarter - 2), *_hunk(before)]
    patch += [b"-" + lines[quarter], b"+" + edited(lines)[quarter], *_hunk(after)]
    patch += [b"@@ -%d,6 +%d,7 @@\n" % (end - 2, end - 2), *_hunk(above)]
    patch += [b"+" + edited(lines)[end], *_hunk(below)]
    return Edit(
        package=Package(ecosystem="npm", name=name, version="1.0.0"),
        integrity="",
        path="index.js",
        pristine=old,
        patched=new,
        patch=b"".join(patch),
    )


def _hunk(lines: Sequence[bytes]) -> list[bytes]:
    return [b" " + line for line in lines]
