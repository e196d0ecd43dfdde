"""The engine as a command, on any directory."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diff.engine_case import look, memory, times  # noqa: F401  (memory is a fixture)
from patchtool.commands import Answer
from patchtool.commands.apply_file import FileApplied, apply_file
from patchtool.errors import CannotTell, UsageError
from patchtool.tree.lock import exclusive

PATCH = b"""\
diff --git a/f.txt b/f.txt
index 422c2b7..55dce13 100644
--- a/f.txt
+++ b/f.txt
@@ -1,2 +1,2 @@
 a
-b
+B
diff --git a/lib/new.txt b/lib/new.txt
new file mode 100644
index 0000000..3e75765
--- /dev/null
+++ b/lib/new.txt
@@ -0,0 +1 @@
+new
"""
PRISTINE, PATCHED = b"a\nb\n", b"a\nB\n"

Apply = Callable[..., FileApplied]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A directory with the pristine file."""
    directory = tmp_path / "tree"
    directory.mkdir()
    (directory / "f.txt").write_bytes(PRISTINE)
    return directory


@pytest.fixture
def apply(tmp_path: Path, base: Path) -> Apply:
    """Apply a patch, by default the one above, to the directory."""

    def run(patch: bytes = PATCH, **options: Any) -> FileApplied:
        file = tmp_path / "case.patch"
        file.write_bytes(patch)
        return apply_file(file=file, into=base, **options)

    return run


def test_the_states(apply: Apply, base: Path) -> None:
    """Apply, apply again, reverse, reverse again: each says what it did or found."""
    assert apply().document["state"] == "applied"
    assert (base / "f.txt").read_bytes() == PATCHED
    assert apply().document["state"] == "already-applied"
    assert apply(reverse=True).document["state"] == "reversed"
    assert apply(reverse=True).document["state"] == "already-reversed"
    assert look(base).keys() == {"f.txt"}
    assert (base / "f.txt").read_bytes() == PRISTINE


def test_the_document(apply: Apply, base: Path) -> None:
    """Success names the patch's files; failure has kind, path, line and message."""
    result = apply()
    assert result.answer is Answer.YES
    assert result.document == {
        "state": "applied",
        "files": ["f.txt", "lib/new.txt"],
        "moved": [],
        "warnings": [],
    }
    (base / "f.txt").write_bytes(b"a\nother\n")
    result = apply()
    assert result.answer is Answer.NO
    assert result.document == {
        "error": {
            "kind": "no-match",
            "path": "f.txt",
            "line": 5,
            "message": "differs at line 2",
            "expected": "'b\\n'",
            "found": "'other\\n'",
            "try": None,
        }
    }


def test_a_name_that_is_not_utf8_is_still_json(apply: Apply, base: Path) -> None:
    """Such a name comes out escaped."""
    (base / os.fsdecode(b"caf\xe9")).write_bytes(b"a\n")
    result = apply(b'--- "a/caf\\351"\n+++ "b/caf\\351"\n@@ -1 +1 @@\n-a\n+b\n')
    assert json.loads(json.dumps(result.document))["files"] == ["caf\udce9"]


def test_a_dry_run_writes_nothing(apply: Apply, base: Path) -> None:
    """A dry run says what would be and leaves every file and time alone."""
    before = times(base)
    assert apply(dry_run=True).document["state"] == "applied"
    assert times(base) == before
    assert look(base).keys() == {"f.txt"}


def test_a_dry_run_waits_for_a_run_that_is_at_work(apply: Apply, base: Path) -> None:
    """It is not shown the tree that another run has half changed."""
    seen: list[str] = []
    looking = threading.Thread(target=lambda: seen.append(apply(dry_run=True).document["state"]))
    with exclusive(base):
        (base / "f.txt").write_bytes(PATCHED)
        looking.start()
        looking.join(timeout=0.3)
        assert seen == []
        (base / "lib").mkdir()
        (base / "lib/new.txt").write_bytes(b"new\n")
    looking.join(timeout=60)
    assert seen == ["already-applied"]


def test_offsets_name_the_command_that_allows_them(apply: Apply, base: Path) -> None:
    """The remedy is a command with the same file, directory and options."""
    (base / "f.txt").write_bytes(b"0\na\nb\nc\n")
    patch = b"--- a/x/f.txt\n+++ b/x/f.txt\n@@ -5,3 +5,3 @@\n a\n-b\n+B\n c\n"
    problem = apply(patch, strip=2).problem
    assert problem is not None
    assert problem.kind == "offset"
    assert "line 2" in problem.what
    assert problem.remedy is not None
    assert problem.remedy.endswith("--allow-offset --strip 2")
    result = apply(patch, strip=2, allow_offset=True)
    assert result.document["moved"] == [{"path": "f.txt", "stated": 5, "line": 2}]
    assert (base / "f.txt").read_bytes() == b"0\na\nB\nc\n"


@pytest.mark.parametrize(
    ("data", "reverse", "kind", "remedy"),
    [
        (b"0\na\nb\nc\n", False, "offset", True),
        (b"0\na\nB\nc\n", True, "offset", True),
        (b"0\na\nB\nc\n", False, "offset", False),
        (b"0\na\nb\nc\n", True, "offset", False),
        (b"0\na\nb\nc\na\nB\nc\n", False, "undecidable", False),
        (b"0\na\nb\nc\na\nB\nc\n", True, "undecidable", False),
    ],
)
def test_an_offset_is_recommended_where_it_helps(
    apply: Apply, base: Path, data: bytes, reverse: bool, kind: str, remedy: bool
) -> None:
    """The command that is named does what was asked for; where it would not, none is."""
    (base / "f.txt").write_bytes(data)
    patch = b"--- a/f.txt\n+++ b/f.txt\n@@ -8,3 +8,3 @@\n a\n-b\n+B\n c\n"
    problem = apply(patch, reverse=reverse).problem
    assert problem is not None
    assert problem.kind == kind
    assert (problem.remedy is not None) is remedy
    if remedy:
        state = apply(patch, reverse=reverse, allow_offset=True).document["state"]
        assert state == ("reversed" if reverse else "applied")


def test_a_wrong_index_line_is_a_warning(apply: Apply) -> None:
    """An id that nothing needs does not stop the patch."""
    result = apply(PATCH.replace(b"422c2b7", b"1234567"))
    assert result.document["state"] == "applied"
    assert [warning["path"] for warning in result.document["warnings"]] == ["f.txt"]


@pytest.mark.parametrize(
    "options",
    [
        {"file": Path("missing.patch")},
        {"into": Path("missing")},
        {"strip": -1},
        {"strip": 1 << 64},
    ],
)
def test_wrong_usage(base: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    """A missing patch file or directory, or a strip that no path can have, is wrong usage."""
    (tmp_path / "case.patch").write_bytes(PATCH)
    with pytest.raises(UsageError):
        apply_file(**({"file": tmp_path / "case.patch", "into": base} | options))


def test_a_patch_file_that_is_a_directory_is_wrong_usage(base: Path) -> None:
    """The error names it."""
    with pytest.raises(UsageError, match="Is a directory"):
        apply_file(file=base, into=base)


def test_inside_an_ignored_directory_of_a_repository(apply: Apply, base: Path) -> None:
    """Where `git apply` skips every file and says yes, the patch goes on."""
    subprocess.run(["git", "init", "-q", base.parent], check=True)
    (base.parent / ".gitignore").write_text("tree\n")
    assert apply().document["state"] == "applied"
    assert (base / "f.txt").read_bytes() == PATCHED


def test_a_hard_linked_store_keeps_its_bytes(apply: Apply, base: Path, tmp_path: Path) -> None:
    """The store's file is not written through."""
    (tmp_path / "store.txt").hardlink_to(base / "f.txt")
    apply()
    assert (tmp_path / "store.txt").read_bytes() == PRISTINE


def test_special_files_are_not_opened(apply: Apply, base: Path) -> None:
    """A pipe in the file's place does not make the run wait."""
    (base / "f.txt").unlink()
    os.mkfifo(base / "f.txt")
    assert apply().document["error"]["kind"] == "type"


def test_a_run_that_cannot_write_says_so(apply: Apply, base: Path) -> None:
    """What stands in the way of our own files is an error, not a traceback."""
    (base / ".patchtool-journal").mkdir()
    with pytest.raises(CannotTell):
        apply()
    assert (base / "f.txt").read_bytes() == PRISTINE


def test_twenty_runs_at_once(tmp_path: Path, base: Path) -> None:
    """Mixed runs on one tree end as if one came after the other."""
    file = tmp_path / "case.patch"
    file.write_bytes(PATCH)
    readers = []
    for number in range(20):
        reader, writer = os.pipe()
        if os.fork() == 0:
            try:
                result = apply_file(file=file, into=base, reverse=number % 3 == 0)
                os.write(writer, json.dumps(result.document).encode())
            finally:
                os._exit(0)
        os.close(writer)
        readers.append(reader)
    documents = []
    for reader in readers:
        with os.fdopen(reader, "rb") as pipe:
            documents.append(json.loads(pipe.read()))
        os.wait()
    states = [document["state"] for document in documents]
    balance = states.count("applied") - states.count("reversed")
    patched = (base / "f.txt").read_bytes() == PATCHED
    assert balance == patched
    assert look(base).keys() == ({"f.txt", "lib/new.txt"} if patched else {"f.txt"})
