"""Mutation operators on what is done: statements, jumps, loops, definitions. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from patchtool.mutation.languages import Language
from patchtool.mutation.syntax import (
    Edit,
    called_name,
    emptied_with,
    field,
    is_literal,
    operator,
    parts,
    replace,
    text,
)


def removed_statement(node: Node, language: Language) -> Iterator[Edit]:
    """`a = b;`, `f();` or `throw e;` to `;`. Directives and docstrings are not statements."""
    if node.type not in language.statements:
        return
    inner = [child.type for child in parts(node)]
    if inner not in (["string"], ["ellipsis"]):
        yield replace(node, language.no_statement, emptied=emptied_with(node, language))


def removed_jump(node: Node, language: Language) -> Iterator[Edit]:
    """`continue;`, `break;` or `return a;` to `;`.

    Not where a returned value is the last thing a function does: see `removed_result`.
    """
    if node.type in ("continue_statement", "break_statement") or (
        node.type == "return_statement" and not (parts(node) and _falls_off(node, language))
    ):
        yield replace(node, language.no_statement, emptied=emptied_with(node, language))


def removed_result(node: Node, language: Language) -> Iterator[Edit]:
    """`return a;` to `return;`, and `x => a` to `x => undefined`."""
    if node.type == "return_statement" and parts(node):
        result = parts(node)[0]
        if text(result) not in language.no_values:
            yield Edit(node.children[0].end_byte, result.end_byte, b"")
    body = field(node, "body")
    if node.type in ("arrow_function", "lambda") and body and body.type not in language.blocks:
        yield replace(body, language.no_value)


def removed_handler(node: Node, _language: Language) -> Iterator[Edit]:
    """`try { a } catch { b }` to `{ a }`."""
    body = field(node, "body")
    if node.type != "try_statement" or body is None:
        return
    keyword = node.children[0]
    start, end = keyword.end_byte - node.start_byte, body.end_byte - node.start_byte
    # Python's block needs something to be the block of.
    before = b"if True" if text(node)[start:].lstrip().startswith(b":") else b""
    yield replace(node, before + text(node)[start:end])


def removed_value(node: Node, language: Language) -> Iterator[Edit]:
    """`const x = f();` to `const x = undefined;`, and likewise a field or a parameter's default.

    Not literals, which have an operator of their own, nor functions.
    """
    value = field(node, "value")
    if node.type in ("assignment_pattern", "object_assignment_pattern"):
        value = field(node, "right")
    elif node.type not in language.definitions or _is_counter(node):
        return
    if value and not is_literal(value, language) and value.type not in language.functions:
        yield replace(value, language.no_value)


def emptied_iteration(node: Node, language: Language) -> Iterator[Edit]:
    """`for (const x of xs)` to `for (const x of [])`."""
    items = _iterated(node)
    if items is not None:
        yield replace(items, language.empty_iterable, emptied=emptied_with(items, language))


def reversed_iteration(node: Node, language: Language) -> Iterator[Edit]:
    """`for (const x of xs)` to `of [...xs].reverse()`; `for (i = 0; i < n; i++)` to run down.

    Not where order has no effect.
    """
    items = _iterated(node)
    if items is not None and not _is_orderless(node, items, language):
        before, after = language.reversal
        inner = b"(%s)" % text(items) if items.type == "expression_list" else text(items)
        yield replace(items, before + inner + after)
    elif node.type == "for_statement" and field(node, "increment") is not None:
        yield from _reversed_counter(node)


def _iterated(node: Node) -> Node | None:
    """What a loop over items goes over; none for a loop that awaits them or goes over keys."""
    if any(child.type in ("async", "await") for child in node.children):
        return None
    if node.type == "for_in_statement":
        return field(node, "right") if text(operator(node)) == b"of" else None
    return field(node, "right") if node.type in ("for_statement", "for_in_clause") else None


def _is_orderless(node: Node, items: Node, language: Language) -> bool:
    """Whether a loop goes over one item, or makes a set or one value of all items."""
    if items.type in ("array", "list", "tuple") and len(parts(items)) == 1:
        return (
            not parts(items)[0].type.endswith("splat") and parts(items)[0].type != "spread_element"
        )
    made = node.parent if node.type == "for_in_clause" else None
    if made is None or made.type == "set_comprehension":
        return made is not None
    return (
        made.type == "generator_expression"
        and made.parent is not None
        and text(called_name(made.parent)) in language.orderless_names
    )


# The condition's operator: (the first value of the reversed loop, its condition's operator).
_COUNTERS = {
    (b"++", b"<"): (b"(%s) - 1", b">="),
    (b"++", b"<="): (b"%s", b">="),
    (b"--", b">"): (b"(%s) + 1", b"<="),
    (b"--", b">="): (b"%s", b"<="),
}


def _reversed_counter(node: Node) -> Iterator[Edit]:
    """Run `let i = first; i < end; i++` from the last value down, and the other way round."""
    start, condition, step = (
        field(node, name) for name in ("initializer", "condition", "increment")
    )
    declared = parts(start) if start else []
    if start is None or condition is None or step is None or len(declared) != 1:
        return
    first, name = field(declared[0], "value"), field(declared[0], "name")
    known = _COUNTERS.get((text(operator(step)), text(operator(condition))))
    if first is None or known is None or text(field(condition, "left")) != text(name):
        return
    begin, comparison = known
    other = b"--" if text(operator(step)) == b"++" else b"++"
    yield Edit(
        first.start_byte,
        step.end_byte,
        b"%s; %s %s %s; %s%s"
        % (
            begin % text(field(condition, "right")),
            *(text(name), comparison, text(first)),
            *(text(name), other),
        ),
    )


def _is_counter(node: Node) -> bool:
    """Whether a definition is the counter of a loop, whose condition is mutated already."""
    return node.parent is not None and field(node.parent.parent, "initializer") == node.parent


_BRANCHES = ("if_statement", "elif_clause", "else_clause")


def _falls_off(node: Node, language: Language) -> bool:
    """Whether nothing follows a statement before its function ends."""
    parent = node.parent
    while parent is not None and (parent.type in language.blocks or parent.type in _BRANCHES):
        following = [child for child in parts(parent) if child.start_byte >= node.end_byte]
        if any(child.type not in ("else_clause", "elif_clause") for child in following):
            return False
        node, parent = parent, parent.parent
    return parent is not None and parent.type in language.functions
