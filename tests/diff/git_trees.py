"""Random trees, and the diffs that git makes between them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from hypothesis import strategies as st

from patchtool.files import File, Mode

Tree = dict[str, File]

_NAMES = [
    "a", "b", "c.txt", "d/e.js", "d/f.js", "d/g/h", "name with blanks", "x b/x b/y", "t\tab",
    'quo"te', "back\\slash", "naïve/日本", os.fsdecode(b"caf\xe9"), "-dash", "dev/null",
    "line\nfeed", "d.orig", "A", "a~", "é", "trailing ", "null", "b/a",
]  # fmt: skip
_LINES = [
    b"x", b"y", b"z", b"", b" ", b"{", b"}", b"x\r", b"-- a", b"++ b", b"@@ -1 +1 @@", b"- ",
    b"--", b"\\ No newline at end of file", b"diff --git a/a b/a", b"\x0c", b"\xc2\x85",
    b"\xff\xfe", b"\t", b"last", b"a\rb",
    b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
]  # fmt: skip

names = st.sampled_from(_NAMES)
lines = st.lists(st.sampled_from(_LINES), max_size=14)
modes = st.sampled_from([Mode.REGULAR, Mode.REGULAR, Mode.EXECUTABLE])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Text of few different lines, so that places look alike."""
    data = b"".join(line + b"\n" for line in draw(lines))
    return data.removesuffix(b"\n") if draw(st.booleans()) and draw(st.booleans()) else data


_SHORT = st.binary(max_size=40).map(lambda data: b"\0" + data)
_LONG = st.tuples(st.binary(min_size=2, max_size=20), st.integers(20, 60)).map(
    lambda pair: b"\0" + pair[0] * pair[1]
)
contents = st.one_of(texts(), texts(), texts(), _SHORT, _LONG)
files = st.one_of(
    st.builds(lambda data, mode: File(data=data, mode=mode), contents, modes),
    st.sampled_from(["a", "d/e.js", "c.txt"]).map(
        lambda target: File(data=target.encode(), mode=Mode.SYMLINK)
    ),
)


def consistent(tree: Mapping[str, File]) -> Tree:
    """The tree without files that stand where a directory has to be."""
    return {
        path: file
        for path, file in tree.items()
        if not any(other.startswith(f"{path}/") for other in tree)
        and not (file.mode is Mode.SYMLINK and "/" in path)
    }


trees = st.dictionaries(names, files, max_size=6).map(consistent)


@st.composite
def edited(draw: st.DrawFn, data: bytes) -> bytes:
    """The same content with a few changes of lines or, in binary files, bytes."""
    if data.startswith(b"\0"):
        at = draw(st.integers(0, len(data)))
        return data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]
    pieces = data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n")
    if b"\r" in data:
        pieces = [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(pieces)))
        gone = draw(st.integers(0, 2))
        new = [line + b"\n" for line in draw(st.lists(st.sampled_from(_LINES), max_size=2))]
        pieces[at : at + gone] = new
    text = b"".join(piece if piece.endswith(b"\n") else piece + b"\n" for piece in pieces)
    return text.removesuffix(b"\n") if draw(st.integers(0, 4)) == 0 else text


@st.composite
def changed(draw: st.DrawFn, tree: Tree) -> Tree:
    """Another tree: files edited, moved, copied, swapped, removed, made, of other modes."""
    new = dict(tree)
    for _ in range(draw(st.integers(1, 4))):
        paths = sorted(new)
        action = draw(
            st.sampled_from(["edit", "edit", "move", "copy", "swap", "drop", "add", "mode"])
        )
        if action == "add" or not paths:
            new[draw(names)] = draw(files)
            continue
        path = draw(st.sampled_from(paths))
        file = new[path]
        if action == "edit" and file.mode is not Mode.SYMLINK:
            new[path] = File(data=draw(edited(file.data)), mode=file.mode)
        elif action == "move":
            new[draw(names)] = new.pop(path)
        elif action == "copy":
            new[draw(names)] = file
        elif action == "swap":
            other = draw(st.sampled_from(paths))
            new[path], new[other] = new[other], new[path]
        elif action == "drop":
            del new[path]
        elif action == "mode" and file.mode is not Mode.SYMLINK:
            new[path] = File(data=file.data, mode=draw(modes))
    return consistent(new)


pairs = trees.flatmap(lambda tree: st.tuples(st.just(tree), changed(tree)))
# Without -B and renames at once: git 2.39 then forgets that a file made way for a link.
options = st.tuples(
    st.sampled_from(["-U0", "-U1", "-U2", "-U3", "-U3", "-U5"]),
    st.sampled_from(["-M", "-M30%", "-C", "--find-copies-harder", "--no-renames"]),
    st.sampled_from(["--full-index", "--abbrev=7", "--abbrev=12"]),
    st.sampled_from(["--no-prefix", "--src-prefix=a/", "--src-prefix=i/"]),
    st.sampled_from(["--minimal", "--patience", "--histogram"]),
    st.sampled_from(["--binary", "--text"]),
)


class Git:
    """A repository that trees are put into, its diffs, and its way to apply them."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._environment = os.environ | {
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(directory),
            "GIT_DIR": str(directory / "repository"),
        }
        self._run("init", "-q", "--bare")

    def _run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Git's output, without any configuration but its own."""
        return subprocess.run(
            ["git", *arguments],
            input=data,
            capture_output=True,
            check=True,
            cwd=self._directory,
            env=self._environment,
            timeout=60,
        ).stdout

    def diff(self, old: Tree, new: Tree, arguments: tuple[str, ...]) -> bytes:
        """The diff between two trees."""
        self._put(x=old, y=new)
        return self._run("diff", *arguments, "refs/heads/x", "refs/heads/y")

    def applies(self, text: bytes, old: Tree, new: Tree, arguments: tuple[str, ...]) -> bool:
        """Whether `git apply` turns the one tree into the other; False if it refuses.

        AssertionError if it makes another one.
        """
        self._put(x=old, y=new)
        self._run("read-tree", "refs/heads/x")
        try:
            self._run("apply", "--cached", "--whitespace=nowarn", *arguments, data=text)
        except subprocess.CalledProcessError:
            return False
        made = self._run("write-tree").strip()
        expected = self._run("rev-parse", "refs/heads/y^{tree}").strip()
        assert made == expected, "git makes another tree"
        return True

    def _put(self, **trees: Tree) -> None:
        stream = b"".join(_commit(name, tree) for name, tree in trees.items())
        self._run("fast-import", "--quiet", "--force", data=stream)


def _commit(name: str, tree: Tree) -> bytes:
    """A commit as git's fast-import reads it."""
    parts = [f"commit refs/heads/{name}\n".encode()]
    parts.append(b"committer A <a@example.invalid> 0 +0000\ndata 0\ndeleteall\n")
    for path, file in tree.items():
        quoted = "".join(f"\\{byte:03o}" for byte in os.fsencode(path))
        parts.append(f'M {file.mode.value} inline "{quoted}"\n'.encode())
        parts.append(b"data %d\n%s\n" % (len(file.data), file.data))
    return b"".join(parts)
