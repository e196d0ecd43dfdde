"""Every way in which npm packages get laid out on disk, each by its own tool.

The app is a workspace. Its root and its member `one` use ms 2.1.3, for which there is a patch; its
member `two` brings in ms 2.0.0, which the patch does not fit; and a package bundles another copy
of ms 2.1.3.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.network

# With it a week has eight days.
PATCH = """\
diff --git a/node_modules/ms/index.js b/node_modules/ms/index.js
--- a/node_modules/ms/index.js
+++ b/node_modules/ms/index.js
@@ -6,7 +6,7 @@
 var m = s * 60;
 var h = m * 60;
 var d = h * 24;
-var w = d * 7;
+var w = d * 8;
 var y = d * 365.25;
 
 /**
"""
MANIFEST = """\
[[fix]]
name = "weeks"
summary = "a week has eight days"
delete-when = "upstream agrees"
[[fix.pin]]
packages = ["pkg:npm/ms@2.1.3"]
leave-alone = ["2.0.0"]
"""
NAME = "ms+2.1.3.patch"
WEEK = "console.log(require(require.resolve('ms', {paths: [process.argv[1]]}))('1w') / 864e5)"


def run(
    directory: Path, *command: str | Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program with this patchtool first on the PATH, without what npm has told this one."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("npm_") and name != "NODE_ENV"
    }
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=directory,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def succeed(directory: Path, *command: str | Path, **variables: str) -> str:
    """Run a program that must succeed; what it printed."""
    done = run(directory, *command, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Scene:
    """The tools, what they share between projects, and the files that every app has."""

    directory: Path

    @property
    def programs(self) -> Mapping[str, tuple[str | Path, ...]]:
        """The command of each tool."""
        modules = self.directory / "tools/node_modules"
        return {
            "npm": ("npm",),
            "pnpm": (modules / ".bin/pnpm",),
            "yarn 1": ("node", modules / "yarn/bin/yarn.js"),
            "yarn": ("node", modules / "@yarnpkg/cli-dist/bin/yarn.js"),
            "bun": (modules / ".bin/bun",),
        }

    @property
    def variables(self) -> dict[str, str]:
        """What leads the tools to the stores of this scene."""
        return {
            "BUN_INSTALL_CACHE_DIR": str(self.directory / "stores/bun"),
            "YARN_CACHE_FOLDER": str(self.directory / "stores/yarn"),
            "YARN_GLOBAL_FOLDER": str(self.directory / "stores/yarn"),
            "YARN_ENABLE_IMMUTABLE_INSTALLS": "false",
            "YARN_ENABLE_TELEMETRY": "0",
            "XDG_DATA_HOME": str(self.directory / "stores/data"),
            "XDG_CACHE_HOME": str(self.directory / "stores/cache"),
        }

    def stores(self) -> dict[Path, str]:
        """The content of every file that the tools share between projects."""
        files = [path for path in (self.directory / "stores").rglob("*") if path.is_file()]
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Install the tools once, pack the package that bundles ms, and lock the patch."""
    made = Scene(tmp_path_factory.mktemp("layouts"))
    quiet = ("--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts")
    tools = ("pnpm@12", "yarn@1", "@yarnpkg/cli-dist@4", "bun@1")
    succeed(made.directory, "npm", "install", "--prefix", "tools", *tools, *quiet)
    for tool in ("pnpm", "bun"):  # these two have to bring their program into its place
        succeed(made.directory / "tools/node_modules" / tool, "node", "install.js")

    outer = made.directory / "outer"
    outer.mkdir()
    manifest = {"name": "outer", "version": "1.0.0", "bundleDependencies": ["ms"]}
    (outer / "package.json").write_text(json.dumps(manifest))
    succeed(outer, "npm", "install", "--save-exact", "ms@2.1.3", *quiet)
    succeed(made.directory, "npm", "pack", "./outer")

    patches = made.directory / "patches"
    patches.mkdir()
    (patches / "patches.toml").write_text(MANIFEST)
    (patches / NAME).write_text(PATCH)
    succeed(made.directory, "patchtool", "lock")
    return made


@dataclass(frozen=True)
class Layout:
    """A tool, how it is told to lay out packages, and what then stands under the app.

    `shares` says whether files are links into a store, and `bundles` whether a bundled package
    stays where it was packed.
    """

    tool: str
    arguments: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    shares: bool = False
    bundles: bool = True
    is_workspace: bool = True


PNPM = ("--config.packageImportMethod=hardlink", "--no-frozen-lockfile")
MEMBERS = {"pnpm-workspace.yaml": "packages:\n  - packages/*\n"}
LAYOUTS = {
    "npm": Layout("npm", ("--no-audit", "--no-fund", "--prefer-offline")),
    "npm-nested": Layout("npm", ("--no-audit", "--no-fund", "--install-strategy=nested")),
    "npm-linked": Layout("npm", ("--no-audit", "--no-fund", "--install-strategy=linked")),
    "pnpm": Layout("pnpm", PNPM, shares=True, is_workspace=False),
    "pnpm-workspace": Layout("pnpm", PNPM, MEMBERS, shares=True),
    "pnpm-hoisted": Layout("pnpm", (*PNPM, "--config.nodeLinker=hoisted"), MEMBERS, shares=True),
    "pnpm-elsewhere": Layout(
        "pnpm", (*PNPM, "--config.virtualStoreDir=.virtual"), MEMBERS, shares=True
    ),
    "yarn-classic": Layout("yarn 1", ("--non-interactive",)),
    "yarn-node-modules": Layout(
        "yarn", variables={"YARN_NODE_LINKER": "node-modules"}, bundles=False
    ),
    "yarn-pnpm": Layout("yarn", variables={"YARN_NODE_LINKER": "pnpm"}),
    "bun-hoisted": Layout("bun", ("--linker=hoisted", "--backend=hardlink"), shares=True),
    "bun-isolated": Layout("bun", ("--linker=isolated", "--backend=hardlink"), shares=True),
}


@dataclass(frozen=True)
class LaidOut:
    """An app that a tool installs into."""

    root: Path
    scene: Scene
    layout: Layout

    def install(self) -> None:
        """Let the tool install, again or for the first time."""
        program = self.scene.programs[self.layout.tool]
        variables = self.scene.variables | dict(self.layout.variables)
        succeed(self.root, *program, "install", *self.layout.arguments, **variables)

    def patchtool(self, *arguments: str, member: str = "") -> tuple[int, str]:
        """Run patchtool in the root or in a member; its exit code and what it said."""
        done = run(self.root / member, "patchtool", *arguments)
        return done.returncode, done.stdout + done.stderr

    @property
    def files(self) -> list[Path]:
        """Every file under the root, by its real path and once."""
        return sorted({path.resolve() for path in self.root.rglob("*") if path.is_file()})

    def contents(self) -> dict[Path, bytes]:
        """What is in every file."""
        return {path: path.read_bytes() for path in self.files}

    def state(self) -> dict[Path, tuple[int, int]]:
        """The inode of every file and when it was changed: the same if nothing was written."""
        return {path: ((seen := path.stat()).st_ino, seen.st_mtime_ns) for path in self.files}

    def weeks(self) -> set[str]:
        """How many days a week has to the root, to the member, and in the bundled copy."""
        places = [self.root, (self.root / "node_modules/outer").resolve()]
        assert (places[1] / "node_modules/ms/index.js").exists() == self.layout.bundles
        if self.layout.is_workspace:
            places.append(self.root / "packages/one")
        return {succeed(self.root, "node", "-e", WEEK, place).strip() for place in places}

    @property
    def copies(self) -> int:
        """How many copies the patch is for."""
        return 2 if self.layout.bundles else 1


@pytest.fixture
def lay_out(scene: Scene, tmp_path: Path) -> Callable[[Layout], LaidOut]:
    """Make the app for a layout and install it."""

    def make(layout: Layout) -> LaidOut:
        root = tmp_path / "app"
        shutil.copytree(scene.directory / "patches", root / "patches")
        shutil.copy(scene.directory / "outer-1.0.0.tgz", root)
        dependencies = {"ms": "2.1.3", "outer": "file:./outer-1.0.0.tgz"}
        members: dict[str, dict[str, str]] = {"one": {"ms": "2.1.3"}, "two": {"debug": "2.6.9"}}
        manifest: dict[str, object] = {"name": "app", "private": True}
        if layout.is_workspace:
            manifest["workspaces"] = ["packages/*"]
            for member, wanted in members.items():
                directory = root / "packages" / member
                directory.mkdir(parents=True)
                own = {"name": member, "version": "1.0.0", "dependencies": wanted}
                (directory / "package.json").write_text(json.dumps(own))
            (root / "packages/one/patches").mkdir()
            shutil.copy(root / "patches" / NAME, root / "packages/one/patches")
        else:
            dependencies |= members["two"]
        manifest["dependencies"] = dependencies
        (root / "package.json").write_text(json.dumps(manifest))
        for path, text in layout.files.items():
            (root / path).write_text(text)
        if layout.tool == "yarn":  # it takes a directory for a project of its own by this file
            (root / "yarn.lock").touch()
        laid_out = LaidOut(root, scene, layout)
        laid_out.install()
        return laid_out

    return make


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(lay_out: Callable[[Layout], LaidOut], name: str) -> None:
    """Both copies of 2.1.3 are patched, 2.0.0 is told and left, again and back; stores keep all."""
    app = lay_out(LAYOUTS[name])
    pristine, stores = app.contents(), app.scene.stores()
    if app.layout.shares:
        shared = (app.root / "node_modules/ms/index.js").stat().st_nlink
        assert shared > 1, "the tool has linked nothing: so this would show nothing"
    assert app.weeks() == {"7"}

    code, said = app.patchtool("apply")
    assert (code, said.count("left alone")) == (0, 1), said
    assert said.count("now patched: index.js") == app.copies, said
    assert app.weeks() == {"8"}
    patched = app.contents()
    changed = [path for path, data in patched.items() if data != pristine.get(path)]
    assert (len(changed), patched.keys()) == (app.copies, pristine.keys())

    before = app.state()
    code, said = app.patchtool("apply")
    assert (code, said.count("already patched")) == (0, app.copies), said
    code, said = app.patchtool("status")
    assert (code, said.count("  patched  ")) == (0, app.copies), said
    assert app.state() == before

    code, said = app.patchtool("apply", "--reverse")
    assert (code, said.count("now pristine")) == (0, app.copies), said
    assert app.contents() == pristine
    assert app.weeks() == {"7"}
    assert app.scene.stores() == stores

    assert app.patchtool("apply")[0] == 0
    app.install()
    assert app.patchtool("apply")[0] == 0
    assert app.weeks() == {"8"}
    assert {path: app.scene.stores().get(path) for path in stores} == stores


@pytest.mark.parametrize("name", [name for name in LAYOUTS if LAYOUTS[name].is_workspace])
def test_member_of_a_workspace(lay_out: Callable[[Layout], LaidOut], name: str) -> None:
    """A member's own patches go on what is installed above it; one foreign file stops all."""
    app = lay_out(LAYOUTS[name])
    pristine, stores = app.contents(), app.scene.stores()
    for arguments, days in (((), "8"), ((), "8"), (("--reverse",), "7")):
        code, said = app.patchtool("apply", *arguments, member="packages/one")
        assert (code, said.count("left alone")) == (0, 1), said
        assert app.weeks() == {days}
    assert app.contents() == pristine

    used = app.root / "node_modules/ms/index.js"
    edited = used.with_name("edited")
    edited.write_text("edited\n")
    edited.replace(used)
    before = app.state()
    for member in ("", "packages/one"):
        code, said = app.patchtool("apply", member=member)
        assert (code, "nothing was written" in said) == (1, True), said
    assert app.state() == before
    assert app.scene.stores() == stores


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (
            Layout("yarn", files={".yarnrc.yml": "nodeLinker: pnp\n"}, bundles=False),
            "yarn's own patch: protocol",
        ),
        (
            Layout("pnpm", PNPM, {"pnpm-workspace.yaml": "enableGlobalVirtualStore: true\n"}),
            "pnpm's global virtual store",
        ),
    ],
    ids=["plug-n-play", "global-virtual-store"],
)
def test_what_cannot_be_patched_is_told_with_a_way_out(
    lay_out: Callable[[Layout], LaidOut], layout: Layout, words: str, tmp_path: Path
) -> None:
    """Packages in zips, or in directories that all projects share: exit 3, and `try:` works."""
    app = lay_out(layout)
    before, stores = app.state(), app.scene.stores()
    for command in ("apply", "status"):
        code, said = app.patchtool(command)
        assert (code, words in said) == (3, True), said
    assert app.state() == before
    assert app.scene.stores() == stores

    (line,) = [line for line in said.splitlines() if "try: " in line]
    bin_directory = tmp_path / "bin"
    bin_directory.mkdir()
    for tool in ("yarn", "pnpm"):
        program = " ".join(map(str, app.scene.programs[tool]))
        (bin_directory / tool).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (bin_directory / tool).chmod(0o755)
    path = f"{bin_directory}{os.pathsep}{os.environ['PATH']}"
    succeed(app.root, "sh", "-c", line.partition("try: ")[2], **app.scene.variables, PATH=path)
    code, said = app.patchtool("apply")
    assert (code, app.weeks()) == (0, {"8"}), said
