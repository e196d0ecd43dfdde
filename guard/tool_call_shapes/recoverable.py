"""Whether the calls of a labelled turn can be told from its bytes; the sweep keeps only those.

Owns the definition. It shares nothing with any client, and knows labels only as a client sees them.

**A turn is recoverable when each of its deltas has exactly one reading, and that is the truth.**
A reading of a delta is a call it continues, or that it starts a new one. It is judged with all
deltas before it read rightly, and by nothing that comes after it. The evidence, in order:

*Aliases.* `index` and `id` are a call's aliases, null and blank ones being absent. A call that has
shown such an alias, but never the value a delta carries, contradicts the delta; one that has shown
the value matches it. A delta means by its aliases the matching calls that do not contradict it.
Among several it means the newest, if that is also the last to have used each of the delta's
aliases; if not, each of these calls is a reading.

*Finished arguments.* A complete object takes no more text.

*A delta with a name* continues the call that its aliases mean, if this call is open and has the
same name or none yet; else it starts a new call, if its text opens an object or is none. Without a
match, text that opens nothing leads to the open call of its name, or without one, that does not
contradict it. A name without text is also taken by a complete call that has none yet. Two readings
remain
 - for a complete call without a name, when the delta brings text;
 - for a complete call of the same name: when the delta brings no text; when it brings the same text
   again, but no id to show that it is a resend; when the arguments were `{}`, maybe a placeholder;
 - for a delta of another name than the call it means, when an open call of its own name could also
   be meant;
 - for a delta without a match that could start a call, when an open call that does not contradict
   it has its name or none.

*A delta without a name* never starts a call while one is open. It continues the open call that its
aliases mean; else the one open call that matches; else the only open call, unless that contradicts
two aliases or some other call matches. With several open calls and nothing to choose by, each is a
reading. Beside an open call, a later one with `{}` is as good as open for text that opens an
object: the `{}` may have been a placeholder. With none open, a delta that contradicts every call
announces a new one, whose name is still to come; with text it does so only if no `{}` may have been
a placeholder for that, without text only if no call matches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from tool_call_shapes.labels import Labelled
from tool_call_shapes.stream import Delta

Alias = tuple[str, object]  # ("index", 0) or ("id", "call_a")


class Obstacle(Enum):
    """Why a turn is not recoverable, by its first delta that is not."""

    SEVERAL = "several readings"
    ANOTHER = "another reading than the truth"
    NONE = "no reading"


@dataclass(slots=True, kw_only=True)
class _Known:
    """What the deltas so far tell of one call; `used` says when each alias was used last."""

    name: str | None = None
    text: str = ""
    used: dict[Alias, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return _is_object(self.text)

    @property
    def placeholder(self) -> bool:
        """Whether the arguments may stand for those that are still to come."""
        return self.text.strip() == "{}"

    def matches(self, delta: _Evidence) -> bool:
        return any(alias in self.used for alias in delta.aliases)

    def contradicted_by(self, delta: _Evidence) -> list[Alias]:
        kinds = {kind for kind, _ in self.used}
        return [a for a in delta.aliases if a[0] in kinds and a not in self.used]

    def meant_by(self, delta: _Evidence) -> bool:
        return self.matches(delta) and not self.contradicted_by(delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What one delta shows."""

    aliases: tuple[Alias, ...]
    name: str | None
    text: str

    @property
    def could_open(self) -> bool:
        """Whether a call could begin with this text."""
        return not self.text or self.text.lstrip().startswith("{")


def obstacle(turn: Iterable[Labelled]) -> Obstacle | None:
    """Why the truth of a labelled turn cannot be told from its bytes; None if it can."""
    calls: list[_Known] = []
    numbers: dict[int, int] = {}  # the truth's number of a call -> ours, in order of appearance
    for moment, labelled in enumerate(turn):
        delta = _evidence(labelled.delta)
        truth = numbers.setdefault(labelled.call, len(numbers))
        found = _readings(calls, delta)
        if found != {truth}:
            return (
                Obstacle.NONE if not found
                else Obstacle.SEVERAL if len(found) > 1
                else Obstacle.ANOTHER
            )  # fmt: skip
        if truth == len(calls):
            calls.append(_Known())
        calls[truth].name = calls[truth].name or delta.name
        calls[truth].text += delta.text
        calls[truth].used.update(dict.fromkeys(delta.aliases, moment))
    return None


def _evidence(delta: Delta) -> _Evidence:
    function = delta.get("function") or {}
    aliases = (("index", delta.get("index")), ("id", _present(delta.get("id"))))
    return _Evidence(
        aliases=tuple(alias for alias in aliases if alias[1] is not None),
        name=_present(function.get("name")),
        text=function.get("arguments") or "",
    )


def _present(text: str | None) -> str | None:
    return text if text is not None and text.strip() else None


def _readings(calls: Sequence[_Known], delta: _Evidence) -> set[int]:
    """The calls a delta may belong to; `len(calls)` stands for a new one."""
    if delta.name is not None:
        return _named(calls, delta)
    return _nameless(calls, delta) if delta.text else _empty(calls, delta)


def _named(calls: Sequence[_Known], delta: _Evidence) -> set[int]:
    new = len(calls)
    meant = [n for n, call in enumerate(calls) if call.meant_by(delta)]
    if meant:
        found = {each for n in _latest(calls, meant, delta) for each in _if_meant(calls, n, delta)}
        if new in found:
            found |= {n for n in meant if calls[n].name == delta.name and not calls[n].complete}
        return found
    possible = [n for n, call in enumerate(calls) if not call.contradicted_by(delta)]
    found = set().union(*(_if_meant(calls, n, delta) for n in possible))
    return found | {new} if delta.could_open else found - {new}


def _if_meant(calls: Sequence[_Known], n: int, delta: _Evidence) -> set[int]:
    """The readings of a named delta whose aliases give call `n`, or do not speak against it."""
    call, new = calls[n], len(calls)
    if call.name is None:
        return {n} if not delta.text or not call.complete else {n, new}
    if call.name != delta.name:
        return {new}
    if not call.complete:
        return {n}
    if delta.text == call.text:
        same_id = any(kind == "id" for kind, _ in call.used.keys() & set(delta.aliases))
        return {n} if same_id else {n, new}
    return {n, new} if not delta.text or call.placeholder else {new}


def _nameless(calls: Sequence[_Known], delta: _Evidence) -> set[int]:
    takers = _takers(calls, delta)
    meant = [n for n in takers if calls[n].meant_by(delta)]
    if meant:
        return _latest(calls, meant, delta)
    matching = [n for n in takers if calls[n].matches(delta)]
    if matching or len(takers) > 1:
        return set(matching or takers)
    if takers:
        contradicts_both = len(calls[takers[0]].contradicted_by(delta)) == 2
        return set() if contradicts_both or _anyone_matches(calls, delta) else set(takers)
    all_against = all(call.contradicted_by(delta) and not call.placeholder for call in calls)
    return {len(calls)} if delta.could_open and all_against else set()


def _takers(calls: Sequence[_Known], delta: _Evidence) -> list[int]:
    """The open calls, and those after them whose placeholder the text may replace."""
    first_open = next((n for n, call in enumerate(calls) if not call.complete), len(calls))
    return [
        n
        for n, call in enumerate(calls)
        if not call.complete or (n > first_open and call.placeholder and delta.could_open)
    ]


def _empty(calls: Sequence[_Known], delta: _Evidence) -> set[int]:
    """The readings of a delta with neither name nor text."""
    meant = [n for n, call in enumerate(calls) if call.meant_by(delta)]
    if meant:
        return _latest(calls, meant, delta)
    announces = delta.aliases and not _anyone_matches(calls, delta)
    return {len(calls)} if announces and all(call.complete for call in calls) else set()


def _anyone_matches(calls: Sequence[_Known], delta: _Evidence) -> bool:
    return any(call.matches(delta) for call in calls)


def _latest(calls: Sequence[_Known], meant: Sequence[int], delta: _Evidence) -> set[int]:
    """The newest of the calls, and those of them that used each of the delta's aliases last."""
    last_users = {
        max(users, key=lambda n: calls[n].used[alias])
        for alias in delta.aliases
        if (users := [n for n in meant if alias in calls[n].used])
    }
    return {meant[-1]} | last_users


@cache
def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
