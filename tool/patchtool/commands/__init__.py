"""The commands, listed once. Each is a module with `configure(parser)` and `run(**arguments)`.

`run` returns a result with an `answer`; `report/<name>.py` turns the same result into text.
"""

from __future__ import annotations

from enum import Enum

from patchtool.values import dataclass


class Answer(Enum):
    """Whether the sentence in the command's name is true."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Command:
    """A verb of the command line: its name, and the line `patchtool --help` shows for it.

    `extra` is the extra of the distribution that it needs, if any.
    """

    name: str
    summary: str
    extra: str = ""

    @property
    def module(self) -> str:
        """The name of its module, here and in `report`."""
        return self.name.replace("-", "_")


COMMANDS = (
    Command("apply", "put the patches on what is installed (run it from postinstall)"),
    Command("status", "show what is pinned, installed and patched"),
    Command(
        "check-pristine", "prove that pin, patch and lock still fit, byte for byte (run it in CI)"
    ),
    Command("guard", "run the guard on the pin, without and with the patch"),
    Command("should-delete", "say from evidence whether a fix can go"),
    Command("lock", "write patches.lock from patches.toml, the patches and the pinned releases"),
    Command("mutate", "break each line a patch adds, and see whether the guard notices", "mutate"),
)
