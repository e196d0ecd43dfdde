"""The verdicts as text: the word, why, what is still needed, and what to run next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from patchtool.report.layout import count, indented
from patchtool.report.problem import lines, printable
from patchtool.verdict import Word

if TYPE_CHECKING:
    from patchtool.commands.should_delete import PinVerdict, Result


def text(result: Result) -> str:
    """One verdict after the other."""
    return "\n".join(_verdict(pin) for pin in result.pins)


def _verdict(pin: PinVerdict) -> str:
    parts = [f"{pin.verdict.word.value}  {pin.fix} (pinned to {pin.pin})\n"]
    if pin.candidate is not None:
        names = ", ".join(map(str, pin.candidate.packages))
        parts.append(f"  candidate: {names} ({pin.candidate.reason})\n")
    parts += [indented(f"because: {reason}") for reason in _reasons(pin)]
    parts += _cases("still needed there", pin.verdict.still_needed)
    parts += _cases("needed on the pin, now control", pin.verdict.now_control)
    for adopted in pin.adopted:
        parts.append(
            f"  upstream has {adopted.adopted} of {count(adopted.hunks, 'hunk')}"
            f" of {adopted.patch} in {printable(adopted.path)}\n"
        )
    parts.append(f"  next: {printable(pin.next)}\n")
    return "".join(parts)


def _reasons(pin: PinVerdict) -> list[str]:
    """The reasons, with the refusal in full; its remedy is the next command."""
    if pin.refusal is None:
        return [*pin.verdict.reasons]
    refusal = lines(replace(pin.refusal, remedy=None))
    # What kept the answer from being known is the one reason.
    return [refusal] if pin.verdict.word is Word.UNSURE else [*pin.verdict.reasons, refusal]


def _cases(heading: str, names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    return [f"  {heading} ({len(names)}):\n", *(f"    {printable(name)}\n" for name in names)]
