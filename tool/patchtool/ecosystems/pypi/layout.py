"""Lays out a stack: the packages and all they need, installed once by pip and then left alone.

Only wheels are taken, so that nothing is built and no code of a package runs.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name, parse_wheel_filename

from patchtool import process, stack
from patchtool.ecosystems import Runtime
from patchtool.ecosystems.pypi.contents import fetch, integrity
from patchtool.ecosystems.pypi.program import run_pip
from patchtool.errors import CannotTell, Problem
from patchtool.package import Package
from patchtool.store import Store

# Seconds for pip to fetch and to install a stack on a slow network.
_LIMIT = 600.0

_WHEELS_ONLY = ("--only-binary", ":all:")

# What is installed is in the directory of wheels, whatever pip is configured for.
_INSTALL = (
    *("--isolated", "--no-index", "--no-deps", "--no-compile", "--ignore-installed"),
    "--no-warn-script-location",
)

# Bytecode is compared with its source by content: a stack's files are replaced within a second,
# and size and time do not tell such versions apart.
_COMPILE = ("-I", "-m", "compileall", "-q", "--invalidation-mode", "checked-hash")


def lay_out(packages: Sequence[Package], store: Store) -> Path:
    """A site-packages with `packages` and all they need, for the Python that runs.

    Nobody may change it. The first time pip finds out what else is needed; the wheels that it
    took are kept, and make the same tree ever after.
    """
    key = json.dumps([_identity(), sorted(package.purl for package in packages)])
    lock = store.kept("pypi-locks", key)
    done = stack.find(lock, store) if lock else None
    if done:
        return done
    subject = " and ".join(map(str, packages))
    with store.cache.scratch() as scratch, store.progress.during(f"installing {subject}"):
        wheels = scratch / "wheels"
        wheels.mkdir()
        if lock:
            _take(json.loads(lock), wheels, store)
        else:
            lock = _resolve(packages, wheels, store, subject)
        site = scratch / "site"
        names = [f"{each['name']}=={each['version']}" for each in json.loads(lock)]
        run_pip(
            ["install", *_INSTALL, *_WHEELS_ONLY, "--find-links", wheels, "--target", site, *names],
            directory=scratch,
            store=store,
            subject=subject,
            timeout=_LIMIT,
        )
        process.run(  # some packages ship files that no Python compiles: its exit code says nothing
            [sys.executable, *_COMPILE, site],
            directory=scratch,
            environment=process.clean(store.environment),
            timeout=_LIMIT,
        )
        done = stack.publish(site, lock, store)
    store.keep("pypi-locks", key, lock)
    return done


def package_directory(stack: Path, name: str) -> Path:  # noqa: ARG001
    """Where the paths of a package start in a laid-out stack: all of them share one directory."""
    return stack


def runtime(store: Store) -> Runtime:
    """The Python that runs, and no variable that would show it other packages."""
    return Runtime(identity=_identity(), environment=process.clean(store.environment))


def _identity() -> str:
    return f"{sys.implementation.cache_tag} {sys.version} {platform.platform()}"


def _resolve(packages: Sequence[Package], wheels: Path, store: Store, subject: str) -> bytes:
    """Let pip fetch what is needed; keep each wheel, and say which there are, as a lockfile."""
    store.require_network(subject)
    run_pip(
        ["download", *_WHEELS_ONLY, "--dest", wheels, *map(_requirement, packages)],
        directory=store.root,
        store=store,
        subject=subject,
        timeout=_LIMIT,
    )
    locked = []
    for wheel in sorted(wheels.iterdir()):
        data = wheel.read_bytes()
        name, version, _, _ = parse_wheel_filename(wheel.name)
        sha256 = hashlib.sha256(data).hexdigest()
        store.cache.keep_artefact(f"sha256-{sha256}", data, wheel.name)
        locked.append({"name": name, "version": str(version), "file": wheel.name, "sha256": sha256})
    for package in packages:
        _check(package, locked, store)
    return json.dumps(locked, indent=1).encode()


def _requirement(package: Package) -> str:
    return f"{package.name}=={package.version}"


def _check(package: Package, locked: Sequence[Mapping[str, str]], store: Store) -> None:
    """`CannotTell` if pip took another file of a package than the one that is meant."""
    taken = next(each for each in locked if each["name"] == canonicalize_name(package.name))
    found = f"sha256-{taken['sha256']}"
    expected = integrity(package if package.file else package.of_file(taken["file"]), store)
    if found != expected:
        raise CannotTell(
            Problem(
                kind="pip",
                what="pip takes another file of this release here, and a stack is what pip takes",
                subject=str(package),
                expected=f"{package.file or taken['file']} {expected}",
                found=f"{taken['file']} {found}",
            )
        )


def _take(locked: Sequence[Mapping[str, Any]], wheels: Path, store: Store) -> None:
    """The locked wheels, from the cache or else from where they were."""
    for each in locked:
        package = Package(
            ecosystem="pypi", name=each["name"], version=each["version"], file=each["file"]
        )
        data = fetch(package, f"sha256-{each['sha256']}", store)
        (wheels / each["file"]).write_bytes(data)
