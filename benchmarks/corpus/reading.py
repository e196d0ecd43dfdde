"""Every patch file that a package carries, read and not applied: what is in it, beside git.

Right is what `git apply --numstat` counts: the files, and the lines added and taken in each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from benchmarks.corpus.agreement import STRICT, WITH_OFFSETS
from benchmarks.corpus.releases import Published
from benchmarks.corpus.tools import Git
from benchmarks.corpus.trial import Answer, Outcome, Trial
from patchtool import diff
from patchtool.errors import PatchError
from patchtool.store import Store

GIT = "git apply --numstat"

# Lines added less lines taken, by path. More is not comparable: git shows a hunk's changed lines
# as they are in the patch, the engine knows the two sides.
Growth = Mapping[str, int]


def judge(carrier: Published, store: Store, git: Git) -> Iterator[Trial]:
    """Each different patch of the carrier, with one directory stripped or, if need be, none."""
    seen: set[bytes] = set()
    for path, file in sorted(carrier.fetch(store).items()):
        if path.endswith((".patch", ".diff")) and file.data not in seen:
            seen.add(file.data)
            yield _trial(str(carrier.package), path.rpartition("/")[2], file.data, git)


def _trial(subject: str, name: str, data: bytes, git: Git) -> Trial:
    strip, ours = 1, _read(data, 1)
    if isinstance(ours, str) and not isinstance(without := _read(data, 0), str):
        strip, ours = 0, without
    theirs = _numstat(data, strip, git)
    refused = Answer(outcome=Outcome.REFUSED, detail=ours if isinstance(ours, str) else "")
    same = Answer(outcome=Outcome.SAME)
    other = Answer(outcome=Outcome.OTHER, detail="what is in the patch")
    answer = refused if isinstance(ours, str) else same if ours == theirs else other
    git_answer = Answer(outcome=Outcome.REFUSED, detail="unreadable") if theirs is None else same
    answers = {STRICT: answer, WITH_OFFSETS: answer, GIT: git_answer}
    return Trial(subject=subject, patch=name, backward=False, answers=answers)


def _read(data: bytes, strip: int) -> Growth | str:
    try:
        patch = diff.parse(data, strip=strip)
    except PatchError as error:
        return error.problem.kind
    growth: Counter[str] = Counter()
    for section in patch.sections:
        path = section.new_path if section.made is not None else section.old_path
        growth[path] += sum(_lines(hunk.new) - _lines(hunk.old) for hunk in section.hunks)
    return growth


def _lines(side: bytes) -> int:
    return side.count(b"\n") + (side != b"" and not side.endswith(b"\n"))


def _numstat(data: bytes, strip: int, git: Git) -> Growth | None:
    done = git.run(["apply", "--numstat", "-z", f"-p{strip}"], git.repository, data)
    if done.code != 0:
        return None
    growth: Counter[str] = Counter()
    for record in done.stdout.split(b"\0")[:-1]:
        added, taken, path = record.split(b"\t", 2)
        changed = 0 if added == b"-" else int(added) - int(taken)
        growth[path.decode("utf-8", "surrogateescape")] += changed
    return growth
