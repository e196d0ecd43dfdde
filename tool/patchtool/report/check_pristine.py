"""The proof as text: each pinned release with its touched files, then what does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.report.layout import count, problems, table
from patchtool.report.problem import printable

if TYPE_CHECKING:
    from patchtool.commands.apply import Done
    from patchtool.commands.check_pristine import Proof, Result
    from patchtool.files import Identity


def text(result: Result) -> str:
    """Every release, then the problems and warnings, then what is installed."""
    wrong = [*result.problems, *(each for proof in result.proofs for each in proof.problems)]
    warnings = [each for proof in result.proofs for each in proof.warnings]
    parts = [_proof(proof) for proof in result.proofs]
    parts += [
        f"installed: {copy.package}{_other(copy)} in {copy.directory}: "
        f"{copy.before.value if copy.before else 'linked'}"
        f"{', and left alone' if copy.left_alone else ''}\n"
        for copy in result.installed
        if copy.directory
    ]
    parts.append(problems(warnings, "warnings:"))
    parts.append(problems(wrong))
    changed = sum(bool(proof.patches) for proof in result.proofs)
    if not wrong:
        parts.append(
            f"{count(changed, 'patched release')} proved: forward, in reverse, by two readers\n"
        )
    return "".join(parts)


def _other(copy: Done) -> str:
    return f" (installed is {copy.other_version})" if copy.other_version else ""


def _proof(proof: Proof) -> str:
    mark = "FAIL" if proof.problems else "ok"
    rows = [
        ("    ", path, _side(change.before), "->", _side(change.after))
        for path, change in proof.files.items()
    ]
    what = ", ".join(proof.patches) or "not patched"
    return printable(f"{mark:4}  {proof.package}  {proof.integrity[:20]}...  {what}\n") + table(
        rows
    )


def _side(identity: Identity | None) -> str:
    return f"{identity.blob} {identity.mode.value}" if identity else "no file"
