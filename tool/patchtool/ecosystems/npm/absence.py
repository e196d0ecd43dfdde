"""Why a package is not among those found: it may be left out, or it is where nothing is patched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from patchtool.ecosystems.npm.project_files import MODULES, read, table, text, top_of
from patchtool.errors import CannotTell, Problem


def may_be_absent(root: Path, name: str, environment: Mapping[str, str]) -> str | None:
    """Why npm may have left `name` out: a kind of dependency that an install may omit, or None.

    `CannotTell` if packages are installed in a way that cannot be patched.
    """
    top = top_of(root)
    _check_plug_n_play(top, name)
    _check_shared_store(top, name)
    manifest = read(f"{root}/package.json")
    if name in table(manifest.get("optionalDependencies")):
        return "it is an optional dependency"
    if table(table(manifest.get("peerDependenciesMeta")).get(name)).get("optional"):
        return "it is an optional peer dependency"
    production = _omits_development(environment)
    if production and name in table(manifest.get("devDependencies")):
        return f"it is a development dependency, and {production}"
    packages = table(read(f"{top}/package-lock.json").get("packages"))
    copies = [
        table(package)
        for place, package in packages.items()
        if place.rpartition(f"{MODULES}/")[2] == name
    ]
    if copies and all(copy.get("optional") for copy in copies):
        return "only optional dependencies need it"
    if production and copies and all(copy.get("dev") or copy.get("devOptional") for copy in copies):
        return f"only development needs it, and {production}"
    return None


def _omits_development(environment: Mapping[str, str]) -> str | None:
    """What says that development dependencies are not installed, if anything does."""
    variables = {key.lower(): value for key, value in environment.items()}
    included = variables.get("npm_config_include", "").replace("\n", ",").split(",")
    if "dev" in included:
        return None
    if "dev" in variables.get("npm_config_omit", "").replace("\n", ",").split(","):
        return "npm was told to omit those"
    if variables.get("npm_config_production") == "true":
        return "npm was told to install for production"
    return "NODE_ENV is production" if variables.get("node_env") == "production" else None


def _check_plug_n_play(top: str, name: str) -> None:
    path = Path(top, ".pnp.cjs")
    if path.exists():
        raise CannotTell(
            Problem(
                kind="plug-n-play",
                what="is in a zip file of Yarn Plug'n'Play, where nothing can be patched: keep the "
                f"fix with yarn's own patch: protocol (yarn patch {name}), or let yarn install "
                f"into {MODULES}",
                subject=name,
                path=str(path),
                remedy="yarn config set nodeLinker node-modules && yarn install",
            )
        )


def _check_shared_store(top: str, name: str) -> None:
    store = shared_store(top)
    if store is not None:
        raise CannotTell(
            Problem(
                kind="linked",
                what="can only be in pnpm's global virtual store, which other projects share",
                subject=name,
                path=store,
                remedy="pnpm config set --location project enableGlobalVirtualStore false "
                "&& pnpm install",
            )
        )


def shared_store(top: str) -> str | None:
    """Where pnpm keeps the packages of a project, if that is not in the project itself."""
    record = text(f"{top}/{MODULES}/.modules.yaml")
    if not record:
        return None
    import re  # imported late: hardly a project needs it

    found = re.search(r"""virtualStoreDir"?: *["']?([^"'\n]+)""", record)
    store = os.path.realpath(Path(top, MODULES, found[1])) if found else top
    return None if Path(store).is_relative_to(top) else store
