"""How a vendored tree differs from what it should be, file by file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from patchtool.errors import Problem
from patchtool.files import File
from patchtool.package import Vendored


def without(files: Mapping[str, File], vendored: Vendored) -> dict[str, File]:
    """The files of an origin that the copy has: those below `origin_path` and not left out."""
    start = f"{vendored.origin_path}/" if vendored.origin_path else ""
    return {
        path.removeprefix(start): file
        for path, file in files.items()
        if path.startswith(start) and not matches(path.removeprefix(start), vendored.left_out)
    }


def differences(
    expected: Mapping[str, File], tree: Mapping[str, File], vendored: Vendored, *, subject: str
) -> tuple[Problem, ...]:
    """Every file of `tree` that is not as `expected`, and every one that is not declared.

    `expected` are the files of the origin, without what is left out, patched or not. A pattern of
    `added` that nothing in the tree matches is a difference too.
    """
    return tuple(
        Problem(kind=kind, what=what, subject=subject, path=path, expected=wanted, found=found)
        for kind, what, path, wanted, found in _found(expected, tree, vendored)
    )


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is of this path. `*` and `?` also match a `/`."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)


_Difference = tuple[str, str, str, str | None, str | None]


def _found(
    expected: Mapping[str, File], tree: Mapping[str, File], vendored: Vendored
) -> Iterator[_Difference]:
    """Kind, sentence, path in the project, and both identities."""
    for path in sorted(expected.keys() | tree.keys()):
        place = f"{vendored.path}/{path}"
        wanted, found = expected.get(path), tree.get(path)
        if wanted == found:
            continue
        if wanted and found:
            what = "is not the file that is expected from its origin"
            yield "foreign", what, place, _words(wanted), _words(found)
        elif wanted:
            what = "is in the origin but not here, and not declared in leave-out"
            yield "missing", what, place, _words(wanted), None
        elif found and not matches(path, vendored.added):
            what = "is here but not in the origin, and not declared in added"
            yield "unexpected", what, place, None, _words(found)
    own = tree.keys() - expected.keys()
    for pattern in vendored.added:
        if not any(matches(path, [pattern]) for path in own):
            what = "is declared in added, but there is no such file"
            yield "missing", what, f"{vendored.path}/{pattern}", None, None


def _words(file: File) -> str:
    return f"{file.identity.blob} {file.mode.value}"
