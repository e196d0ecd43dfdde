"""What earlier analyses of a guard have learned: it saves runs and decides nothing. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from patchtool.mutation.generator import Mutant

# How many changes are kept: those of some pins, and of the patch as it was before.
MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Which case killed each `Mutant.change`, and the changes that told most cases apart.

    Of more than `MOST` the oldest are forgotten.
    """

    killers: Mapping[str, str] = field(default_factory=dict)
    telling: Sequence[str] = ()

    def cases(self, among: Collection[str]) -> tuple[str, ...]:
        """The killers, those of most changes first."""
        counted = Counter(self.killers.values())
        return tuple(case for case, _ in counted.most_common() if case in among)

    def killer(self, mutant: Mutant) -> tuple[str, ...]:
        """The case that killed this change before, or nothing."""
        return (self.killers[mutant.change],) if mutant.change in self.killers else ()

    def and_then(self, later: Hints) -> Hints:
        """These, and what was learned later, which counts for more."""
        older = {key: case for key, case in self.killers.items() if key not in later.killers}
        killers = {**older, **later.killers}
        telling = dict.fromkeys([*later.telling, *self.telling])
        return Hints(
            killers=dict([*killers.items()][-MOST:]),
            telling=tuple(telling)[:MOST],
        )

    def dump(self) -> bytes:
        """The hints as JSON."""
        return json.dumps({"killers": dict(self.killers), "telling": [*self.telling]}).encode()

    @classmethod
    def load(cls, data: bytes, cases: Collection[str]) -> Hints:
        """The hints that `dump` made these bytes of, as far as they are about these cases."""
        kept = json.loads(data)
        killers = {key: case for key, case in kept["killers"].items() if case in cases}
        return cls(killers=killers, telling=tuple(kept["telling"]))
