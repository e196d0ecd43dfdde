"""The verdicts as text: the word, why, what is still needed, and what to run next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchtool.report.layout import count, problems
from patchtool.report.problem import printable

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
    parts += [f"  because: {printable(reason)}\n" for reason in pin.verdict.reasons]
    if pin.refusal is not None:
        parts.append(_indented(problems([pin.refusal])))
    parts += _cases("still needed there", pin.verdict.still_needed)
    parts += _cases("needed on the pin, now control", pin.verdict.now_control)
    for adopted in pin.adopted:
        parts.append(
            f"  upstream has {adopted.adopted} of {count(adopted.hunks, 'hunk')}"
            f" of {adopted.patch} in {printable(adopted.path)}\n"
        )
    parts.append(f"  next: {printable(pin.next)}\n")
    return "".join(parts)


def _cases(heading: str, names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    return [f"  {heading} ({len(names)}):\n", *(f"    {printable(name)}\n" for name in names)]


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
