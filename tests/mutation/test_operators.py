"""The mutants each operator makes of small snippets, exactly."""

from __future__ import annotations

import pytest

from patchtool.mutation.generator import mutants
from patchtool.mutation.languages import JAVASCRIPT, PYTHON, Language
from patchtool.mutation.operators import OPERATORS


def made(operator: str, source: bytes, language: Language) -> list[bytes]:
    """What one operator makes of a whole file."""
    found = mutants(b"", source, language)
    return [mutant.apply(source) for mutant in found if mutant.operator == operator]


JAVASCRIPT_CASES = [
    ("negated-condition", b"if (a && b) c();", [b"if (!(a && b)) c();"]),
    ("negated-condition", b"x = a ? b : c;", [b"x = !(a) ? b : c;"]),
    ("negated-condition", b"x = a in b;", [b"x = !(a in b);"]),
    ("negated-condition", b"if (a === b) c();", []),
    ("negated-condition", b"if (!a) c();", []),
    ("forced-condition", b"if (a) b();", [b"if (true) b();", b"if (false) b();"]),
    ("forced-condition", b"while (a) b();", [b"while (false) b();"]),
    ("forced-condition", b"for (; a;) b();", [b"for (; false;) b();"]),
    ("forced-condition", b"x = a === b;", [b"x = true;", b"x = false;"]),
    ("forced-condition", b"x = !a && b;", []),
    ("forced-condition", b"if (a && b) c();", [b"if (false) c();"]),
    ("forced-condition", b"if (a || b) c();", [b"if (true) c();"]),
    ("forced-condition", b"if (a ?? b) c();", [b"if (true) c();", b"if (false) c();"]),
    ("dropped-operand", b"x = a && b;", [b"x = b;", b"x = a;"]),
    (
        "dropped-operand",
        b"x = a && b && (c || d);",
        [
            *(b"x = b && (c || d);", b"x = a && (c || d);", b"x = a && b;"),
            *(b"x = a && b && (d);", b"x = a && b && (c);"),
        ],
    ),
    ("swapped-logical", b"x = a && b;", [b"x = a || b;"]),
    ("swapped-logical", b"x = a || b;", [b"x = a && b;"]),
    ("swapped-logical", b"x = a ?? b;", [b"x = a || b;"]),
    ("swapped-logical", b"x = a ?? b ?? c;", [b"x = (a || b) ?? c;", b"x = (a ?? b) || c;"]),
    ("swapped-relational", b"x = a < b;", [b"x = a >= b;", b"x = a <= b;"]),
    ("swapped-relational", b"x = a <= b;", [b"x = a > b;", b"x = a < b;"]),
    ("swapped-relational", b"x = a > b;", [b"x = a <= b;", b"x = a >= b;"]),
    ("swapped-relational", b"x = a >= b;", [b"x = a < b;", b"x = a > b;"]),
    ("swapped-relational", b"x = a === b;", [b"x = a !== b;"]),
    ("swapped-relational", b"x = a != b;", [b"x = a == b;"]),
    ("removed-negation", b"x = !a;", [b"x = a;"]),
    ("removed-negation", b"x = -a;", []),
    ("removed-else", b"if (a) b(); else c(), d();", [b"if (a) b(); "]),
    ("removed-statement", b"a = b; c();", [b"; c();", b"a = b; ;"]),
    ("removed-statement", b'"use strict"; throw a;', [b'"use strict"; ;']),
    ("removed-statement", b"delete a.b;", [b";"]),
    ("removed-jump", b"for (;;) { if (f()) continue; break; }", [
        b"for (;;) { if (f()) ; break; }",
        b"for (;;) { if (f()) continue; ; }",
    ]),
    ("removed-jump", b"function f() { if (g()) return; h(); }", [
        b"function f() { if (g()) ; h(); }"
    ]),
    ("removed-jump", b"function f() { return a; }", []),
    ("removed-result", b"function f() { return a; }", [b"function f() { return; }"]),
    ("removed-result", b"function f() { return undefined; }", []),
    ("removed-result", b"f = x => x;", [b"f = x => undefined;"]),
    ("removed-handler", b"try { a(); } catch (e) { b(); }", [b" { a(); }"]),
    ("removed-value", b"const a = b();", [b"const a = undefined;"]),
    ("removed-value", b"const a = 1, b = () => 2;", []),
    ("removed-value", b"class A { #b = []; }", [b"class A { #b = undefined; }"]),
    ("removed-value", b"function f(a = b) {}", [b"function f(a = undefined) {}"]),
    ("emptied-iteration", b"for (const a of b) c(a), d();", [b"for (const a of []) c(a), d();"]),
    ("emptied-iteration", b"for (const a in b) c(a);", []),
    ("reversed-iteration", b"for (const a of b) c(a);", [
        b"for (const a of [...b].reverse()) c(a);"
    ]),
    ("reversed-iteration", b"for (let i = 0; i < n; i++) f(i);", [
        b"for (let i = (n) - 1; i >= 0; i--) f(i);"
    ]),
    ("reversed-iteration", b"for (let i = n - 1; i >= 0; i--) f(i);", [
        b"for (let i = 0; i <= n - 1; i++) f(i);"
    ]),
    ("reversed-iteration", b"for (let i = n; i > 0; i--) f(i);", [
        b"for (let i = (0) + 1; i <= n; i++) f(i);"
    ]),
    ("reversed-iteration", b"for (const a of [b]) c(a);", []),
    ("reversed-iteration", b"for (const a of [...b]) c(a);", [
        b"for (const a of [...[...b]].reverse()) c(a);"
    ]),
    ("swapped-arithmetic", b"x = a + b;", [b"x = a - b;"]),
    ("swapped-arithmetic", b"for (i = 0; f(i); i++) j--;", [b"for (i = 0; f(i); i++) j++;"]),
    ("weakened-assignment", b"a += b;", [b"a = b;"]),
    ("weakened-assignment", b"a ??= b;", [b"a = b;"]),
    ("changed-number", b"x = 7;", [b"x = 8;", b"x = 6;"]),
    ("changed-number", b"x = 0x10;", [b"x = 17;", b"x = 15;"]),
    ("changed-number", b"x = -0;", [b"x = -1;", b"x = -(-1);"]),
    ("changed-number", b"x = 1.5;", [b"x = 0;"]),
    ("shifted-index", b"x = a[i];", [b"x = a[(i) + 1];"]),
    ("shifted-index", b"x = a[0] + b['c'];", []),
    ("shifted-index", b"x = a.slice(i, j);", [
        b"x = a.slice((i) + 1, j);",
        b"x = a.slice(i, (j) + 1);",
    ]),
    ("changed-string", b"x = 'a' + \"\" + `b${c}`;", [
        b"x = '' + \"\" + `b${c}`;",
        b"x = 'a' + \"x\" + `b${c}`;",
        b"x = 'a' + \"\" + ``;",
    ]),
    ("changed-string", b'"use strict"; x = require("a");', []),
    ("changed-string", b'import a from "b";', []),
    ("changed-literal", b"x = true;", [b"x = false;"]),
    ("changed-literal", b"x = null;", [b"x = undefined;"]),
    ("changed-literal", b"x = undefined;", []),
    ("changed-literal", b"x = a == null;", []),
    ("changed-literal", b"x = void 0;", []),
    ("changed-number", b"x = void 0;", []),
    ("removed-result", b"function f() { return void 0; }", []),
    ("removed-value", b"let x = void 0;", []),
    ("changed-pattern", rb"x = /\S/g;", [b"x = /(?!)/g;", b"x = /(?:)/g;"]),
    ("dropped-item", b"f(a, b);", [b"f(a);"]),
    ("dropped-item", b"f(...a);", [b"f();"]),
    ("dropped-item", b"x = [...a, b];", [b"x = [ b];", b"x = [...a];"]),
    ("dropped-item", b"x = { a, ...b };", [b"x = {  ...b };", b"x = { a };"]),
    ("dropped-item", b"x = { a: 1, b: void 0, c: d };", [b"x = { a: 1, b: void 0 };"]),
    ("swapped-name", b"a.find(f);", [b"a.findLast(f);"]),
    ("swapped-name", b"x = a.find;", []),
    ("dropped-call", b"x = a.trim();", [b"x = a;"]),
    ("removed-optional-chain", b"x = a?.b;", [b"x = a.b;"]),
    ("removed-optional-chain", b"x = a?.[0];", [b"x = a[0];"]),
    ("removed-optional-chain", b"x = a?.(b);", [b"x = a(b);"]),
]  # fmt: skip

PYTHON_CASES = [
    ("negated-condition", b"if a and b: c()", [b"if not (a and b): c()"]),
    ("negated-condition", b"x = a if b else c", [b"x = a if not (b) else c"]),
    ("negated-condition", b"x = [a for a in b if a]", [b"x = [a for a in b if not (a)]"]),
    ("forced-condition", b"if a: b()", [b"if True: b()", b"if False: b()"]),
    ("forced-condition", b"while a: b()", [b"while False: b()"]),
    ("dropped-operand", b"x = a or b", [b"x = b", b"x = a"]),
    ("swapped-logical", b"x = a and b", [b"x = a or b"]),
    ("swapped-relational", b"x = a is not b", [b"x = a is b"]),
    ("swapped-relational", b"x = a in b", [b"x = a not in b"]),
    ("forced-condition", b"if a and b: c()", [b"if False: c()"]),
    ("forced-condition", b"if a or b: c()", [b"if True: c()"]),
    ("swapped-relational", b"x = a < b <= c", [
        b"x = a >= b <= c",
        b"x = a <= b <= c",
        b"x = a < b > c",
        b"x = a < b < c",
    ]),
    ("removed-negation", b"x = not a", [b"x = a"]),
    ("removed-else", b"if a:\n    b()\nelse:\n    c()\n    d()\n", [b"if a:\n    b()\n\n"]),
    ("removed-statement", b'"""A."""\na = b\nraise a', [
        b'"""A."""\npass\nraise a',
        b'"""A."""\na = b\npass',
    ]),
    ("removed-jump", b"for a in b:\n    if f(): continue\n    break", [
        b"for a in b:\n    if f(): pass\n    break",
        b"for a in b:\n    if f(): continue\n    pass",
    ]),
    ("removed-jump", b"def f():\n    return a", []),
    ("removed-jump", b"def f():\n    if g(): return a\n    return b", [
        b"def f():\n    if g(): pass\n    return b"
    ]),
    ("removed-result", b"def f():\n    return a", [b"def f():\n    return"]),
    ("removed-result", b"f = lambda x: x", [b"f = lambda x: None"]),
    ("removed-handler", b"try:\n    a()\nexcept E:\n    b()", [b"if True:\n    a()"]),
    ("removed-value", b"def f(a=b): pass", [b"def f(a=None): pass"]),
    ("emptied-iteration", b"for a in b:\n    c()\n    d()", [b"for a in ():\n    c()\n    d()"]),
    ("reversed-iteration", b"for a in b: c()", [b"for a in list(b)[::-1]: c()"]),
    ("reversed-iteration", b"for a in b, c: d()", [b"for a in list((b, c))[::-1]: d()"]),
    ("reversed-iteration", b"x = [a for a in b]", [b"x = [a for a in list(b)[::-1]]"]),
    ("reversed-iteration", b"x = {a for a in b}", []),
    ("reversed-iteration", b"x = any(a for a in b)", []),
    ("reversed-iteration", b"x = tuple(a for a in b)", [b"x = tuple(a for a in list(b)[::-1])"]),
    ("reversed-iteration", b"for a in [b]: c()", []),
    ("reversed-iteration", b"for a in [*b]: c()", [b"for a in list([*b])[::-1]: c()"]),
    ("swapped-arithmetic", b"x = a // b", [b"x = a * b"]),
    ("weakened-assignment", b"a += b", [b"a = b"]),
    ("changed-number", b"x = 1", [b"x = 2", b"x = 0"]),
    ("shifted-index", b"x = a[i:j]", [b"x = a[(i) + 1:j]", b"x = a[i:(j) + 1]"]),
    ("shifted-index", b"x = a[i]", [b"x = a[(i) + 1]"]),
    ("shifted-index", b"x = a[-1]", []),
    ("changed-string", b'x = b"a" + f"{c}" + ""', [
        b'x = b"" + f"{c}" + ""',
        b'x = b"a" + f"" + ""',
        b'x = b"a" + f"{c}" + "x"',
    ]),
    ("changed-string", b'def f():\n    """A."""\n    a: "A"', []),
    ("changed-literal", b"x = True", [b"x = False"]),
    ("changed-literal", b"x = None", [b"x = False"]),
    ("dropped-item", b"f(a, *b, c=d)", [b"f(a,  c=d)", b"f(a, *b)"]),
    ("dropped-item", b"x = {**a, 'b': c}", [b"x = { 'b': c}", b"x = {**a}"]),
    ("swapped-name", b"x = all(a)", [b"x = any(a)"]),
    ("dropped-call", b"x = sorted(a)", [b"x = a"]),
    ("dropped-call", b"x = a.strip()", [b"x = a"]),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "source", "expected"), JAVASCRIPT_CASES)
def test_javascript(operator: str, source: bytes, expected: list[bytes]) -> None:
    """Each operator makes exactly these files of a JavaScript snippet."""
    assert made(operator, source, JAVASCRIPT) == expected


@pytest.mark.parametrize(("operator", "source", "expected"), PYTHON_CASES)
def test_python(operator: str, source: bytes, expected: list[bytes]) -> None:
    """Each operator makes exactly these files of a Python snippet."""
    assert made(operator, source, PYTHON) == expected


def test_every_operator_is_shown() -> None:
    """No operator is without an example that it changes."""
    cases = [*JAVASCRIPT_CASES, *PYTHON_CASES]
    assert {operator for operator, _, expected in cases if expected} == OPERATORS.keys()


@pytest.mark.parametrize(
    ("source", "language"),
    [
        (b"if (a) { b(); }", JAVASCRIPT),
        (b"if (a) { if (b) { c(); } }", JAVASCRIPT),
        (b"for (const a of b) c();", JAVASCRIPT),
        (b"if a:\n    b()\n", PYTHON),
    ],
)
def test_emptied_once(source: bytes, language: Language) -> None:
    """What empties the same piece of a program is one mutant, whoever makes it."""
    found = mutants(b"", source, language)
    emptying = {"removed-statement", "removed-jump", "emptied-iteration"}
    forced = [m for m in found if m.operator == "forced-condition" and b"alse" in m.mutated]
    assert len(forced) + len([m for m in found if m.operator in emptying]) == 1


def test_emptied_twice() -> None:
    """Asking may do something by itself: then not asking is another mutant than not acting."""
    source = b"if (a.delete(b)) c();"
    files = {mutant.apply(source) for mutant in mutants(b"", source, JAVASCRIPT)}
    assert files >= {b"if (false) c();", b"if (a.delete(b)) ;"}
