"""The one command to run after a verdict.

It must not decide anything, and runs nothing: it finds the words for what has been decided.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from patchtool import ecosystems
from patchtool.candidate import Candidate
from patchtool.errors import Problem
from patchtool.project import Fix, Pin, Project
from patchtool.verdict import LOST, Verdict, Word


def next_command(
    fix: Fix,
    pin: Pin,
    candidate: Candidate | None,
    verdict: Verdict,
    refusal: Problem | None,
    project: Project,
    *,
    to: str | None,
    environment: Mapping[str, str],
) -> str:
    """The one command to run next; what follows it stands behind a `#`."""
    word = verdict.word
    if word is Word.UNSURE or candidate is None:
        return _to_be_sure(fix, verdict, refusal, to)
    releases = " and ".join(map(str, candidate.packages))
    if word is Word.DELETE:
        files = " ".join(shlex.quote(str(file.path)) for file in pin.patches)
        rest = "the pin in patches.toml; then: patchtool lock"
        if [each for fix in project.fixes for each in fix.pins] == [pin]:
            rest = "all of its directory: no fix is left, and patchtool apply has nothing to do"
        return f"git rm {files}  # once {releases} is what is installed; and {rest}"
    lead = candidate.lead
    install = ecosystems.of(lead).install_command(lead, project.root, environment)
    if word is Word.REBASE:
        return f"{install}  # then make the patch anew against it"
    if candidate.packages == pin.packages:
        return "patchtool check-pristine"
    if not verdict.still_needed:
        return f"{install}  # in place of {pin.lead}, wherever that is installed"
    if refusal is not None:
        return f"{install}  # then make the patch anew: it fits, but at other lines"
    moves = " && ".join(f"git mv {' '.join(names)}" for names in _moved(pin, candidate))
    if not moves:
        return f"patchtool lock  # once the pin in patches.toml has {releases}"
    return f"{moves}  # and the pin in patches.toml; then: patchtool lock"


def _to_be_sure(fix: Fix, verdict: Verdict, refusal: Problem | None, to: str | None) -> str:
    """What may make the answer known: the remedy for what was in the way, for this fix alone."""
    again = f"patchtool should-delete {fix.name}"
    if to is not None:
        again += f" --to {shlex.quote(to)}"
    if refusal is None:
        if all(reason.startswith(LOST) for reason in verdict.reasons):
            return f"patchtool lock  # if it was meant to lose them; then: {again}"
        return f"patchtool guard {fix.name} --fresh"
    if refusal.remedy is None or refusal.kind == "network":  # to look at that mends nothing
        return f"{again}  # once that is mended"
    ours = refusal.remedy.startswith("patchtool should-delete ")
    return f"{refusal.remedy} {fix.name}" if ours else refusal.remedy


def _moved(pin: Pin, candidate: Candidate) -> Iterator[tuple[str, str]]:
    """The path of each patch that is now named for another release, and its path for that one."""
    versions = {package.name: package.version for package in candidate.packages}
    for file in pin.patches:
        name = replace(file.name, version=versions[file.package.name])
        if name != file.name:
            yield shlex.quote(str(file.path)), shlex.quote(str(file.path.with_name(str(name))))
