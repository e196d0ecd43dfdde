"""The disk: what is read, how files are swapped, and that no kill and no full disk tears a tree."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from diff.engine_case import lay_out, look, memory, times  # noqa: F401  (memory is a fixture)
from faults.changes import CHANGES, NEW, OLD
from faults.injector import Injector, failure, kill, run
from patchtool import tree
from patchtool.diff import Hindrance, Obstacle
from patchtool.errors import CannotTell, PatchError, Problem
from patchtool.files import File, Read
from patchtool.tree import writing
from patchtool.tree.journal import NAME, Entry, Journal, dump
from patchtool.tree.lock import exclusive


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A directory with the old files."""
    lay_out(OLD, tmp_path / "tree")
    return tmp_path / "tree"


@contextlib.contextmanager
def injected(injector: Injector) -> Iterator[None]:
    """Let the injector stand in for `os` in what writes, for a block."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "os", injector)
        yield


def steps(base: Path) -> int:
    """How many steps a swap has."""
    counter = Injector()
    with injected(counter):
        tree.swap(CHANGES, base)
    assert look(base) == NEW
    return len(counter.steps)


def in_process(work: Callable[[], None], at: int) -> int:
    """Do some work in a process of its own, which is killed at this step; its exit code."""

    def to_the_end() -> int:
        work()
        return 0

    return run(to_the_end, Injector(at, kill)).code


def torn(base: Path) -> dict[str, object]:
    """The files that have neither their old nor their new content (ours aside)."""
    return {
        path: found
        for path, found in settled(base).items()
        if found not in (OLD.get(path), NEW.get(path))
    }


def settled(base: Path) -> dict[str, object]:
    """What is there, ours aside."""
    return {
        path: file
        for path, file in look(base).items()
        if not path.rpartition("/")[2].startswith(".patchtool-") and file != "empty directory"
    }


def test_swap_makes_every_kind_of_change(base: Path) -> None:
    """Edits, modes, links, creations, deletions and changes of type arrive; nothing is left."""
    tree.swap(CHANGES, base)
    assert look(base) == NEW


def test_a_kill_at_any_step_loses_nothing(tmp_path: Path, base: Path) -> None:
    """Killed at each step in turn: no torn file; the next run finishes and leaves nothing."""
    outcomes = set()
    for at in range(1, steps(base) + 1):
        here = tmp_path / f"killed-{at}"
        lay_out(OLD, here)
        assert in_process(partial(tree.swap, CHANGES, here), at) == -signal.SIGKILL
        assert torn(here) == {}, at
        tree.recover(here)
        assert look(here) in (OLD, NEW), at
        outcomes.add(look(here) == NEW)
        tree.swap(CHANGES if look(here) == OLD else {}, here)
        assert look(here) == NEW
    assert outcomes == {True, False}


def test_a_kill_during_recovery_loses_nothing(tmp_path: Path, base: Path) -> None:
    """A second kill, at any step of the recovery, is recovered from as well."""
    total = steps(base)
    strides = (1, 1) if "PATCHTOOL_LONG_TESTS" in os.environ else (6, 3)
    for first in range(total // 3, total + 1, strides[0]):
        for second in range(1, total + 1, strides[1]):
            here = tmp_path / f"killed-{first}-{second}"
            lay_out(OLD, here)
            in_process(partial(tree.swap, CHANGES, here), first)
            code = in_process(partial(tree.recover, here), second)
            assert torn(here) == {}, (first, second)
            tree.recover(here)
            assert look(here) in (OLD, NEW), (first, second)
            if code == 0:
                break


@contextlib.contextmanager
def suppress_named(reason: str) -> Iterator[None]:
    """Allow an error that says where and why."""
    try:
        yield
    except CannotTell as error:
        path = error.problem.path
        if reason not in error.problem.what or not path or ".patchtool" in path:
            raise


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS])
def test_a_failing_disk_changes_nothing(tmp_path: Path, base: Path, code: int) -> None:
    """Each step fails in turn: an error that names it, and the old tree, or the new and swept."""
    for at in range(1, steps(base) + 1):
        here = tmp_path / f"failed-{at}"
        lay_out(OLD, here)
        # Some steps can do without: there is another way, or somebody else's next run.
        with injected(Injector(at, failure(code))), suppress_named(os.strerror(code)):
            tree.swap(CHANGES, here)
        assert torn(here) == {}, at
        tree.recover(here)
        assert look(here) in (OLD, NEW), at
        tree.swap(CHANGES if look(here) == OLD else {}, here)
        assert look(here) == NEW


@pytest.mark.parametrize("step", ["open", "write", "fsync", "link", "replace"])
def test_an_error_names_the_file_that_was_to_be_written(
    base: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Not the file of ours beside it; also where the system names no file, as a full disk does."""
    real, fresh = getattr(os, step), base / ".patchtool-0-new"

    def is_ours(name: object) -> bool:
        if isinstance(name, int):
            return fresh.exists() and os.path.samestat(os.fstat(name), fresh.stat())
        return isinstance(name, bytes) and b"/.patchtool-0-" in name

    def fail(first: Any, *others: Any, **options: Any) -> Any:
        if is_ours(first) or any(map(is_ours, others)):
            name = None if isinstance(first, int) else first
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        return real(first, *others, **options)

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(CannotTell) as caught:
        tree.swap({"edited.js": File(data=b"new\n")}, base)
    assert caught.value.problem.path == str(base / "edited.js")


def test_a_disk_that_stays_broken_leaves_it_to_the_next_run(tmp_path: Path, base: Path) -> None:
    """From some step on everything fails, the putting back too: the next run still ends it."""
    for at in range(1, steps(base) + 1):
        here = tmp_path / f"broken-{at}"
        lay_out(OLD, here)
        broken = Injector(at, failure(errno.EIO), lasting=True)
        with injected(broken), pytest.raises(CannotTell):
            tree.swap(CHANGES, here)
        assert torn(here) == {}, at
        tree.recover(here)
        assert look(here) in (OLD, NEW), at


def test_an_error_in_one_of_two_directories_is_true_of_both(tmp_path: Path) -> None:
    """Whatever the error says of the files (nothing changed, all written) holds in each of them."""
    at, said = 0, set[str]()
    while True:
        at += 1
        bases = [tmp_path / f"{at}-{number}" for number in range(2)]
        for each in bases:
            lay_out(OLD, each)
        injector = Injector(at, failure(errno.ENOSPC))
        try:
            with injected(injector):
                tree.swap_all(dict.fromkeys(bases, CHANGES))
        except CannotTell as error:
            what = error.problem.what.partition(",")
            said.add(what[2])
            expected = NEW if what[0] == "everything is written" else OLD
            assert [settled(each) for each in bases] == [expected, expected], (at, what)
        if len(injector.steps) < at:
            break
    assert len(said) == 3


@pytest.mark.parametrize("at", [1, 30, 60])
def test_many_files_that_fail_to_reach_the_disk(
    base: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Files are waited for together; one that fails stops the swap like any other error."""
    many = {f"many/{number}.txt": File(data=b"x\n") for number in range(60)}
    lay_out(many, base)
    before = look(base)
    calls = iter(range(1, 1000))

    def fail(_: int) -> None:
        if next(calls) == at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    changes = {path: File(data=b"y\n") for path in many}
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(CannotTell):
            tree.swap(changes, base)
    assert look(base) == before
    tree.swap(changes, base)
    assert look(base) == before | changes


def test_hard_links_into_a_store_keep_their_bytes(base: Path, tmp_path: Path) -> None:
    """What shares an inode with a store is replaced, not written to; its mode stays as well."""
    store = tmp_path / "store"
    store.mkdir()
    for path in ("edited.js", "bin/run"):
        (store / Path(path).name).hardlink_to(base / path)
    before = look(store)
    tree.swap(CHANGES, base)
    assert look(store) == before
    assert look(base) == NEW


def test_without_hard_links_old_contents_are_copied(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk without hard links a swap works, and a failure is put back."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    def fail_once(source: bytes, target: bytes) -> None:
        if target.endswith(b"lib/index.js"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.rename(source, target)  # noqa: PTH104

    with monkeypatch.context() as patched:
        patched.setattr(os, "link", refuse)
        patched.setattr(os, "replace", fail_once)
        with pytest.raises(CannotTell, match="put back"):
            tree.swap(CHANGES, base)
    assert look(base) == OLD
    monkeypatch.setattr(os, "link", refuse)
    tree.swap(CHANGES, base)
    assert look(base) == NEW


@pytest.mark.parametrize("path", ["x" * 300, "x" * 300 + "/y", "new/" + "x" * 300 + "/y"])
def test_a_name_that_the_disk_does_not_take_changes_nothing(base: Path, path: str) -> None:
    """The error says so; nothing is left that no later run could finish."""
    with pytest.raises(CannotTell, match="File name too long"):
        tree.swap({"edited.js": File(data=b"new\n"), path: File(data=b"made\n")}, base)
    assert look(base) == OLD
    tree.swap(CHANGES, base)
    assert look(base) == NEW


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owners_are_kept(base: Path) -> None:
    """What root patches stays the file of whoever had it."""
    os.chown(base / "edited.js", 12345, 12345)
    tree.swap(CHANGES, base)
    found = (base / "edited.js").stat()
    assert (found.st_uid, found.st_gid) == (12345, 12345)


def test_permissions_are_kept(base: Path) -> None:
    """An edited file keeps its permissions; an x that the patch sets follows who may read."""
    (base / "edited.js").chmod(0o640)
    (base / "bin/run").chmod(0o640)
    tree.swap(CHANGES, base)
    assert stat.S_IMODE((base / "edited.js").stat().st_mode) == 0o640
    assert stat.S_IMODE((base / "bin/run").stat().st_mode) == 0o750


def test_what_is_not_changed_is_not_touched(base: Path) -> None:
    """Other files keep their inode and their time."""
    before = times(base)["untouched.txt"]
    tree.swap(CHANGES, base)
    assert times(base)["untouched.txt"] == before


def test_no_changes_write_nothing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update without changes takes no step and no lock."""
    counter = Injector()
    monkeypatch.setattr(writing, "os", counter)
    monkeypatch.setattr(fcntl, "flock", lambda *_: pytest.fail("locked"))
    tree.update(base, lambda _: Decided({}))
    assert counter.steps == []


class Decided:
    """A decision for `update`."""

    def __init__(self, changes: Mapping[str, File | None]) -> None:
        self.changes = changes


class DecidedForAll:
    """A decision for `update_all`, in whose way nothing stands."""

    is_clear = True

    def __init__(self, changes: Mapping[Path, Mapping[str, File | None]]) -> None:
        self.changes = changes


def held(*directories: Path) -> set[Path]:
    """Those of the directories that are locked just now."""
    found = set(directories)
    for each in directories:
        with contextlib.suppress(CannotTell), exclusive(each, limit=0):
            found.remove(each)
    return found


def test_a_look_is_under_the_locks_of_all_that_it_sees(base: Path, tmp_path: Path) -> None:
    """If what is seen is in more directories than are locked, it is looked at again."""
    (other := tmp_path / "other").mkdir()
    locked: list[set[Path]] = []
    tree.look(lambda: locked.append(held(base, other)), lambda _: {base, other}, base)
    assert locked == [{base}, {base, other}]


def test_all_that_is_to_change_is_locked_first(base: Path, tmp_path: Path) -> None:
    """If something would change in a directory that is not locked, it is decided again."""
    (other := tmp_path / "other").mkdir()
    locked: list[set[Path]] = []

    def decide() -> DecidedForAll:
        locked.append(held(base, other))
        return DecidedForAll({base: {}, other: {"new": File(data=b"x")}})

    tree.update_all(decide, base)
    assert locked == [{base}, {base, other}]
    assert look(other) == {"new": File(data=b"x")}


def test_what_is_decided_without_the_lock_is_refused_only_under_it(base: Path) -> None:
    """A tree in which another run is at work may not fit: it is looked at again, and changed."""
    locked: list[set[Path]] = []

    def decide(_: Read) -> Decided:
        locked.append(held(base))
        if not locked[-1]:
            raise PatchError(Problem(kind="no-match", what="differs"))
        return Decided({"new": File(data=b"x")})

    tree.update(base, decide)
    assert locked == [set(), {base}]
    assert look(base)["new"] == File(data=b"x")


def test_update_finishes_what_was_killed_before_it_decides(base: Path) -> None:
    """The decision is made on the tree after the recovery."""
    lay_out(OLD, counted := base.with_name("counted"))
    counter = Injector()
    with injected(counter):
        tree.swap(CHANGES, counted)
    committed = counter.steps.index("replace") + 1
    in_process(partial(tree.swap, CHANGES, base), committed + 1)
    assert tree.is_pending(base)
    seen = []

    def decide(read: Callable[[str], object]) -> Decided:
        seen.append(read("edited.js"))
        return Decided({})

    tree.update(base, decide)
    assert seen == [NEW["edited.js"]]
    assert look(base) == NEW


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-1],
        lambda _: b"",
        lambda _: b"not a journal",
        lambda data: data.replace(b"true", b"null"),
    ],
)
def test_a_journal_that_is_not_whole_is_swept(base: Path, spoil: Callable[[bytes], bytes]) -> None:
    """A torn journal moves nothing."""
    entry = Entry(
        path="edited.js",
        old=OLD["edited.js"].identity,
        new=File(data=b"other\n").identity,
        fresh=".patchtool-0-new",
        kept=None,
    )
    (base / ".patchtool-0-new").write_bytes(b"other\n")
    (base / NAME).write_bytes(spoil(dump(Journal(committed=True, entries=(entry,)))))
    tree.recover(base)
    assert (base / "edited.js").read_bytes() == b"old\n"
    assert not (base / NAME).exists()


@pytest.mark.parametrize(
    ("path", "fresh"),
    [
        ("../outside.txt", ".patchtool-0-new"),
        ("edited.js", "../.patchtool-0-new"),
        ("edited.js", "untouched.txt"),
        ("way/out.txt", ".patchtool-0-new"),
    ],
)
def test_a_journal_that_a_package_ships_does_no_harm(
    base: Path, tmp_path: Path, path: str, fresh: str
) -> None:
    """A forged journal moves nothing out of the tree or into it, and removes no other file."""
    (base / "way").symlink_to(tmp_path)
    (tmp_path / "outside.txt").write_bytes(b"safe\n")
    (tmp_path / ".patchtool-0-new").write_bytes(b"safe\n")
    before = look(base)
    (base / ".patchtool-0-new").write_bytes(b"same\n")
    entry = Entry(path=path, old=None, new=OLD["untouched.txt"].identity, fresh=fresh, kept=None)
    (base / NAME).write_bytes(dump(Journal(committed=True, entries=(entry,))))
    tree.recover(base)
    (base / ".patchtool-0-new").unlink(missing_ok=True)
    assert look(base) == before
    assert (tmp_path / "outside.txt").read_bytes() == b"safe\n"
    assert (tmp_path / ".patchtool-0-new").read_bytes() == b"safe\n"
    assert not (tmp_path / "out.txt").exists()


def test_recovery_keeps_its_hands_off_what_somebody_has_changed(base: Path) -> None:
    """A file that has a third content since the kill is left alone, and so is all the rest."""
    entries = (
        Entry(
            path="edited.js",
            old=OLD["edited.js"].identity,
            new=NEW["edited.js"].identity,
            fresh=".patchtool-0-new",
            kept=None,
        ),
        Entry(path="lib", old=File(data=b"was\n").identity, new=None, fresh=None, kept=None),
    )
    (base / ".patchtool-0-new").write_bytes(b"new\n")
    (base / NAME).write_bytes(dump(Journal(committed=True, entries=entries)))
    tree.recover(base)
    assert look(base) == OLD


def test_the_reader_tells_everything_apart(base: Path, tmp_path: Path) -> None:
    """Files, links, directories, special files, and paths below links and files."""
    os.mkfifo(base / "pipe")
    (base / "way").symlink_to(tmp_path)
    (base / "loop").symlink_to("loop")
    (base / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    read = tree.reader(base)
    assert read("edited.js") == OLD["edited.js"]
    assert read("link") == OLD["link"]
    assert read("missing") is None
    assert read("missing/below") is None
    assert read("pipe") == Obstacle(kind=Hindrance.SPECIAL, at="pipe")
    assert read("way/outside.txt") == Obstacle(kind=Hindrance.BELOW_LINK, at="way")
    assert read("loop/x") == Obstacle(kind=Hindrance.BELOW_LINK, at="loop")
    assert read("lib/x/y") == Obstacle(kind=Hindrance.BELOW_FILE, at="lib")
    assert read("dist") == Obstacle(kind=Hindrance.DIRECTORY, at="dist", holds=("dist/index.js",))
    assert read("caf\udce9") == File(data=b"x")
    assert read("x" * 300) is None


def test_the_base_may_be_a_link(base: Path, tmp_path: Path) -> None:
    """The directory itself is resolved; only links below it are obstacles."""
    (tmp_path / "alias").symlink_to(base)
    assert tree.reader(tmp_path / "alias")("edited.js") == OLD["edited.js"]
    tree.swap(CHANGES, tmp_path / "alias")
    assert look(base) == NEW


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes everything")
def test_without_permission_there_is_a_clear_error(base: Path) -> None:
    """A directory that may not be written to is named, and nothing is changed."""
    base.chmod(0o555)
    with pytest.raises(CannotTell, match="Permission denied"):
        tree.swap(CHANGES, base)
    base.chmod(0o755)
    assert look(base) == OLD


@pytest.mark.parametrize(("number", "goes"), [(errno.ENOLCK, True), (errno.EIO, False)])
def test_only_a_file_system_without_locks_is_gone_on_upon(
    base: Path, monkeypatch: pytest.MonkeyPatch, number: int, goes: bool
) -> None:
    """Some network file systems have none; whatever else keeps from locking is an error."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    expected = pytest.raises(CannotTell, match="cannot lock the directory")
    with contextlib.nullcontext() if goes else expected, exclusive(base):
        pass


@pytest.fixture
def holder(base: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that holds the directory's lock."""
    code = (
        "import fcntl, os, sys\n"
        "handle = os.open(sys.argv[1], os.O_RDONLY)\n"
        "fcntl.flock(handle, fcntl.LOCK_EX)\n"
        "print(flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, base], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_a_held_lock_is_waited_for_to_a_limit(base: Path, holder: subprocess.Popen[bytes]) -> None:
    """A live holder: the wait ends with an error that says so."""
    with pytest.raises(CannotTell, match="another run"), exclusive(base, limit=0.1):
        pytest.fail("the lock was held")
    holder.kill()


def test_waiting_is_said_once_and_ends_when_the_holder_dies(
    base: Path, holder: subprocess.Popen[bytes]
) -> None:
    """After a second the user is told; a killed holder's lock is free at once."""
    said: list[str] = []
    told = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        told.set()
        holder.kill()

    with exclusive(base, limit=60, say=say):
        pass
    assert told.is_set()
    assert len(said) == 1
    assert str(base) in said[0]
