"""An input as data, its trial, and everything that is wrong with how the tool took it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .measure import Ran, run
from .world import SECRETS, World

# A message that is longer is not clear, in characters.
_CLEAR = 20_000
# Lines of a report that are no message: what stands around the problems.
_FURNITURE = ("nothing was written", "problems:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One hostile input and what must come of it.

    `lay_out` puts it into a world and gives the words of the command that meets it, which must end
    with `code` and, unless that is 0, with one message that `says` so (a regular expression),
    within so many seconds and megabytes. `is_long` leaves it out of the small form.
    """

    name: str
    lay_out: Callable[[World], Sequence[str]]
    code: int
    says: str = ""
    seconds: int = 30
    megabytes: int = 300
    is_long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of the input of this name."""

    name: str
    ran: Ran
    wrong: tuple[str, ...]


def attempt(each: Input) -> Trial:
    """Give the input to the command line, in a world of its own."""
    with tempfile.TemporaryDirectory(prefix="patchtool-hostile-") as directory:
        world = World(Path(directory))
        try:
            words = each.lay_out(world)
            world.settle()
            ran = run(
                words,
                environment=world.environment,
                directory=world.root,
                limit=2 * each.seconds,
            )
            wrong = (*wrong_run(each, ran), *_wrong_files(each, world))
        finally:
            world.close()
    return Trial(name=each.name, ran=ran, wrong=wrong)


def wrong_run(each: Input, ran: Ran) -> Iterator[str]:
    """What is wrong with how the tool ended, with what it said, and with what it took."""
    said = ran.out + ran.err
    if ran.seconds > each.seconds:
        yield f"took {ran.seconds:.1f} seconds, expected at most {each.seconds}"
    if ran.megabytes > each.megabytes:
        yield f"took {ran.megabytes:.0f} MB, expected at most {each.megabytes}"
    if ran.code != each.code:
        yield f"exit {ran.code}, expected {each.code}: {said:.600}"
    elif each.code != 0:
        yield from _wrong_message(each, ran)
    elif ran.err:
        yield f"exit 0 with trouble: {ran.err:.600}"
    if any(secret in said for secret in SECRETS):
        yield f"a secret in the output: {said:.600}"
    if len(said) > _CLEAR:
        yield f"{len(said)} characters, expected at most {_CLEAR}"
    if not all(letter.isprintable() or letter == "\n" for letter in said):
        yield "control characters in the output"


def _wrong_message(each: Input, ran: Ran) -> Iterator[str]:
    """What is wrong with the message: trouble is on stderr alone, findings on stdout alone."""
    text, other = (ran.err, ran.out) if each.code in (2, 3) else (ran.out, ran.err)
    heads = [line for line in re.findall(r"^\S.*", text, re.MULTILINE) if line not in _FURNITURE]
    if len(heads) != 1 or other or "Traceback" in text:
        yield f"{len(heads)} messages, expected one: {ran.out:.400}{ran.err:.400}"
    elif not re.search(each.says, text):
        yield f"expected a message about {each.says!r}, found: {text:.600}"


def _wrong_files(each: Input, world: World) -> Iterator[str]:
    """What is wrong with what the run has left on the disk."""
    for path in world.changed():
        if each.code != 0 or path.startswith("outside/"):
            yield f"changed {path}"
    for path in world.leaks():
        yield f"a secret in {path}"
    for path in world.left():
        yield f"left {path}"
