"""A lead and its consumer on a registry of the tests', for what runs a guard on their stacks.

lead   its index.js                                     a consumer   the verdict
1.0.0  broken: the pin                                  yes
1.0.1  as in 1.0.0                                      yes          KEEP
1.1.0  broken, two lines further down                   yes          KEEP
1.2.0  broken, and written anew                         yes          REBASE
1.3.0  right                                            yes          DELETE
1.4.0  right                                            no           UNSURE
1.5.0  broken; the patch goes on and does not help      yes          REBASE
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from app_making import App
from http_server import Server
from npm_registry import Registry

BEFORE = "// one\n// two\nmodule.exports = 'broken';\n// four\n// five\n"
AFTER = BEFORE.replace("'broken'", "'right' /* patched */")
RELEASES = {
    "1.0.0": BEFORE,
    "1.0.1": BEFORE,
    "1.1.0": "// a\n// b\n" + BEFORE,
    "1.2.0": "exports.default = 'broken';\n",
    "1.3.0": BEFORE.replace("'broken'", "'right'"),
    "1.4.0": BEFORE.replace("'broken'", "'right'"),
    "1.5.0": BEFORE + "module.exports = 'broken';\n",
}
PATCH_NAME = "lead+1.0.0.patch"
PATCH = """\
Why: it is broken

diff --git a/node_modules/lead/index.js b/node_modules/lead/index.js
--- a/node_modules/lead/index.js
+++ b/node_modules/lead/index.js
@@ -2,3 +2,3 @@
 // two
-module.exports = 'broken';
+module.exports = 'right' /* patched */;
 // four
"""

# A guard that is a program: it knows the cell of the grid it runs in, which no real guard does.
PRELUDE = """\
import os, pathlib, sys
lead = pathlib.Path(os.environ["PATCHTOOL_STACK"], "node_modules/lead/index.js").read_text()
manifest = pathlib.Path(os.environ["PATCHTOOL_STACK"], "node_modules/lead/package.json").read_text()
release = "pin" if '"1.0.0"' in manifest else "candidate"
cell = release + (" with" if "patched" in lead else " without")
with open("runs", "a") as runs:
    runs.write(cell + "\\n")
number = pathlib.Path("runs").read_text().splitlines().count(cell)
right = "broken" not in lead
cases = {"is right": right, "is there": True}
def write(cases):
    children = {True: "", False: "<failure/>", None: "<skipped/>"}
    text = "".join(f'<testcase name="{name}">{children[case]}</testcase>'
                   for name, case in cases.items())
    pathlib.Path(os.environ["PATCHTOOL_JUNIT"]).write_text(f"<testsuite>{text}</testsuite>")
    sys.exit(0 if all(case is not False for case in cases.values()) else 1)
"""


@dataclass(frozen=True)
class World:
    """The registry, and a cache in which stacks stay from test to test."""

    registry: Registry
    directory: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment that leads npm and patchtool here."""
        return {
            "HOME": str(self.directory),
            "PATCHTOOL_CACHE": str(self.directory / "cache"),
            "npm_config_cache": str(self.directory / "npm-cache"),
            "npm_config_registry": self.registry.url,
            "npm_config_fetch_retries": "0",
            "npm_config_update_notifier": "false",
        }


def make_world(server: Server, directory: Path) -> World:
    """Publish the releases."""
    registry = Registry(server)
    for number, (version, text) in enumerate(RELEASES.items()):
        registry.publish("lead", version, {"index.js": text.encode()})
        if version != "1.4.0":
            registry.publish("consumer", f"3.0.{number}", dependencies={"lead": version})
    registry.serve()
    return World(registry, directory)


class Kept(App):
    """An app that keeps the patch of the lead, with a guard that the test writes."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        (self.patches / PATCH_NAME).write_text(PATCH)
        (root / "guard").mkdir()
        self.guard("write(cases)")

    def guard(self, text: str, *, timeout: float = 30) -> None:
        """Let the guard be this program; `cases` are its cases, `cell` is where it runs."""
        # The place makes it another guard than that of any other test: runs are kept by content.
        (self.root / "guard/run.py").write_text(f"{PRELUDE}{text}\n# {self.root}\n")
        command = [sys.executable, "-I", "-S", "guard/run.py"]
        words = ", ".join(f'"{word}"' for word in command)
        self.write_manifest(f"command = [{words}]\ntimeout = {timeout}\n")

    def pytest_guard(self, text: str) -> None:
        """Let the guard be this file of tests."""
        (self.root / "guard/test_it.py").write_text(text)
        self.write_manifest("")

    def write_manifest(self, guard: str) -> None:
        """A manifest with one fix, pinned to the lead and its consumer."""
        self.manifest(
            ["pkg:npm/lead@1.0.0", "pkg:npm/consumer@3.0.0"],
            guard=f'[fix.guard]\npath = "guard"\n{guard}',
        )

    @property
    def runs(self) -> list[str]:
        """The cell of each run so far."""
        path = self.root / "runs"
        return path.read_text().split(os.linesep)[:-1] if path.exists() else []
