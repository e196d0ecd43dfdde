"""The languages a mutant can be made in, each one table of what its grammar calls things.

Adding a language is adding a table. Nothing here parses or edits; the operators read these tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import tree_sitter

from patchtool.errors import CannotTell, Problem
from patchtool.programs import add_extra

Swaps = Mapping[bytes, tuple[bytes, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What one grammar calls the things the operators look for.

    Node types are the grammar's own names. A swap table gives, for each token, what may stand in
    its place; for a comparison, the first is its negation.
    `no_value` is what to write for no value, `no_values` all that means the same.
    """

    name: str
    suffixes: frozenset[str]
    # Values and statements.
    true: bytes
    false: bytes
    no_value: bytes
    no_values: frozenset[bytes]
    no_statement: bytes
    empty_iterable: bytes
    negation: tuple[bytes, bytes]
    reversal: tuple[bytes, bytes]
    # Tokens.
    logical: Swaps
    conjunctions: frozenset[bytes]
    disjunctions: frozenset[bytes]
    relational: Swaps
    arithmetic: Swaps
    update: Swaps
    assignment: Swaps
    # Node types.
    functions: frozenset[str]
    blocks: frozenset[str]
    holders: frozenset[str]
    statements: frozenset[str]
    loops: frozenset[str]
    strings: frozenset[str]
    numbers: frozenset[str]
    parentheses: str
    not_expression: str
    literals: Swaps
    containers: frozenset[str]
    definitions: frozenset[str]
    imports: frozenset[str]
    # Names of functions and methods.
    importers: frozenset[bytes]
    swapped_names: Swaps
    dropped_names: frozenset[bytes]
    index_names: frozenset[bytes]
    # Functions whose result does not depend on the order of what they go over.
    orderless_names: frozenset[bytes] = frozenset()


_SHARED_RELATIONAL: Swaps = {
    b"<": (b">=", b"<="),
    b"<=": (b">", b"<"),
    b">": (b"<=", b">="),
    b">=": (b"<", b">"),
    b"==": (b"!=",),
    b"!=": (b"==",),
}
_SHARED_ARITHMETIC: Swaps = {
    b"+": (b"-",),
    b"-": (b"+",),
    b"*": (b"/",),
    b"/": (b"*",),
    b"%": (b"*",),
    b"**": (b"*",),
    b"&": (b"|",),
    b"|": (b"&",),
    b"^": (b"&",),
    b"<<": (b">>",),
    b">>": (b"<<",),
}


def _both_ways(*pairs: tuple[bytes, bytes]) -> Swaps:
    """A swap table from pairs that replace each other."""
    return {a: (b,) for pair in pairs for a, b in (pair, pair[::-1])}


JAVASCRIPT = Language(
    name="javascript",
    suffixes=frozenset({".js", ".cjs", ".mjs", ".jsx"}),
    true=b"true",
    false=b"false",
    no_value=b"undefined",
    no_values=frozenset({b"undefined", b"void 0"}),
    no_statement=b";",
    empty_iterable=b"[]",
    negation=(b"!(", b")"),
    reversal=(b"[...", b"].reverse()"),
    logical={b"&&": (b"||",), b"||": (b"&&",), b"??": (b"||",)},
    conjunctions=frozenset({b"&&"}),
    disjunctions=frozenset({b"||"}),
    relational={**_SHARED_RELATIONAL, b"===": (b"!==",), b"!==": (b"===",)},
    arithmetic={**_SHARED_ARITHMETIC, b">>>": (b"<<",)},
    update=_both_ways((b"++", b"--")),
    assignment={
        **dict.fromkeys((b"+=", b"-=", b"*=", b"/=", b"%=", b"|=", b"&="), (b"=",)),
        **dict.fromkeys((b"&&=", b"||=", b"??="), (b"=",)),
    },
    functions=frozenset(
        {
            "arrow_function",
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "method_definition",
        }
    ),
    blocks=frozenset({"statement_block"}),
    holders=frozenset({"if_statement", "else_clause", "for_in_statement"}),
    statements=frozenset({"expression_statement", "throw_statement"}),
    loops=frozenset({"for_statement", "while_statement", "do_statement"}),
    strings=frozenset({"string", "template_string"}),
    numbers=frozenset({"number"}),
    parentheses="parenthesized_expression",
    not_expression="unary_expression",
    literals={**_both_ways((b"true", b"false")), b"null": (b"undefined",)},
    containers=frozenset({"arguments", "array", "object"}),
    definitions=frozenset({"variable_declarator", "field_definition"}),
    imports=frozenset({"import_statement", "export_statement"}),
    importers=frozenset({b"require", b"import"}),
    swapped_names=_both_ways(
        (b"every", b"some"),
        (b"find", b"findLast"),
        (b"findIndex", b"findLastIndex"),
        (b"indexOf", b"lastIndexOf"),
        (b"startsWith", b"endsWith"),
        (b"toLowerCase", b"toUpperCase"),
        (b"push", b"unshift"),
        (b"pop", b"shift"),
        (b"min", b"max"),
    ),
    dropped_names=frozenset(
        {b"trim", b"trimStart", b"trimEnd", b"filter", b"slice", b"sort", b"toSorted"}
        | {b"reverse", b"toReversed", b"toString", b"flat"}
    ),
    index_names=frozenset({b"slice", b"splice", b"at", b"substring", b"charAt", b"charCodeAt"}),
)

PYTHON = Language(
    name="python",
    suffixes=frozenset({".py"}),
    true=b"True",
    false=b"False",
    no_value=b"None",
    no_values=frozenset({b"None"}),
    no_statement=b"pass",
    empty_iterable=b"()",
    negation=(b"not (", b")"),
    reversal=(b"list(", b")[::-1]"),
    logical=_both_ways((b"and", b"or")),
    conjunctions=frozenset({b"and"}),
    disjunctions=frozenset({b"or"}),
    relational={
        **_SHARED_RELATIONAL,
        **_both_ways((b"in", b"not in"), (b"is", b"is not")),
    },
    arithmetic={**_SHARED_ARITHMETIC, b"//": (b"*",)},
    update={},
    assignment=dict.fromkeys((b"+=", b"-=", b"*=", b"/=", b"//=", b"%=", b"|=", b"&="), (b"=",)),
    functions=frozenset({"function_definition", "lambda"}),
    blocks=frozenset({"block"}),
    holders=frozenset({"if_statement", "else_clause", "for_statement"}),
    statements=frozenset(
        {"assert_statement", "delete_statement", "expression_statement", "raise_statement"}
    ),
    loops=frozenset({"while_statement"}),
    strings=frozenset({"string"}),
    numbers=frozenset({"integer", "float"}),
    parentheses="parenthesized_expression",
    not_expression="not_operator",
    literals={b"True": (b"False",), b"False": (b"True",), b"None": (b"False",)},
    containers=frozenset({"argument_list", "dictionary", "list", "set"}),
    definitions=frozenset({"default_parameter", "typed_default_parameter"}),
    imports=frozenset({"import_statement", "import_from_statement"}),
    importers=frozenset({b"__import__", b"import_module"}),
    swapped_names=_both_ways(
        (b"all", b"any"),
        (b"find", b"rfind"),
        (b"index", b"rindex"),
        (b"startswith", b"endswith"),
        (b"lower", b"upper"),
        (b"min", b"max"),
    ),
    dropped_names=frozenset({b"strip", b"lstrip", b"rstrip", b"copy", b"reversed", b"sorted"}),
    index_names=frozenset({b"insert", b"pop", b"range"}),
    orderless_names=frozenset({b"all", b"any", b"frozenset", b"set", b"sum"}),
)

LANGUAGES = (JAVASCRIPT, PYTHON)


def of(path: str) -> Language | None:
    """The language of a file, by its suffix; None when no table covers it."""
    suffix = PurePosixPath(path).suffix
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)


def parser(language: Language) -> tree_sitter.Parser:
    """The grammar's parser; `CannotTell` when its package is missing."""
    module = f"tree_sitter_{language.name}"
    try:
        grammar = importlib.import_module(module).language()
    except ImportError as error:
        raise CannotTell(
            Problem(
                kind="missing",
                what=f"the grammar of {language.name} is not installed",
                expected=module,
                remedy=add_extra("mutate"),
            )
        ) from error
    return tree_sitter.Parser(tree_sitter.Language(grammar))
