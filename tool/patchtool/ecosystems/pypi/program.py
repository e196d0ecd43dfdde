"""Runs pip itself, with the user's own configuration, and says in words why it failed."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from patchtool import process, programs
from patchtool.errors import CannotTell, Problem
from patchtool.store import Store

# What pip's messages mean here: our word for the kind, and what to say.
_MEANINGS = (
    (r"No matching distribution", "no-release", "there is no such release, or no wheel of it"),
    (r"ResolutionImpossible|conflicting dependencies", "unresolvable",
     "the packages' own requirements contradict each other"),
    (r"401 |User for ", "unauthorised", "the index wants other credentials (401)"),
    (r"403 ", "forbidden", "the index does not allow it with these credentials (403)"),
    (r"HASHES|do not match the hashes", "integrity", "the index sent other bytes than were locked"),
    (r"Connection|Timeout|Max retries|Name or service", "network", "the index cannot be reached"),
)  # fmt: skip


def run_pip(
    arguments: Sequence[str | Path],
    *,
    directory: Path,
    store: Store,
    subject: str,
    timeout: float,
) -> bytes:
    """Run pip for the interpreter that runs; its stdout. `CannotTell` if it fails, with the reason.

    pip sees all variables, because its configuration is in some; but none that would make Python
    load other code.
    """
    environment = {
        name: value
        for name, value in store.environment.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
    }
    # Help texts are wrapped to the terminal; a question would wait for an answer.
    environment |= {"COLUMNS": "1000", "PIP_NO_INPUT": "1"}
    done = process.run(
        [*_pip(store), *arguments, "--disable-pip-version-check", "--no-color"],
        directory=directory,
        environment=environment,
        timeout=timeout,
    )
    if done.code != 0:
        raise _failure(done, subject)
    return done.stdout


def _pip(store: Store) -> list[str | Path]:
    if find_spec("pip"):
        return [sys.executable, "-P", "-m", "pip"]
    try:
        return [programs.find("pip", store.environment), "--python", sys.executable]
    except CannotTell as error:
        what, remedy = "pip is not installed", f"{sys.executable} -m ensurepip"
        raise CannotTell(
            Problem(kind="program", what=what, subject="pip", remedy=remedy)
        ) from error


def _failure(done: process.Completed, subject: str) -> CannotTell:
    said = process.redact(done.stderr.decode(errors="replace").strip())
    if "Traceback (most recent call last):" in said:  # its last line says why
        said = said.rpartition("\n")[2]
    said = said[-2000:]
    for pattern, kind, what in _MEANINGS:
        if re.search(pattern, said):
            remedy = "pip index versions pip" if kind == "network" else None
            return CannotTell(
                Problem(kind=kind, what=what, subject=subject, found=said, remedy=remedy)
            )
    return CannotTell(Problem(kind="pip", what="pip failed", subject=subject, found=said))
