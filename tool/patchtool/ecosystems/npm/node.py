"""What a guard of npm packages runs with: which Node.js, and with which variables."""

from __future__ import annotations

import sys

from patchtool import process, programs
from patchtool.ecosystems import Runtime
from patchtool.errors import CannotTell, Problem
from patchtool.store import Store


def runtime(store: Store) -> Runtime:
    """Node.js first on the PATH, and its version and platform as the identity."""
    environment = process.clean(store.environment)
    environment["PATH"] = programs.node_path(store.environment)
    version = store.once("node version", lambda: _version(store))
    return Runtime(identity=f"node {version} {sys.platform}", environment=environment)


def _version(store: Store) -> str:
    done = process.run(
        [programs.find("node", store.environment), "--version"],
        directory=store.root,
        environment=process.clean(store.environment),
        timeout=60,
    )
    if done.code != 0:
        found = process.redact(done.stderr.decode(errors="replace").strip()[-2000:])
        what = "node does not run"
        raise CannotTell(Problem(kind="program", what=what, subject="node", found=found))
    return done.stdout.decode(errors="replace").strip()
