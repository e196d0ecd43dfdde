"""Published stacks stay as they are, and copies are cheap, changed on their own, and told apart."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool import stack
from patchtool.errors import CannotTell
from patchtool.files import File, Mode
from patchtool.store import Store


@pytest.fixture
def store(make_store: Callable[..., Store]) -> Store:
    """A store with an empty cache."""
    return make_store()


@pytest.fixture
def base(store: Store) -> Path:
    """A published stack of one package with a program, a link and a nested package."""
    return publish(store)


def publish(store: Store, lock: bytes = b"lock") -> Path:
    """Lay out and publish a small stack."""
    with store.cache.scratch() as directory:
        package = directory / "node_modules/a"
        (package / "node_modules/b").mkdir(parents=True)
        (package / "index.js").write_bytes(b"old")
        (package / "bin").write_bytes(b"#!")
        (package / "bin").chmod(0o755)
        (package / "link").symlink_to("index.js")
        (package / "node_modules/b/index.js").write_bytes(b"b")
        return stack.publish(directory, lock, store)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file under a directory but the stack's record."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != "stack.json"
    }


def test_published_stack_is_found_by_its_lockfile(base: Path, store: Store) -> None:
    """The same lockfile finds it again, another one does not; its files are read-only."""
    assert stack.find(b"lock", store) == base
    assert stack.find(b"other", store) is None
    assert not any((base / path).stat().st_mode & 0o222 for path in contents(base))
    assert (base / "node_modules/a/bin").stat().st_mode & stat.S_IXUSR


DAMAGE = {
    "change": "node_modules/a/index.js",
    "change in secret": "node_modules/a/index.js",
    "mode": "node_modules/a/index.js",
    "link": "node_modules/a/link",
    "delete": "node_modules/a/index.js",
    "add": "node_modules/c.js",
    "pipe": "node_modules/pipe",
    "no record": "stack.json",
    "broken record": "stack.json",
    "old record": "stack.json",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_stack_is_not_found_and_makes_room(base: Path, store: Store, damage: str) -> None:
    """A file changed, gone or new, or a lost record: it is named, and the stack is replaced."""
    assert stack.changed(base) == ()
    file = base / "node_modules/a/index.js"
    if damage == "change in secret":
        seen = file.stat()
        file.chmod(0o644)
        file.write_bytes(b"dlo")
        file.chmod(seen.st_mode & 0o7777)
        os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    elif damage == "mode":
        file.chmod(0o555)
    elif damage == "link":
        (base / "node_modules/a/link").unlink()
        (base / "node_modules/a/link").symlink_to("bin")
    elif damage == "pipe":
        os.mkfifo(base / "node_modules/pipe")
    elif damage == "old record":
        (base / "stack.json").write_bytes(b'{"digest": "x", "files": "y"}')
    elif damage == "change":
        file.chmod(0o644)
        file.write_bytes(b"new")
        os.utime(file, ns=(1, 1))
    elif damage == "delete":
        file.unlink()
    elif damage == "add":
        (base / "node_modules/c.js").write_bytes(b"")
    elif damage == "no record":
        (base / "stack.json").unlink()
    else:
        (base / "stack.json").write_bytes(b"{")
    assert stack.changed(base) == (DAMAGE[damage],)
    assert stack.find(b"lock", store) is None
    assert publish(store) == base
    assert stack.find(b"lock", store) == base
    assert contents(base)["node_modules/a/index.js"] == b"old"


def test_whole_stack_is_not_replaced(base: Path, store: Store) -> None:
    """Two runs that lay out the same stack: the first one stays, for it may be in use."""
    inode = (base / "node_modules/a/index.js").stat().st_ino
    assert publish(store) == base
    assert (base / "node_modules/a/index.js").stat().st_ino == inode


def test_variant_has_the_changes_and_the_base_has_not(base: Path, store: Store) -> None:
    """Changed, new, deleted, executable and linked files stand in the copy alone."""
    before = contents(base)
    changes = {
        base / "node_modules/a": {
            "index.js": File(data=b"new"),
            "lib/deep.js": File(data=b"deep", mode=Mode.EXECUTABLE),
            "bin": None,
            "gone": None,
            "soft": File(data=b"lib/deep.js", mode=Mode.SYMLINK),
        }
    }
    copy = stack.variant(base, changes, store)
    a = "node_modules/a"
    expected = before | {f"{a}/index.js": b"new", f"{a}/lib/deep.js": b"deep", f"{a}/soft": b"deep"}
    del expected[f"{a}/bin"]
    expected[f"{a}/link"] = b"new"
    assert contents(copy) == expected
    assert (copy / a / "lib/deep.js").stat().st_mode & stat.S_IXUSR
    assert contents(base) == before
    assert stack.find(b"lock", store) == base


def test_no_directory_of_a_copy_is_shared(base: Path, store: Store) -> None:
    """Everything in a copy has its real path in the copy: Node.js would follow a link out."""
    copy = stack.variant(base, {base / "node_modules/a": {"x": File(data=b"")}}, store)
    assert all(path.resolve().is_relative_to(copy) for path in copy.rglob("*"))


def test_variant_is_made_once_and_again_when_damaged(base: Path, store: Store) -> None:
    """The same changes give the same directory untouched; a damaged one is made anew."""
    changes = {base / "node_modules/a": {"index.js": File(data=b"new")}}
    copy = stack.variant(base, changes, store)
    changed = copy / "node_modules/a/index.js"
    inode = changed.stat().st_ino
    assert stack.variant(base, changes, store) == copy
    assert changed.stat().st_ino == inode
    changed.write_bytes(b"damaged")
    assert stack.variant(base, changes, store) == copy
    assert changed.read_bytes() == b"new"


def test_variant_of_a_damaged_base_is_refused(base: Path, store: Store) -> None:
    """What is not whole is not copied: the copy would be taken for whole ever after."""
    (base / "node_modules/a/new.js").write_bytes(b"")
    with pytest.raises(CannotTell, match="laid out whole"):
        stack.variant(base, {base / "node_modules/a": {"x": File(data=b"")}}, store)
    assert not list(store.cache.directory.glob("variants/*"))


def test_digest_tells_contents_apart(base: Path, store: Store) -> None:
    """Bytes, mode, path, deletion and base each count; the order of changes does not."""
    a = base / "node_modules/a"
    one, two = File(data=b"1"), File(data=b"2")
    seen = {
        stack.digest(base),
        stack.digest(base, {a: {"f": one}}),
        stack.digest(base, {a: {"f": two}}),
        stack.digest(base, {a: {"g": one}}),
        stack.digest(base, {a: {"f": None}}),
        stack.digest(base, {a: {"f": File(data=b"1", mode=Mode.EXECUTABLE)}}),
        stack.digest(base, {a / "node_modules/b": {"f": one}}),
        stack.digest(base, {a: {"f": one, "g": two}}),
        stack.digest(publish(store, b"other lock")),
    }
    assert len(seen) == 9
    both = {a: {"f": one, "g": two}}
    assert stack.digest(base, both) == stack.digest(base, {a: {"g": two, "f": one}})
    assert stack.digest(base, {}) == stack.digest(base)
    assert stack.digest(stack.variant(base, both, store)) == stack.digest(base, both)


def test_digest_of_no_stack_is_refused(tmp_path: Path) -> None:
    """A directory that was not laid out whole has no digest."""
    with pytest.raises(CannotTell) as caught:
        stack.digest(tmp_path)
    assert caught.value.problem.path == str(tmp_path)


def test_changes_stay_in_the_stack(base: Path, tmp_path: Path) -> None:
    """A change of a file outside the copy is refused before it is made."""
    stack.copy(base, tmp_path / "copy")
    with pytest.raises(ValueError, match="is not in"):
        stack.change(tmp_path / "copy", {base: {"node_modules/a/index.js": None}})
    with pytest.raises(ValueError, match="is not in"):
        stack.change(tmp_path / "copy", {tmp_path / "copy": {"../x": File(data=b"")}})
    assert not (tmp_path / "x").exists()


def test_copy_on_another_file_system_has_the_bytes(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where files cannot be linked they are copied."""

    def link(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", link)
    stack.copy(base, tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(base)


def test_a_thousand_files_are_copied_in_a_moment(store: Store, tmp_path: Path) -> None:
    """A stack of the usual size is copied fast enough for hundreds of copies."""
    with store.cache.scratch() as directory:
        for number in range(1000):
            (directory / f"d{number % 50}").mkdir(exist_ok=True)
            (directory / f"d{number % 50}" / str(number)).write_bytes(b"x" * 5000)
        base = stack.publish(directory, b"large", store)
    times = []
    for number in range(3):
        started = time.perf_counter()
        stack.copy(base, tmp_path / str(number))
        times.append(time.perf_counter() - started)
    assert min(times) < 0.5
