"""Reading a syntax tree: what the operators ask of a node, and the edit they answer with. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from patchtool.mutation.languages import Language


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes from `start` to `end` of a file by `text`.

    `emptied` is the span of what does nothing any more once that is done, if the edit is of that
    kind: two edits that empty the same span are one mutant.
    """

    start: int
    end: int
    text: bytes
    emptied: tuple[int, int] | None = None


# Given a node, an operator yields the edits it would make to it; none for most nodes.
Operator = Callable[[Node, Language], Iterator[Edit]]


def replace(node: Node, text: bytes, *, emptied: Node | None = None) -> Edit:
    """Put `text` in the place of a node."""
    return Edit(
        node.start_byte,
        node.end_byte,
        text,
        emptied=None if emptied is None else emptied.byte_range,
    )


def text(node: Node | None) -> bytes:
    """A node's source; empty for no node."""
    return b"" if node is None else node.text or b""


def field(node: Node | None, name: str) -> Node | None:
    """A node's child by the grammar's field name."""
    return None if node is None else node.child_by_field_name(name)


def parts(node: Node) -> list[Node]:
    """A node's named children without the comments between them."""
    return [child for child in node.named_children if not child.is_extra]


def operator(node: Node) -> Node | None:
    """The operator's token of a unary or binary expression with one operator."""
    found = node.children_by_field_name("operator") or node.children_by_field_name("operators")
    return found[0] if len(found) == 1 else None


def is_binary(node: Node) -> bool:
    """Whether a node joins two operands by an operator."""
    return operator(node) is not None and len(parts(node)) == 2


def is_logical(node: Node | None, language: Language) -> bool:
    """Whether a node joins two operands by a logical operator."""
    return node is not None and is_binary(node) and text(operator(node)) in language.logical


def is_negation(node: Node | None, language: Language) -> bool:
    """Whether a node is `!x` or `not x`."""
    if node is None or node.type != language.not_expression:
        return False
    return text(node.children[0]) in (b"!", b"not")


def is_literal(node: Node | None, language: Language) -> bool:
    """Whether a node is a string, a number, or a word for a value or for none."""
    return node is not None and (
        node.type in language.strings | language.numbers
        or text(node) in language.literals.keys() | language.no_values
    )


def unwrap(node: Node, language: Language) -> Node:
    """The expression inside any parentheses around it."""
    while node.type == language.parentheses and parts(node):
        node = parts(node)[0]
    return node


def wrap(node: Node, language: Language) -> Node:
    """The outermost parentheses around an expression, or the expression itself."""
    while node.parent is not None and node.parent.type == language.parentheses:
        node = node.parent
    return node


def called_name(node: Node) -> Node | None:
    """The name a call calls: of its function, or of its method."""
    function = field(node, "function")
    return field(function, "property") or field(function, "attribute") or function


def is_import(node: Node | None, language: Language) -> bool:
    """Whether a node names modules: a mutant of it would only fail to load."""
    if node is None:
        return False
    return node.type in language.imports or text(called_name(node)) in language.importers


def is_annotation(node: Node, language: Language) -> bool:
    """Whether a node is a type that no program reads, or a statement that has nothing else.

    Of the types of a class's own names, programs may read some.
    """
    if not (node.type == "type" or _declares(node)):
        return False
    holder = node.parent
    while holder is not None and holder.type not in language.functions | {"class_definition"}:
        holder = holder.parent
    return holder is not None and holder.type in language.functions


def _declares(node: Node) -> bool:
    """Whether a statement says the type of a name and gives it no value."""
    inner = node.named_children[0] if node.named_child_count == 1 else None
    return (
        node.type == "expression_statement"
        and inner is not None
        and inner.type == "assignment"
        and inner.child_by_field_name("right") is None
    )


def emptied_with(node: Node, language: Language) -> Node:
    """The largest piece of program that does nothing once `node` does nothing.

    `if (a) { b(); }` does nothing without `b();`, unless asking for `a` does something.
    """
    parent = node.parent
    if parent is None:
        return node
    if parent.type in language.blocks and len(parts(parent)) == 1:
        holder = parent.parent
        return emptied_with(parent, language) if _holds(holder, language) else node
    if parent.type == "else_clause":
        return parent
    if _holds(parent, language) and field(parent, "alternative") is None:
        return emptied_with(parent, language) if _is_idle(parent) else node
    return node


def _holds(node: Node | None, language: Language) -> bool:
    return node is not None and node.type in language.holders


# What may do something when it is evaluated: calls, assignments, steps.
_ACTIVE = (b"(", b"=", b"++", b"--", b"await", b"yield")


def _is_idle(holder: Node) -> bool:
    """Whether evaluating what a branch asks, or what a loop goes over, does nothing by itself."""
    head = field(holder, "condition") or field(holder, "right")
    asked = re.sub(rb"[=!<>]=+", b"", text(head))
    if asked.startswith(b"(") and asked.endswith(b")"):
        asked = asked[1:-1]
    return not any(word in asked for word in _ACTIVE)
