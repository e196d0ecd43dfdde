"""Hostile reports of guards: bombs, what is no XML, and more cases than anybody has."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from npm_registry import tarball

from .input import Input
from .world import World

KIND = "guard's report"
_GOOD = """b'<testcase name="a"/>'"""

# What a guard does, as a program: `out` is the path of its report.
_GUARDS = {
    "nothing": ("", "wrote no JUnit report"),
    "an empty file": ('write(b"")', "not XML"),
    "no XML": ('write(b"{}")', "not XML"),
    "cut off": ('write(b"<testsuite><testcase name=")', "not XML"),
    "HTML": ('write(b"<!doctype html><p>")', "not XML|entities"),
    "a bomb of entities": (
        "lines = [b'<!ENTITY a0 \"aaaaaaaaaa\">']\n"
        "lines += [b'<!ENTITY a%d \"%s\">' % (n, b'&a%d;' % (n - 1) * 10) for n in range(1, 12)]\n"
        "write(b'<!DOCTYPE x [' + b''.join(lines) + b']><testsuite>&a11;</testsuite>')",
        "entities",
    ),
    "a long entity, often": (
        "entity = b'<!ENTITY a \"' + b'a' * 10**6 + b'\">'\n"
        "write(b'<!DOCTYPE x [' + entity + b']><x>' + b'&a;' * 10**5 + b'</x>')",
        "entities",
    ),
    "an entity from a file": (
        "write(b'<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><x>&a;</x>')",
        "entities",
    ),
    "a document type from elsewhere": (
        "write(b'<!DOCTYPE x SYSTEM \"http://127.0.0.1:1/x.dtd\"><testsuite/>')",
        "entities",
    ),
    "deep nesting": ("write(b'<a>' * 10**6 + b'</a>' * 10**6)", "too many elements"),
    "60 MB of elements in a case": (
        "suite(b'<testcase name=\"a\">' + b'<a/>' * (15 << 20) + b'</testcase>')",
        "too many elements",
    ),
    "many attributes": (
        "write(b'<testcase ' + b' '.join(b'a%d=\"\"' % n for n in range(10**5)) + b'/>')",
        "without a name",
    ),
    "one name twice": (f"suite({_GOOD} * 2)", "names a case twice"),
    "no name": ("suite(b'<testcase/>')", "without a name"),
    "a NUL byte": ("suite(b'<testcase name=\"\\0\"/>')", "not XML"),
    "an encoding that is none": ('write(b\'<?xml version="1.0" encoding="x"?><a/>\')', "not XML"),
    "UTF-16": ("write('<testsuite/>'.encode('utf-16'))", "no required case"),
    "not UTF-8": ("suite(b'<testcase name=\"\\xff\"/>')", "not XML"),
    "65 MB": ("write(b' ' * (65 << 20))", "too large"),
    "ten gigabytes of nothing": (
        "os.truncate(os.open(out, os.O_CREAT | os.O_RDWR), 10 << 30)",
        ".",
    ),
    "a name of 10 MB, twice": (
        "suite((b'<testcase name=\"' + b'x' * (10 << 20) + b'\"/>') * 2)",
        "names a case twice",
    ),
    "escapes in a failure": (
        'suite(b\'<testcase name="a"><error message="&#27;[2J"/></testcase>\')',
        "not XML",
    ),
    "a pipe": ("os.mkfifo(out)", "wrote no JUnit report"),
    "a directory": ("os.mkdir(out)", "wrote no JUnit report"),
    "an endless device": ('os.symlink("/dev/zero", out)', "wrote no JUnit report"),
    "a circle of links": ("os.symlink(out, out)", "wrote no JUnit report"),
    "a file for nobody": (f"suite({_GOOD}); os.chmod(out, 0)", "cannot be read"),
    "100 MB of output": (f"suite({_GOOD}); print('x' * (100 << 20)); sys.exit(1)", "exited 1"),
    "escapes in the output": ("print('\\x1b[2J\\x07')", "wrote no JUnit report"),
    "a kill": ("os.kill(os.getpid(), 9)", "exited -9"),
    "a process that stays": (
        "import subprocess; subprocess.Popen(['sleep', '60'])",
        "wrote no JUnit report",
    ),
    "a run without end": ("import time; time.sleep(60)", "more than 3 seconds"),
}


def inputs() -> Iterator[Input]:
    """All of them."""
    for name, (text, says) in _GUARDS.items():
        yield _input(name, text, says)
    many = "suite(b'<a/>' * (15 << 20))"
    yield _input("60 MB of elements", many, "no required case", seconds=90, is_long=True)
    for count, is_long in ((20_000, False), (1_000_000, True)):
        case = """b'<testcase name="%d"><skipped/></testcase>' % n"""
        text = f"suite(b''.join({case} for n in range({count})))"
        bounds = {"seconds": 90, "megabytes": 1500, "is_long": is_long}
        yield _input(f"{count} cases", text, "skipped|too large", **bounds)


def _input(name: str, text: str, says: str, **bounds: Any) -> Input:
    def lay_out(world: World) -> Sequence[str]:
        folder = world.root / "guard"
        folder.mkdir()
        (folder / "run.py").write_text(f"{_PRELUDE}{text}\n")
        command = f'command = ["{sys.executable}", "-I", "-S", "guard/run.py"]'
        guard = f'[fix.guard]\npath = "guard"\n{command}\ntimeout = 3\n'
        world.pin_archive(tarball({"index.js": b"old\n"}), guard=guard)
        return world.words("lock")

    return Input(name=name, lay_out=lay_out, code=3, says=says, **bounds)


_PRELUDE = """\
import os, pathlib, sys
out = os.environ["PATCHTOOL_JUNIT"]
def write(data):
    pathlib.Path(out).write_bytes(data)
def suite(data):
    write(b"<testsuite>" + data + b"</testsuite>")
"""
