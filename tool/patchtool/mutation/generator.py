"""The mutants of a patched file: small changes of the lines a patch adds, each still a program.

Pure, and the same bytes always give the same mutants in the same order.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from tree_sitter import Node, Point, Tree

from patchtool.errors import CannotTell, Problem
from patchtool.mutation.languages import Language, parser
from patchtool.mutation.operators import OPERATORS
from patchtool.mutation.syntax import Edit, is_annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file: `original`, at the byte offset `start`, becomes `mutated`.

    `line` counts from 1 and `column` in bytes from 1, both where the change starts. `id` depends
    on the file's name, the operator and the lines changed, not on where they stand, so that it
    outlives changes elsewhere in the file; `change` on the last two alone, however they are spaced,
    so that it is the same in the patches of other releases.
    """

    id: str
    file: str
    operator: str
    line: int
    column: int
    start: int
    original: bytes
    mutated: bytes
    change: str = ""

    @property
    def end(self) -> int:
        """The byte offset behind the original."""
        return self.start + len(self.original)

    def apply(self, source: bytes) -> bytes:
        """The file with the change made; ValueError if these are not the bytes it was made for."""
        if source[self.start : self.end] != self.original:
            raise ValueError(f"mutant {self.id} was made for other bytes")
        return source[: self.start] + self.mutated + source[self.end :]

    def lines(self, source: bytes, *, before: int = 0, behind: int = 0) -> tuple[bytes, bytes]:
        """The whole lines that change, as they were and as they become, and lines around them."""
        first, last = self.start, max(self.start, self.end - 1)
        start = source.rfind(b"\n", 0, first) + 1
        for _ in range(before):
            start = source.rfind(b"\n", 0, max(start - 1, 0)) + 1
        stop = _line_end(source, last)
        for _ in range(behind):
            stop = _line_end(source, min(stop + 1, len(source)))
        after = source[start:first] + self.mutated + source[self.end : stop]
        return source[start:stop], after


def _line_end(source: bytes, offset: int) -> int:
    found = source.find(b"\n", offset)
    return len(source) if found < 0 else found


def added_lines(pristine: bytes, patched: bytes) -> frozenset[int]:
    """The numbers of the patched lines, from 1, that the pristine file does not have there."""
    matcher = SequenceMatcher(None, pristine.split(b"\n"), patched.split(b"\n"), autojunk=False)
    return frozenset(
        number + 1
        for tag, _, _, start, end in matcher.get_opcodes()
        if tag in ("insert", "replace")
        for number in range(start, end)
    )


def mutants(
    pristine: bytes, patched: bytes, language: Language, file: str = ""
) -> tuple[Mutant, ...]:
    """Every mutant of the lines that make `patched` of `pristine`, in the order they stand.

    `file` is any name that tells this file from others whose mutants are made. An edit that
    touches any other line is left out, and so is one that does not parse, gives bytes already
    seen, or makes nothing of what another makes nothing of. Raises `CannotTell` if `patched`
    itself does not parse.
    """
    parse = parser(language)
    tree = parse.parse(patched)
    if tree.root_node.has_error:
        what = f"the patched file cannot be read as {language.name}"
        raise CannotTell(Problem(kind="parse", what=what, path=file or None))
    added = added_lines(pristine, patched)
    lines = _line_starts(patched)
    seen: set[bytes | tuple[int, int]] = {patched}
    counts: Counter[bytes] = Counter()
    found: list[Mutant] = []
    for name, edit in _edits(tree.root_node, language, added):
        start, last = _point(lines, edit.start), _point(lines, max(edit.start, edit.end - 1))
        after = patched[: edit.start] + edit.text + patched[edit.end :]
        if not added.issuperset(range(start.row + 1, last.row + 2)):
            continue
        if after in seen or edit.emptied in seen:
            continue
        changed = _edited(tree, edit, start, _point(lines, edit.end))
        if parse.parse(after, changed).root_node.has_error:
            continue
        seen |= {after} if edit.emptied is None else {after, edit.emptied}
        found.append(_mutant(file, name, edit, patched, start, counts))
    return tuple(sorted(found, key=lambda mutant: (mutant.start, mutant.end)))


def _edits(node: Node, language: Language, added: Set[int]) -> Iterator[tuple[str, Edit]]:
    """Each operator's edits of a node and all below it, without the parts no added line is in."""
    if added.isdisjoint(range(node.start_point.row + 1, node.end_point.row + 2)):
        return
    if is_annotation(node, language):
        return
    for name, operator in OPERATORS.items():
        yield from ((name, edit) for edit in operator(node, language))
    for child in node.children:
        yield from _edits(child, language, added)


def _edited(tree: Tree, edit: Edit, start: Point, end: Point) -> Tree:
    """The tree, told of an edit: then only what is around it need be parsed again."""
    rows = edit.text.count(b"\n")
    column = len(edit.text) - edit.text.rfind(b"\n") - 1
    new_end = Point(start.row + rows, column if rows else start.column + len(edit.text))
    edited = tree.copy()
    edited.edit(edit.start, edit.end, edit.start + len(edit.text), start, end, new_end)
    return edited


def _line_starts(source: bytes) -> list[int]:
    return [0, *(match.end() for match in re.finditer(b"\n", source))]


def _point(lines: Sequence[int], offset: int) -> Point:
    """An offset as a row and a column, both from 0."""
    row = bisect_right(lines, offset) - 1
    return Point(row, offset - lines[row])


def _mutant(
    file: str, name: str, edit: Edit, source: bytes, start: Point, counts: Counter[bytes]
) -> Mutant:
    made = Mutant(
        id="",
        file=file,
        operator=name,
        line=start.row + 1,
        column=start.column + 1,
        start=edit.start,
        original=source[edit.start : edit.end],
        mutated=edit.text,
    )
    content = b"\0".join((name.encode(), *made.lines(source)))
    # The same change of the same lines at another place needs another id: they are counted.
    counts[content] += 1
    content += b"\0%d" % counts[content]
    where = file.encode(errors="surrogateescape") + b"\0"
    spaced = b" ".join(content.split())
    return replace(made, id=_digest(where + content)[:8], change=_digest(spaced)[:16])


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
