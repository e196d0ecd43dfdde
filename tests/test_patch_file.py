"""Patch files of a project: paths that stay in their package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from patch_making import file, patch_text
from patchtool.errors import PatchError
from patchtool.package import Package
from patchtool.patch_file import parse_patch
from patchtool.project import PatchFile
from patchtool.project.patch_name import parse

EDITS = {"dist/index.js": (file("old\n"), file("new\n"))}
PREFIX = "node_modules/@s/lead/"


def patch_file(name: str = "@s+lead+1.0.0.patch", directory: Path = Path()) -> PatchFile:
    """A patch file of a package."""
    read = parse(name)
    package = Package(ecosystem="npm", name=read.package, version=read.version)
    return PatchFile(name=read, path=directory / name, package=package)


def test_paths_are_moved_into_the_package() -> None:
    """patch-package's node_modules/NAME/ is taken off, on both sides."""
    patch = parse_patch(patch_text(EDITS, PREFIX), patch_file())
    assert [(each.old_path, each.new_path) for each in patch.sections] == [
        ("dist/index.js", "dist/index.js")
    ]
    assert patch.sections[0].hunks[0].new == b"new\n"


def test_a_nested_copy_has_the_path_of_the_innermost_package() -> None:
    """a/node_modules/b is b's."""
    data = patch_text(EDITS, "node_modules/a/node_modules/@s/lead/")
    patch = parse_patch(data, patch_file("a++@s+lead+1.0.0.patch"))
    assert patch.paths == ("dist/index.js",)


@pytest.mark.parametrize(
    "prefix", ["", "node_modules/other/", "node_modules/@s/leader/", "src/node_modules/@s/lead/"]
)
def test_a_path_outside_of_the_package_is_refused(prefix: str) -> None:
    """A patch named for one package cannot touch another, or the project itself."""
    with pytest.raises(PatchError) as caught:
        parse_patch(patch_text(EDITS, prefix), patch_file())
    problem = caught.value.problem
    assert (problem.kind, problem.subject) == ("unsafe-path", "@s+lead+1.0.0.patch")
    assert problem.path == f"{prefix}dist/index.js"
    assert problem.remedy == "grep '^+++ ' @s+lead+1.0.0.patch"


def test_what_is_no_patch_names_the_file() -> None:
    """A parse error has the name of the patch file and the line."""
    data = patch_text(EDITS, PREFIX) + b"+one more\n"
    with pytest.raises(PatchError) as caught:
        parse_patch(data, patch_file())
    problem = caught.value.problem
    assert (problem.kind, problem.subject) == ("parse", "@s+lead+1.0.0.patch")
    assert problem.line == data.count(b"\n")


@pytest.mark.parametrize("keeps", [True, False])
def test_what_is_wrong_with_a_patch_file_can_be_looked_at(tmp_path: Path, keeps: bool) -> None:
    """One that was cut off: by its history if git keeps one, else by the place."""
    directory = tmp_path / "it's"
    directory.mkdir()
    broken = patch_file(directory=directory)
    whole = patch_text(EDITS, PREFIX)
    if keeps:
        broken.path.write_bytes(whole)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", "-C", str(directory)]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "whole"]):
            subprocess.run([*git, *words], check=True, timeout=30)
    cut = whole.rpartition(b"+new")[0]
    broken.path.write_bytes(cut)
    with pytest.raises(PatchError) as caught:
        parse_patch(cut, broken)
    remedy = caught.value.problem.remedy
    assert remedy is not None
    done = subprocess.run(["sh", "-c", remedy], check=True, timeout=10, stdout=subprocess.PIPE)
    assert (b"+new" in done.stdout, b"-old" in done.stdout) == (keeps, True)
