"""Mutation operators on values: tokens, literals, indices, arguments, names. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from patchtool.mutation.languages import Language
from patchtool.mutation.syntax import (
    Edit,
    called_name,
    field,
    is_binary,
    is_import,
    is_literal,
    operator,
    parts,
    replace,
    text,
    unwrap,
)


def swapped_arithmetic(node: Node, language: Language) -> Iterator[Edit]:
    """`a + b` to `a - b`; `i++` to `i--`, but not where it steps a loop."""
    token = operator(node)
    if token is None:
        return
    if is_binary(node):
        others = language.arithmetic.get(text(token), ())
    elif field(node.parent, "increment") == node:
        others = ()
    else:
        others = language.update.get(text(token), ())
    yield from (replace(token, other) for other in others)


def weakened_assignment(node: Node, language: Language) -> Iterator[Edit]:
    """`a += b` to `a = b`."""
    token = operator(node)
    if token is not None:
        yield from (replace(token, other) for other in language.assignment.get(text(token), ()))


def changed_number(node: Node, language: Language) -> Iterator[Edit]:
    """An integer to the next and the last one; any other number to 0."""
    if node.type not in language.numbers or text(node.parent) in language.no_values:
        return
    try:
        value = int(text(node), 0)
    except ValueError:
        yield replace(node, b"0")
        return
    yield replace(node, b"%d" % (value + 1))
    # In parentheses: `-0` would become `--1`.
    yield replace(node, b"%d" % (value - 1) if value > 0 else b"(%d)" % (value - 1))


def shifted_index(node: Node, language: Language) -> Iterator[Edit]:
    """`a[i]` to `a[(i) + 1]`, and the same for the bounds of a slice and of `slice(i)`."""
    for index in _indices(node, language):
        inner = unwrap(index, language)
        literal = language.numbers | language.strings
        if inner.type not in literal and not any(part.type in literal for part in parts(inner)):
            yield replace(index, b"(%s) + 1" % text(inner))


def changed_string(node: Node, language: Language) -> Iterator[Edit]:
    """A string to an empty one, an empty one to `x`. Not directives, docstrings and modules."""
    if node.type not in language.strings or _is_fixed(node, language):
        return
    start, end = node.children[0].end_byte, node.children[-1].start_byte
    yield Edit(start, end, b"" if end > start else b"x")


def changed_literal(node: Node, language: Language) -> Iterator[Edit]:
    """`true` to `false` and back, `null` to `undefined`, `None` to `False`.

    Not beside `==`, which makes no difference between `null` and `undefined`.
    """
    if not node.is_named or node.named_child_count:
        return
    beside = b"" if node.parent is None else text(operator(node.parent))
    if beside not in (b"==", b"!="):
        yield from (replace(node, other) for other in language.literals.get(text(node), ()))


def changed_pattern(node: Node, _language: Language) -> Iterator[Edit]:
    """A regular expression to one that never matches, and to one that always does."""
    if node.type == "regex_pattern":
        yield replace(node, b"(?!)")
        yield replace(node, b"(?:)")


def dropped_item(node: Node, language: Language) -> Iterator[Edit]:
    """`f(a, b)` to `f(b)` and `f(a)`; likewise the items of a list and the keys of an object.

    Of the positions of a call only the last, for without another one the rest would move. Not
    `key: literal`: a changed literal is harder to notice than a missing one, and one that says
    there is no value makes no difference.
    """
    if node.type not in language.containers or is_import(node.parent, language):
        return
    for item in parts(node):
        if is_literal(field(item, "value"), language) or _moves_others(item):
            continue
        after, before = item.next_sibling, item.prev_sibling
        if after is not None and after.type == ",":
            yield Edit(item.start_byte, after.end_byte, b"")
        else:
            start = before.start_byte if before and before.type == "," else item.start_byte
            yield Edit(start, item.end_byte, b"")


def swapped_name(node: Node, language: Language) -> Iterator[Edit]:
    """A call of a function that has a twin to its twin: `find` to `findLast`, `all` to `any`."""
    name = called_name(node)
    if name is not None and field(node, "arguments") is not None:
        yield from (replace(name, other) for other in language.swapped_names.get(text(name), ()))


def dropped_call(node: Node, language: Language) -> Iterator[Edit]:
    """`s.trim()` to `s`, and `sorted(a)` to `a`: calls that only change how a value is shaped."""
    name, arguments = called_name(node), field(node, "arguments")
    if name is None or arguments is None or text(name) not in language.dropped_names:
        return
    function = field(node, "function")
    value = field(function, "object")
    if value is None and function == name and parts(arguments):
        value = parts(arguments)[0]
    if value is not None:
        yield replace(node, text(value))


def removed_optional_chain(node: Node, _language: Language) -> Iterator[Edit]:
    """`a?.b` to `a.b`, `a?.[b]` to `a[b]`, `a?.(b)` to `a(b)`."""
    if node.type == "optional_chain" and node.parent is not None:
        yield replace(node, b"." if field(node.parent, "property") else b"")


def _moves_others(item: Node) -> bool:
    """Whether an argument of a call is one of several positions, and not the last."""
    following = item.next_named_sibling
    return (
        item.parent is not None
        and item.parent.type in ("arguments", "argument_list")
        and following is not None
        and following.type not in ("keyword_argument", "dictionary_splat")
        and item.type != "keyword_argument"
    )


def _indices(node: Node, language: Language) -> list[Node]:
    """The expressions in a node that count positions."""
    if node.type == "slice":
        return parts(node)
    index = [*node.children_by_field_name("index"), *node.children_by_field_name("subscript")]
    if index:
        return [item for item in index if item.type != "slice"]
    arguments = field(node, "arguments")
    if arguments is not None and text(called_name(node)) in language.index_names:
        return parts(arguments)
    return []


def _is_fixed(node: Node, language: Language) -> bool:
    """Whether a string is no value: a directive, a docstring, a type, or a module's name."""
    parent = node.parent
    if parent is None or parent.type in ("expression_statement", "type"):
        return True
    return is_import(parent, language) or is_import(parent.parent, language)
