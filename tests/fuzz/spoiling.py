"""Spoils patches and trees as editors, mailers, people and time do. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from patchtool.files import File, Mode

Tree = dict[str, File]

_NUMBERS = re.compile(rb"\d{1,20}")
_LINES = (
    b"x\n",
    b"\n",
    b" \n",
    b"+x\n",
    b"-x\n",
    b"{\n",
    b"}\n",
    b"\\ No newline at end of file\n",
)
_JUNK = (
    b"-- \n2.39.5\n\n",
    b"\n",
    b"Only in b: x\n",
    b"Index: f\n" + b"=" * 67 + b"\n",
    b"From: A <a@example.invalid>\nSubject: x\n\n",
    b" \n",
)


def spoil_patch(patch: bytes, other: bytes, rng: random.Random) -> bytes:
    """The patch with one to three things wrong or odd; `other` is a patch to take lines from."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        lines = patch.splitlines(keepends=True) if b"\r" not in patch else _lines(patch)
        patch = rng.choice(_PATCH_WAYS)(lines or [b""], _lines(other) or [b""], rng)
    return patch


def spoil_tree(tree: Tree, rng: random.Random) -> Tree:
    """The tree with one file changed, as time changes files."""
    if not tree:
        return tree
    path = rng.choice(sorted(tree))
    file = tree[path]
    if rng.random() < 0.1:
        return {name: each for name, each in tree.items() if name != path}
    if file.mode is Mode.SYMLINK:
        return tree
    if rng.random() < 0.1:
        mode = Mode.REGULAR if file.mode is Mode.EXECUTABLE else Mode.EXECUTABLE
        return {**tree, path: replace(file, mode=mode)}
    lines = _lines(file.data) or [b""]
    return {**tree, path: replace(file, data=rng.choice(_FILE_WAYS)(lines, rng))}


def _lines(data: bytes) -> list[bytes]:
    pieces = [piece + b"\n" for piece in data.split(b"\n")]
    last = pieces.pop().removesuffix(b"\n")
    return [*pieces, last] if last else pieces


def _lose(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + 1 :])


def _insert(lines: list[bytes], other: list[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(lines) + 1)
    return b"".join([*lines[:at], rng.choice([*_LINES, rng.choice(other)]), *lines[at:]])


def _move(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randrange(len(lines) + 1), line)
    return b"".join(lines)


def _renumber(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    """One number of a hunk header, by a little or to an edge."""
    headers = [at for at, line in enumerate(lines) if line.startswith(b"@@")]
    if headers:
        at = rng.choice(headers)
        numbers = list(_NUMBERS.finditer(lines[at]))
        if numbers:
            number = rng.choice(numbers)
            new = max(0, int(number[0]) + rng.choice((-2, -1, 1, 2, 5)))
            new = rng.choice((new, new, 0, 10**20))
            lines[at] = lines[at][: number.start()] + b"%d" % new + lines[at][number.end() :]
    return b"".join(lines)


def _shift(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    """Every hunk a little further down or up, as in a patch for another release."""
    by = rng.choice((-3, -1, 1, 3, 7))

    def move(match: re.Match[bytes]) -> bytes:
        return b"%s%d" % (match[1], max(1, int(match[2]) + by))

    return b"".join(
        re.sub(rb"((?:^@@ -| \+))(\d{1,20})", move, line) if line.startswith(b"@@") else line
        for line in lines
    )


def _other_endings(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    if rng.random() < 0.5:
        return b"".join(line.replace(b"\r\n", b"\n") for line in lines)
    return b"".join(line.replace(b"\n", b"\r\n") for line in lines)


def _stripped_blanks(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    """An editor that strips trailing blanks: of every line, or of blank context alone."""
    if rng.random() < 0.7:
        return b"".join(b"\n" if line == b" \n" else line for line in lines)
    return b"".join(line.rstrip(b" \t\n") + b"\n" for line in lines)


def _without(prefix: bytes) -> Callable[[list[bytes], list[bytes], random.Random], bytes]:
    def drop(lines: list[bytes], _: list[bytes], __: random.Random) -> bytes:
        return b"".join(line for line in lines if not line.startswith(prefix))

    return drop


def _dates(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    date = rng.choice(
        (b"2026-01-02 03:04:05.000000000 +0000", b"1970-01-01 00:00:00.000000000 +0000")
    )
    return b"".join(
        line.rstrip(b"\n") + b"\t" + date + b"\n"
        if line.startswith((b"--- ", b"+++ ")) and b"\t" not in line
        else line
        for line in lines
    )


def _junk(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    junk, text = rng.choice(_JUNK), b"".join(lines)
    return junk + text if rng.random() < 0.5 else text + junk


def _joined(lines: list[bytes], other: list[bytes], rng: random.Random) -> bytes:
    return b"".join(lines + rng.choice((lines, other)))


def _cut(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    text = b"".join(lines)
    return text[: rng.randrange(len(text) + 1)]


def _byte(lines: list[bytes], _: list[bytes], rng: random.Random) -> bytes:
    text = bytearray(b"".join(lines))
    if text:
        text[rng.randrange(len(text))] = rng.choice(b" +-@\\\t\r\0/ab01\xff")
    return bytes(text)


_PATCH_WAYS = (
    *(_lose, _insert, _move, _renumber, _renumber, _shift, _shift, _other_endings),
    *(_stripped_blanks, _without(b"index "), _without(b"diff --git "), _without(b"\\ No newline")),
    *(_dates, _junk, _joined, _cut, _byte),
)


def _file_lose(lines: list[bytes], rng: random.Random) -> bytes:
    return _lose(lines, [], rng)


def _file_grow(lines: list[bytes], rng: random.Random) -> bytes:
    return b"".join([*(rng.choice(_LINES) for _ in range(rng.choice((1, 2, 5)))), *lines])


def _file_twice(lines: list[bytes], rng: random.Random) -> bytes:
    """The same lines twice, so that every hunk has two places."""
    text = b"".join(lines)
    return text + rng.choice((b"", b"between\n")) + text


def _file_insert(lines: list[bytes], rng: random.Random) -> bytes:
    return _insert(lines, lines, rng)


def _file_ending(lines: list[bytes], rng: random.Random) -> bytes:
    text = b"".join(lines)
    return rng.choice((text.rstrip(b"\n"), text + b"\n", text.replace(b"\n", b"\r\n")))


_FILE_WAYS = (_file_lose, _file_grow, _file_grow, _file_twice, _file_insert, _file_ending)
