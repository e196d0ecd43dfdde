"""Mutation operators on what decides: conditions, logical operators, branches. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from patchtool.mutation.languages import Language
from patchtool.mutation.syntax import (
    Edit,
    emptied_with,
    field,
    is_binary,
    is_logical,
    is_negation,
    operator,
    parts,
    replace,
    text,
    unwrap,
    wrap,
)


def negated_condition(node: Node, language: Language) -> Iterator[Edit]:
    """`if (a && b)` to `if (!(a && b))`; of `a ? b : c`, this swaps the branches.

    Comparisons and `!x` are left to the operators that make the very same of them.
    """
    if not _is_condition(node, language) or is_negation(node, language):
        return
    token = operator(node)
    if text(token) in language.relational and is_binary(node):
        return
    before, after = language.negation
    yield replace(node, before + text(node) + after)


def forced_condition(node: Node, language: Language) -> Iterator[Edit]:
    """`if (a)` to `if (true)` and `if (false)`.

    Not a loop to `true`, for it would not end; nor `a && b` to `true` or `a || b` to `false`,
    for the mutants that drop one operand are mostly harder to notice.
    """
    if not _is_condition(node, language):
        return
    token = text(operator(node)) if is_logical(node, language) else b""
    parent = wrap(node, language).parent
    if token not in language.conjunctions and (parent is None or parent.type not in language.loops):
        yield replace(node, language.true)
    if token not in language.disjunctions:
        yield replace(node, language.false, emptied=emptied_with(wrap(node, language), language))


def dropped_operand(node: Node, language: Language) -> Iterator[Edit]:
    """`a && b` to `a` and to `b`; of `a && b && c`, each operand by itself."""
    if is_logical(node, language):
        for operand in parts(node):
            if text(operator(operand)) != text(operator(node)):
                kept = next(other for other in parts(node) if other != operand)
                yield replace(node, text(kept))


def swapped_logical(node: Node, language: Language) -> Iterator[Edit]:
    """`a && b` to `a || b`.

    JavaScript has no `a ?? b || c` without parentheses, so those are added around a `??`.
    """
    token = operator(node)
    if token is None or not is_logical(node, language):
        return
    for other in language.logical[text(token)]:
        yield (
            _swapped_nullish(node, other, language)
            if text(token) == b"??"
            else replace(token, other)
        )


def _swapped_nullish(node: Node, other: bytes, language: Language) -> Edit:
    left, right = (
        b"(%s)" % text(part) if is_logical(part, language) else text(part) for part in parts(node)
    )
    joined = b"%s %s %s" % (left, other, right)
    return replace(node, b"(%s)" % joined if is_logical(node.parent, language) else joined)


def swapped_relational(node: Node, language: Language) -> Iterator[Edit]:
    """`a < b` to `a >= b` and `a <= b`; each comparison of a chain by itself."""
    if len(parts(node)) < 2:
        return
    tokens = [
        *node.children_by_field_name("operator"),
        *node.children_by_field_name("operators"),
    ]
    for token in tokens:
        for other in language.relational.get(text(token), ()):
            yield replace(token, other)


def removed_negation(node: Node, language: Language) -> Iterator[Edit]:
    """`!x` to `x`."""
    if is_negation(node, language):
        yield replace(node, text(parts(node)[0]))


def removed_else(node: Node, _language: Language) -> Iterator[Edit]:
    """`if (a) b; else c;` to `if (a) b;`."""
    if node.type in ("else_clause", "elif_clause"):
        yield replace(node, b"", emptied=node)


def _is_condition(node: Node, language: Language) -> bool:
    """Whether a node is what a branch or loop asks, or a true-or-false value of its own."""
    if not node.is_named or node.is_extra or node.type == language.parentheses:
        return False
    outer = wrap(node, language)
    parent = outer.parent
    if parent is None:
        return False
    if parent.type == "conditional_expression":
        asked = parts(parent)[1] == outer
    else:
        asked = parent.type == "if_clause" or field(parent, "condition") == outer
    if asked:
        return True
    if is_logical(parent, language) or is_negation(parent, language):
        return False
    return _is_truth(unwrap(node, language), language)


def _is_truth(node: Node, language: Language) -> bool:
    """Whether a node's value is true or false: a comparison or a negation."""
    if is_negation(node, language):
        return True
    token = text(operator(node)) if len(parts(node)) > 1 else b""
    return token in language.relational or token in (b"in", b"instanceof")
