"""Headers and content to sections: those of `diff --git`, and the plain ones of `diff -u`. Pure."""

from __future__ import annotations

from patchtool.diff import paths
from patchtool.diff.header import Header, change_of, index_of, modes_of
from patchtool.diff.model import Binary, Change, Hunk, Section
from patchtool.diff.names import git_names
from patchtool.diff.stamp import says_absent, undressed
from patchtool.files import Mode

# What `diff f.orig f` has behind the one name and not behind the other. RPM's gendiff has any
# suffix behind the old one.
_SUFFIXES = (".orig", ".old", ".bak", ".new", "~")


def git_section(header: Header, hunks: tuple[Hunk, ...], binary: Binary | None) -> Section:
    """The section that a `diff --git` header and its content say."""
    try:
        change = change_of(header)
        old_path, new_path = git_names(header, change)
    except paths.BadName as error:
        raise header.refuse("parse", str(error)) from None
    old_mode, new_mode = modes_of(header)
    old_blob, new_blob, index_mode = index_of(header)
    if change not in (Change.CREATE, Change.DELETE):
        old_mode, new_mode = old_mode or index_mode, new_mode or index_mode
    section = Section(
        line=header.line,
        change=change,
        old_path=old_path,
        new_path=new_path,
        old_mode=old_mode,
        new_mode=new_mode,
        old_blob=old_blob,
        new_blob=new_blob,
        hunks=hunks,
        binary=binary,
    )
    if not hunks and not section.has_effect:
        raise header.refuse("parse", "a section without any change: cut off?", new_path)
    _check_whole_file(header, section)
    _check_link(header, section)
    return section


def plain_section(header: Header, sides: tuple[bytes, bytes], hunks: tuple[Hunk, ...]) -> Section:
    """A section that has only `---` and `+++`, as diff writes it."""
    try:
        minus, plus = map(undressed, sides)
    except paths.BadName as error:
        raise header.refuse("parse", str(error)) from None
    change = _change(header, hunks, minus, plus)
    names = [name for name, _ in (minus, plus) if name != paths.DEV_NULL]
    if not all(paths.is_cut_in_slashes(name, header.strip) for name in names):
        # The other name says what is meant: git takes that one.
        names = [
            paths.squash_slashes(name) if paths.is_cut_in_slashes(name, header.strip) else name
            for name in names
        ]
    path = _common_name(header, [header.stripped(name) for name in names])
    section = Section(line=header.line, change=change, old_path=path, new_path=path, hunks=hunks)
    _check_whole_file(header, section)
    return section


def _change(
    header: Header, hunks: tuple[Hunk, ...], minus: tuple[bytes, bytes], plus: tuple[bytes, bytes]
) -> Change:
    if minus[0] == paths.DEV_NULL == plus[0]:
        raise header.refuse("parse", "both sides are /dev/null")
    if minus[0] == paths.DEV_NULL or (says_absent(minus[1]) and not any(h.old for h in hunks)):
        return Change.CREATE
    if plus[0] == paths.DEV_NULL or (says_absent(plus[1]) and not any(h.new for h in hunks)):
        return Change.DELETE
    return Change.EDIT


def _common_name(header: Header, names: list[str]) -> str:
    """The one name; `diff f.orig f` means `f`."""
    shorter, longer = sorted((names[0], names[-1]), key=len)
    is_kept = names[0].startswith(names[-1] + ".") and longer.count("/") == shorter.count("/")
    if shorter != longer and not is_kept and longer not in {shorter + end for end in _SUFFIXES}:
        what = f"{names[0]} and {names[1]}: neither a rename nor one file"
        raise header.refuse("path-mismatch", what, names[1])
    return shorter


def _check_whole_file(header: Header, section: Section) -> None:
    """A file that comes or goes does so as a whole, in one hunk."""
    if section.change is Change.CREATE:
        sides = [hunk.old for hunk in section.hunks]
        if section.lacks_content:
            raise header.refuse("parse", "its content is missing", section.new_path)
    elif section.change is Change.DELETE:
        sides = [hunk.new for hunk in section.hunks]
    else:
        return
    if len(sides) > 1 or any(sides):
        what = f"a section that says {section.change.value} keeps a part of the file"
        raise header.refuse("parse", what, section.new_path)


def _check_link(header: Header, section: Section) -> None:
    """Refuse to make a link that leads out of the tree, even where it is there already."""
    if section.new_mode is not Mode.SYMLINK or not section.hunks:
        return
    target = paths.decode(section.hunks[0].new)
    if section.made is not None and paths.link_leaves(section.new_path, target):
        what = f"would be a symlink that leaves the tree: {target}"
        raise header.refuse("unsafe-path", what, section.new_path)
