"""Lays out a stack: the packages and all they need, installed once by npm and then left alone."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from patchtool import stack
from patchtool.ecosystems.npm import registry
from patchtool.ecosystems.npm.configuration import configuration
from patchtool.ecosystems.npm.program import run_npm
from patchtool.errors import CannotTell, Problem
from patchtool.package import Package
from patchtool.store import Store

# Seconds for npm to install a stack on a slow network.
_LIMIT = 600.0

# Releases that belong together are published within minutes of each other, in any order.
_MARGIN = datetime.timedelta(days=1)

# Whatever the user has configured for other projects must not change what is laid out.
_ALWAYS = (
    "--json",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-bin-links",
    "--no-global",
    "--no-dry-run",
    "--no-engine-strict",
    "--no-legacy-peer-deps",
    "--no-strict-peer-deps",
    "--install-strategy=hoisted",
    "--include=prod",
    "--include=optional",
    "--include=peer",
    "--omit-lockfile-registry-resolved",
    "--prefer-offline",
)


def lay_out(packages: Sequence[Package], store: Store) -> Path:
    """A directory with `packages` and all they need under node_modules; nobody may change it.

    The first time npm resolves what else is needed, as of the day the packages were published,
    so that everybody gets the same tree; its lockfile is kept and decides ever after.
    """
    wanted = {package.name: package.version for package in packages}
    key = json.dumps([sys.platform, sorted(package.purl for package in packages)])
    lock = store.kept("npm-locks", key)
    done = stack.find(lock, store) if lock else None
    if done:
        return done
    subject = " and ".join(map(str, packages))
    with store.cache.scratch() as directory, store.progress.during(f"installing {subject}"):
        manifest = {"name": "stack", "private": True, "dependencies": wanted}
        (directory / "package.json").write_text(json.dumps(manifest))
        if lock:
            (directory / "package-lock.json").write_bytes(lock)
        offline = ["--offline"] if store.offline else []
        run_npm(
            [
                "ci" if lock else "install",
                *_ALWAYS,
                *_as_of(packages, store),
                *offline,
                f"--prefix={directory}",
            ],
            directory=directory,
            store=store,
            subject=subject,
            timeout=_LIMIT,
            variables=configuration(store).variables(),  # the project's .npmrc is not read here
        )
        _check(directory, wanted)
        lock = (directory / "package-lock.json").read_bytes()
        done = stack.publish(directory, lock, store)
    store.keep("npm-locks", key, lock)
    return done


def package_directory(stack: Path, name: str) -> Path:
    """Where the package stands in a laid-out stack."""
    return stack / "node_modules" / name


def _as_of(packages: Sequence[Package], store: Store) -> list[str]:
    """The option of npm to resolve as of the day after the last of the packages was published."""
    times = [registry.published(package, store) for package in packages]
    try:
        moments = [datetime.datetime.fromisoformat(time) for time in times if time]
    except ValueError:
        moments = []
    if len(moments) < len(times):
        return []  # a registry without dates: npm takes what is newest today
    return [f"--before={(max(moments) + _MARGIN).isoformat()}"]


def _check(directory: Path, wanted: dict[str, str]) -> None:
    for name, version in wanted.items():
        manifest = package_directory(directory, name) / "package.json"
        try:
            found = json.loads(manifest.read_bytes())["version"]
        except (OSError, ValueError, KeyError, TypeError):
            found = "nothing"
        if found != version:
            raise CannotTell(
                Problem(
                    kind="npm",
                    what="npm installed something else",
                    subject=name,
                    expected=version,
                    found=str(found),
                )
            )
