"""The generator: only added lines, only programs, always the same."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from patchtool import programs
from patchtool.errors import CannotTell
from patchtool.mutation.generator import Mutant, added_lines, mutants
from patchtool.mutation.languages import JAVASCRIPT, PYTHON, Language, of, parser

PRISTINE = b"""\
function pick(calls, delta) {
  // if (calls.length > 0) return calls[0];
  for (const call of calls) {
    if (call.id === delta.id) return call;
  }
  return null;
}
"""
PATCHED = b"""\
function pick(calls, delta) {
  // if (calls.length > 1) return calls[1];
  for (const call of calls) {
    if (call.open && call.id === delta.id) return call;
  }
  calls.push(delta);

  return null;
}
"""

# Each construct once or more, where an operator could make something that is no program.
JAVASCRIPT_PROGRAM = rb"""
"use strict";
import { a as first } from "node:os";
export const start = (first ?? 1) || 2;
const all = start ?? first ?? 3, { k = 2, ...rest } = { k: 1, m() { return 1; }, "n-o": [...[1]] };
class A extends Array {
  #x = f(); static y = null;
  constructor(a, b = all) { super(...a); this.#x = -1 - (-0) ** 2; }
  get z() { return this?.[0]?.at(-1) ?? this.#x?.(); }
  async *w() { for await (const a of this) { yield a; } await f(); return; }
}
function f(x) {
  label: for (let i = 0, j = 1; i < 3; i++) {
    for (let n = 3; n >= 0; n--) { if (n === x?.length) continue label; else break label; }
    do { x += 1; } while (x < 3 && !(x in rest));
    switch (x) { case "q": { break; } default: x ||= 1; }
  }
  try { return /\S/g.test(`a${x}b`) ? x.trim() : typeof x === "string"; }
  catch { throw new Error("no" + x, { cause: 1n }); }
  finally { delete rest.k; for (const [k, v] of Object.entries(rest)) k.slice(1, v); }
}
"""
PYTHON_PROGRAM = b'''
"""What it is."""
from __future__ import annotations
import os.path
async def go(a, b=f(1), *c, d: "int" = 2, **e) -> "str":
    """What it does."""
    async with a as x, b: await x
    async for y in a: yield y
    for q, r in {1: 2, **e}.items(), (): continue
    else: return
    try:
        while True: break
    except (OSError, ValueError) as error: raise error from None
    else: del x
    finally: assert y, "no"
    match a:
        case [1, *_] if b < 1 <= 2: nonlocal_ = -1 ** -0
        case _: ...
    global z
    z += 1 if not b else [i for i in c if i is not None][1:-1][0]
    v: int = (yield)
    if (n := len(a)) > 1: pass
    elif a and b or c: print(*c, sep="", **e)
    else: print(f"{a!r:>{b}}" "x", b"", r"\\d", lambda: sorted(a))
'''


def the(language: Language, source: bytes) -> tuple[Mutant, ...]:
    """The mutants of a whole file."""
    return mutants(b"", source, language)


def test_only_added_lines_change() -> None:
    """Every line the patch does not add stands in every mutant, where it stood."""
    found = mutants(PRISTINE, PATCHED, JAVASCRIPT)
    assert added_lines(PRISTINE, PATCHED) == {2, 4, 6, 7}
    assert {mutant.line for mutant in found} == {4, 6}
    lines = PATCHED.split(b"\n")
    for mutant in found:
        after = mutant.apply(PATCHED).split(b"\n")
        changed = {
            i + 1 for i, pair in enumerate(zip(lines, after, strict=True)) if len({*pair}) > 1
        }
        assert changed <= {4, 6}


def test_statement_over_other_lines() -> None:
    """A statement of which the patch adds some lines is not removed, but its added lines change."""
    pristine, patched = b"f(\n  a,\n  b,\n);\n", b"f(\n  a,\n  b + 1,\n);\n"
    found = mutants(pristine, patched, JAVASCRIPT)
    assert [mutant.operator for mutant in found] == [
        *("dropped-item", "swapped-arithmetic", "changed-number", "changed-number")
    ]


def test_nothing_added() -> None:
    """A patch that adds no line of code has no mutants."""
    assert mutants(PATCHED, PATCHED, JAVASCRIPT) == ()
    assert mutants(b"a();\nb();\n", b"a();\n", JAVASCRIPT) == ()
    assert mutants(b"a();\n", b"a();\n// if (a) b();\n\n  \n", JAVASCRIPT) == ()


@pytest.mark.parametrize(
    ("language", "source"), [(JAVASCRIPT, JAVASCRIPT_PROGRAM), (PYTHON, PYTHON_PROGRAM)]
)
def test_each_is_another_program(language: Language, source: bytes) -> None:
    """No mutant is the original or another mutant, and each parses from nothing."""
    found = the(language, source)
    files = [mutant.apply(source) for mutant in found]
    assert len(files) == len({source, *files}) - 1
    assert not [file for file in files if parser(language).parse(file).root_node.has_error]
    assert len({mutant.id for mutant in found}) == len(found)


def test_python_compiles() -> None:
    """Python itself takes every mutant of a program that has each construct."""
    compile(PYTHON_PROGRAM, "the sample", "exec", dont_inherit=True)
    found = the(PYTHON, PYTHON_PROGRAM)
    assert found
    for mutant in found:
        compile(mutant.apply(PYTHON_PROGRAM), mutant.id, "exec", dont_inherit=True)


def test_javascript_compiles(tmp_path: Path) -> None:
    """Node.js itself takes every mutant of a program that has each construct."""
    found = the(JAVASCRIPT, JAVASCRIPT_PROGRAM)
    (tmp_path / "the sample.mjs").write_bytes(JAVASCRIPT_PROGRAM)
    for mutant in found:
        (tmp_path / f"{mutant.id}.mjs").write_bytes(mutant.apply(JAVASCRIPT_PROGRAM))
    check = """
      const { readdirSync, readFileSync } = require("node:fs");
      for (const name of readdirSync(".")) {
        try { new (require("node:vm").SourceTextModule)(readFileSync(name, "utf8")); }
        catch (error) { console.log(name, error.message); }
      }
    """
    node = programs.find("node", os.environ)
    done = subprocess.run(
        [node, "--no-warnings", "--experimental-vm-modules", "-e", check],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert found
    assert done.stdout.decode() == ""


def test_annotations_of_functions_stay() -> None:
    """A type that no program reads has no mutants; one that a class may read has."""
    function = b"def f(a: int | None, b: int = 2) -> int | None:\n    c: int | None = g()\n"
    assert {mutant.original for mutant in the(PYTHON, function)}.isdisjoint({b"None", b"|"})
    declared = {
        mutant.original for mutant in the(PYTHON, b"def f(self):\n    self.a: int\n    g()\n")
    }
    assert b"g()" in declared
    assert b"self.a: int" not in declared
    found = the(PYTHON, b"class A:\n    a: int | None\n")
    assert {mutant.original for mutant in found} >= {b"None", b"|"}


def test_same_bytes_same_mutants() -> None:
    """The same two files give the same mutants, in the order in which they stand."""
    found = mutants(PRISTINE, PATCHED, JAVASCRIPT)
    assert found == mutants(PRISTINE, PATCHED, JAVASCRIPT)
    assert [mutant.start for mutant in found] == sorted(mutant.start for mutant in found)


def test_ids_outlive_other_changes() -> None:
    """A mutant keeps its id when other lines come before it; two of one text differ."""
    line = b"f(a, b);\n"
    ids = [mutant.id for mutant in the(JAVASCRIPT, line)]
    later = [mutant.id for mutant in mutants(b"x();\n", b"x();\n" + line, JAVASCRIPT)]
    twice = [mutant.id for mutant in the(JAVASCRIPT, line + line)]
    assert ids == later
    assert len({*twice}) == 2 * len(ids)


def test_ids_tell_files_apart() -> None:
    """The same change of the same line in two files has two ids."""
    one, two = (mutants(b"", b"f(a);", JAVASCRIPT, file) for file in ("a.js", "b.js"))
    assert {mutant.id for mutant in one}.isdisjoint(mutant.id for mutant in two)


def test_same_change_in_another_release() -> None:
    """A change is the same one in lines that are indented and spaced in another way."""
    spaces, tabs = (
        the(JAVASCRIPT, b"{\n" + line) for line in (b"  f(a,  b);\n}", b"\tf(a, b);\n}")
    )
    assert [mutant.change for mutant in spaces] == [mutant.change for mutant in tabs]
    assert {mutant.id for mutant in spaces}.isdisjoint(mutant.id for mutant in tabs)
    assert {each.change for each in spaces}.isdisjoint(
        m.change for m in the(JAVASCRIPT, b"f(c, b);")
    )


def test_other_bytes_are_refused() -> None:
    """A mutant is applied to nothing but what it was made for."""
    mutant = the(JAVASCRIPT, b"a = 1;")[0]
    with pytest.raises(ValueError, match=mutant.id):
        mutant.apply(b"b = 1;")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_bytes_are_kept(newline: bytes) -> None:
    """Line ends and bytes that are not UTF-8 come through as they are."""
    source = newline.join((b"a(); // \xe9\xff", b"b = 1;", b""))
    for mutant in the(JAVASCRIPT, source):
        after = mutant.apply(source)
        assert after.count(newline) == 2
        assert b"// \xe9\xff" + newline in after


def test_not_a_program() -> None:
    """A patched file that does not parse is said to be so, not called free of mutants."""
    with pytest.raises(CannotTell, match="javascript"):
        the(JAVASCRIPT, b"if (")


@pytest.mark.parametrize(
    ("path", "language"),
    [("dist/index.js", JAVASCRIPT), ("a.mjs", JAVASCRIPT), ("b/c.py", PYTHON), ("d.ts", None)],
)
def test_language_of(path: str, language: Language | None) -> None:
    """A file's language is told by its suffix."""
    assert of(path) is language
