"""Swaps new contents into a directory, all or nothing, so that no kill and no full disk tears it.

The order makes it safe, also against a loss of power, as each step is on the disk before the next:
a journal of what is meant; the new contents, and second names for the old ones, beside their
paths; the committed journal; one rename for each path; the rest is removed. Until the journal is
committed nothing has changed. From then on `recover` can finish the swap, or undo it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from patchtool.files import File, Found, Hindrance, Identity, Mode, Obstacle, Read, remember
from patchtool.tree.disk import cannot, decode, reader
from patchtool.tree.journal import NAME, NEXT_NAME, Entry, Journal, dump, is_ours, load, meant
from patchtool.tree.writing import Directory
from patchtool.values import dataclass

# A path, and the path of the content that is to take its place; None removes it.
_Move = tuple[str, str | None]


def swap(changes: Mapping[str, File | None], base: Path) -> None:
    """Let each path below `base` be its new file, None for "gone"; under the lock of `exclusive`.

    CannotTell if the disk refuses; the tree is then as it was, or the error says that the next
    run has to finish.
    """
    swap_all({base: changes})


def swap_all(changes: Mapping[Path, Mapping[str, File | None]]) -> None:
    """As `swap`, below several directories: none is changed before all of them stand ready."""
    swaps = [_Swap.plan(files, base) for base, files in changes.items() if files]
    try:
        for each in swaps:
            each.prepare()
    except BaseException as error:
        with contextlib.suppress(OSError):
            for prepared in swaps:
                _sweep(prepared.entries, prepared.directory)
        raise _told(error, "cannot write, nothing is changed", each.base, each.entries) from None
    try:
        for each in swaps:
            _carry_out([(entry.path, entry.fresh) for entry in each.entries], each.directory)
    except BaseException as error:
        for begun in swaps:
            _undo(begun.entries, begun.base, begun.directory)
        raise _told(
            error, "cannot write, everything is put back", each.base, each.entries
        ) from None
    try:
        for each in swaps:
            _sweep(each.entries, each.directory)
    except OSError as error:
        what = "everything is written, but the next run has to remove what was needed for it"
        raise _told(error, what, each.base, each.entries) from None


def is_pending(base: Path) -> bool:
    """Whether a swap in `base` is under way, or was killed."""
    return Directory(base).has(NAME)


def recover(base: Path) -> None:
    """Finish or undo what a killed run has left, and remove its files; under the lock."""
    directory = Directory(base)
    if not directory.has(NAME):
        return
    entries: tuple[Entry, ...] = ()
    try:
        found = reader(base)(NAME)
        journal = load(found.data) if isinstance(found, File) else None
        entries = journal.entries if journal is not None else ()
        if not all(is_ours(entry) for entry in entries):
            entries = ()
        if journal is not None and journal.committed:
            _carry_out(_way_out(entries, base), directory)
        _sweep(entries, directory)
    except OSError as error:
        what = "cannot finish what a killed run has left"
        raise _told(error, what, base, entries) from None


def _told(error: BaseException, what: str, base: Path, entries: Iterable[Entry]) -> BaseException:
    """A failure of the disk with the path it is about; any other as it is."""
    if not isinstance(error, OSError):
        return error
    name = error.filename
    path = meant(decode(name), entries) if isinstance(name, bytes) else str(base)
    return cannot(error, what, path)


def _plan(changes: Mapping[str, File | None], base: Path, directory: Directory) -> Iterator[Entry]:
    from patchtool.diff.paths import parents

    read = reader(base)
    for number, (path, file) in enumerate(sorted(changes.items())):
        found = read(path)
        old = found.identity if isinstance(found, File) else None
        # Not below a path that is a directory now and becomes a file.
        above = next((p for p in parents(path) if changes.get(p) is not None), path)
        where = directory.nearest(above)
        name = f"{where}/.patchtool-{number}" if where else f".patchtool-{number}"
        yield Entry(
            path=path,
            old=old,
            new=file.identity if file is not None else None,
            fresh=f"{name}-new" if file is not None else None,
            kept=f"{name}-old" if old is not None else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Swap:
    """What is to change below one directory."""

    base: Path
    directory: Directory
    changes: Mapping[str, File | None]
    entries: tuple[Entry, ...]

    @classmethod
    def plan(cls, changes: Mapping[str, File | None], base: Path) -> _Swap:
        """Look at what is there."""
        directory = Directory(base)
        entries = tuple(_plan(changes, base, directory))
        return cls(base=base, directory=directory, changes=changes, entries=entries)

    def prepare(self) -> None:
        """Everything up to the committed journal; no path is touched so far."""
        directory, entries = self.directory, self.entries
        directory.create(NAME, dump(Journal(committed=False, entries=entries)))
        read = reader(self.base)
        for entry in entries:
            file = self.changes[entry.path]
            was_file = entry.old is not None and not _is_link(entry.old)
            if file is not None and entry.fresh is not None:
                directory.write(entry.fresh, file, like=entry.path if was_file else None)
            if entry.kept is not None:
                directory.keep(entry.path, entry.kept, read)
        directory.sync_all(e.fresh for e in entries if e.fresh is not None and not _is_link(e.new))
        directory.sync_above(path for entry in entries for path in _waiting(entry))
        directory.create(NEXT_NAME, dump(Journal(committed=True, entries=entries)))
        directory.sync(NEXT_NAME)
        directory.move(NEXT_NAME, NAME)
        directory.sync("")


def _is_link(identity: Identity | None) -> bool:
    return identity is not None and identity.mode is Mode.SYMLINK


def _waiting(entry: Entry) -> list[str]:
    return [path for path in (entry.fresh, entry.kept) if path is not None]


def _carry_out(moves: list[_Move], directory: Directory) -> None:
    """Move the waiting contents to their paths, remove what is to go, and make it durable."""
    later: list[tuple[str, str]] = []
    for path, source in moves:
        if source is None:
            continue
        if directory.nearest(path) == path.rpartition("/")[0] and not directory.is_directory(path):
            directory.move(source, path)
        else:
            later.append((path, source))
    for path, source in moves:
        if source is None:
            directory.remove(path)
            directory.prune(path)
    for path, source in later:
        directory.make_parents(path)
        directory.move(source, path)
    directory.sync_above(path for path, _ in moves)


def _undo(entries: tuple[Entry, ...], base: Path, directory: Directory) -> None:
    """Put everything back, or leave it to the next run if even that fails."""
    try:
        _carry_out(_moves_back(entries, reader(base)), directory)
    except OSError as error:
        what = "cannot write, and some files are changed; run the same again to finish"
        raise _told(error, what, base, entries) from None
    with contextlib.suppress(OSError):
        _sweep(entries, directory)


# A removal is in both lists even where the file is gone: its directories may not be.


def _moves_on(entries: Iterable[Entry], read: Read) -> list[_Move]:
    """What is left to do of a swap."""
    due = (e for e in entries if e.new is None or _identity(read(e.path)) != e.new)
    return [(entry.path, entry.fresh) for entry in due]


def _moves_back(entries: Iterable[Entry], read: Read) -> list[_Move]:
    """What is to be done to undo a swap."""
    due = (e for e in entries if e.old is None or _identity(read(e.path)) != e.old)
    return [(entry.path, entry.kept) for entry in due]


def _way_out(entries: tuple[Entry, ...], base: Path) -> list[_Move]:
    """The moves that end a killed swap: forward if all of it is sound, else back, else none.

    Sound means: each path has its old or its new content, and what still has to go there waits
    beside it unharmed. Anything else was changed by somebody since, and is not touched.
    """
    read = remember(reader(base))
    can_go = can_return = True
    for entry in entries:
        found = read(entry.path)
        if isinstance(found, Obstacle) and found.kind is Hindrance.BELOW_LINK:
            return []
        here = _identity(found)
        can_go &= here == entry.new or (
            here == entry.old and _identity(read(entry.fresh or "")) == entry.new
        )
        can_return &= here == entry.old or (
            here == entry.new and _identity(read(entry.kept or "")) == entry.old
        )
    if can_go:
        return _moves_on(entries, read)
    return _moves_back(entries, read) if can_return else []


def _identity(found: Found) -> Identity | None:
    return found.identity if isinstance(found, File) else None


def _sweep(entries: Iterable[Entry], directory: Directory) -> None:
    """Remove all that is ours, the journal last, and the directories that stayed for it alone."""
    entries = tuple(entries)
    directory.remove_all(path for entry in entries for path in _waiting(entry))
    for entry in entries:
        if entry.new is None:
            directory.prune(entry.path)
    directory.remove(NEXT_NAME)
    directory.remove(NAME)
