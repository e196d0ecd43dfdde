"""Runs npm itself, with the user's own configuration, and says in words why it failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from patchtool import process, programs
from patchtool.errors import CannotTell, Problem
from patchtool.store import Store

# What npm's error codes mean here: our word for the kind, and what to say.
_MEANINGS = {
    "ETARGET": ("no-release", "there is no such release"),
    "E404": ("not-found", "the package is not on the registry"),
    "ERESOLVE": ("unresolvable", "the packages' own requirements contradict each other"),
    "ENOTCACHED": ("offline", "is not in the cache, and --offline forbids to fetch it"),
    "E401": ("unauthorised", "the registry wants other credentials (401)"),
    "E403": ("forbidden", "the registry does not allow it with these credentials (403)"),
    "EINTEGRITY": ("integrity", "the registry sent other bytes than the lockfile has"),
    "ENOTFOUND": ("network", "the registry cannot be reached"),
    "EAI_AGAIN": ("network", "the registry cannot be reached"),
    "ECONNREFUSED": ("network", "the registry cannot be reached"),
    "ECONNRESET": ("network", "the registry cannot be reached"),
    "ETIMEDOUT": ("network", "the registry cannot be reached"),
}


_REMEDIES = {
    "network": "npm ping",
    "offline": "run the same command once without --offline",
}


def run_npm(
    arguments: Sequence[str],
    *,
    directory: Path,
    store: Store,
    subject: str,
    timeout: float,
    variables: Mapping[str, str] | None = None,
) -> bytes:
    """Run npm in `directory`; its stdout. `CannotTell` if it fails, with npm's reason.

    npm sees all variables, because an .npmrc may refer to any of them; but none that would make
    Node.js load other code. `variables` come on top.
    """
    npm = programs.find("npm", store.environment)
    environment = {
        name: value
        for name, value in store.environment.items()
        if name not in ("NODE_OPTIONS", "NODE_PATH")
    }
    environment |= variables or {}
    environment["PATH"] = programs.node_path(store.environment)
    done = process.run(
        [npm, *arguments], directory=directory, environment=environment, timeout=timeout
    )
    if done.code != 0:
        raise _failure(done, subject)
    return done.stdout


def _failure(done: process.Completed, subject: str) -> CannotTell:
    error = _reported(done.stdout)
    code = str(error.get("code"))
    kind, what = _MEANINGS.get(code, ("npm", "npm failed"))
    said = str(error.get("summary") or done.stderr.decode(errors="replace").strip()[-2000:])
    return CannotTell(
        Problem(
            kind=kind,
            what=what,
            subject=subject,
            found=process.redact(said),
            remedy=_REMEDIES.get(kind),
        )
    )


def _reported(stdout: bytes) -> Mapping[str, object]:
    """The account of an error that npm puts on stdout with --json."""
    try:
        error = json.loads(stdout)["error"]
    except (ValueError, KeyError, TypeError):
        return {}
    return error if isinstance(error, dict) else {}
