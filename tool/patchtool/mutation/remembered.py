"""An analysis from the cache, or made and kept there."""

from __future__ import annotations

import hashlib
import json

from patchtool import guard as guards
from patchtool.mutation import record
from patchtool.mutation.analysis import Analysis, Fate, Question, analyse
from patchtool.mutation.bench import Bench
from patchtool.mutation.hints import Hints
from patchtool.mutation.judge import judging
from patchtool.store import Store

# Raised when the same question may get another answer: what was kept before is not asked then.
RULES = 3


def judge(question: Question, bench: Bench, store: Store, *, jobs: int, fresh: bool) -> Analysis:
    """The analysis; made anew if `fresh`, or if anything it depends on has changed.

    Raises `CannotTell` if the guard does not pass on the patched stack.
    """
    ids = [mutant.id for mutant in question.mutants]  # each stands for the mutant's content
    guard = guards.identity(bench.guard, bench.target, bench.root)
    key = _hash(json.dumps([RULES, guard, ids, question.needed, question.controls]))
    kept = None if fresh else store.kept("mutants", key)
    if kept is not None:
        return record.read(kept)
    before = store.kept("hints", _place(bench))
    hints = Hints() if before is None else Hints.load(before, bench.cases)
    with store.progress.during(f"judging {len(ids)} mutants"):
        with judging(bench, jobs) as judge:
            tell = store.progress.say
            analysis = analyse(question, judge, hints=hints, workers=jobs, tell=tell)
        if any(trial.fate is Fate.BROKE for trial in analysis.trials.values()):
            with judging(bench, 1):  # it must have been the mutants that broke the guard
                pass
    store.keep("mutants", key, record.write(analysis))
    learned = hints.and_then(analysis.learned(question.mutants))
    store.keep("hints", _place(bench), learned.dump())
    return analysis


def _place(bench: Bench) -> str:
    """Where the guard is, whatever is in it now: what is kept by this decides nothing."""
    return _hash(str(bench.guard.path.relative_to(bench.root)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
