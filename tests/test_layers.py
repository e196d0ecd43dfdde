"""The layers of the package: arrows point down only, and the core is pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import patchtool

ROOT = Path(patchtool.__file__).parent

# From the top down. A module may import what stands on its own line or on a later one. A report
# reads the results of commands, and no command knows how it is told.
LAYERS = (
    {"__main__"},
    {"cli"},
    {"arguments"},
    {"report"},
    {"commands"},
    {"candidate", "grid", "installed", "pytest_plugin", "upstreamed"},
    {"pristine"},
    {"patch_file"},
    {"guard", "stack", "ecosystems", "lockfiles", "mutation"},
    {"second_reader", "siblings"},
    {"project", "tree", "store", "archive", "progress"},
    {
        "contents",
        "plain_file",
        "process",
        "programs",
        "series",
        "verdict",
        "junit",
        "versions",
        "workers",
    },
    {"diff"},
    {"package", "files", "errors", "remedy", "values"},
)

PURE = (
    "diff", "files", "junit", "package", "second_reader", "series", "siblings", "verdict",
)  # fmt: skip

# Modules that reach the disk, the clock, the environment, the network or other programs.
IMPURE = {
    "glob", "http", "os", "pathlib", "requests", "shutil", "socket", "subprocess", "tempfile",
    "threading", "time", "urllib.request",
}  # fmt: skip


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package, as its part and its file."""
    for path in sorted(ROOT.rglob("*.py")):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if part != "__init__":
            yield part, path


def imports(path: Path) -> Iterator[str]:
    """The full names a module imports when it runs (not those for type checkers alone)."""

    def visit(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from (alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module:
                yield from (f"{child.module}.{alias.name}" for alias in child.names)
            yield from visit(child)

    return visit(ast.parse(path.read_text()))


def layer(part: str) -> int:
    """How far down a part stands."""
    return next(number for number, parts in enumerate(LAYERS) if part in parts)


def test_every_part_has_a_layer() -> None:
    """A new part of the package must be given its place here."""
    assert {part for part, _ in modules()} <= set().union(*LAYERS)


def test_arrows_point_down() -> None:
    """No module imports from a layer above its own."""
    upward = [
        f"{path.relative_to(ROOT)} imports {name}"
        for part, path in modules()
        for name in imports(path)
        if name.startswith("patchtool.")
        and (target := name.split(".")[1]) != "__version__"
        and layer(target) < layer(part)
    ]
    assert upward == []


@pytest.mark.parametrize("part", PURE)
def test_the_core_is_pure(part: str) -> None:
    """The pure parts import nothing that reaches outside."""
    reached = [
        f"{path.relative_to(ROOT)} imports {name}"
        for other, path in modules()
        if other == part
        for name in imports(path)
        if any(f"{name}.".startswith(f"{module}.") for module in IMPURE)
    ]
    assert reached == []
