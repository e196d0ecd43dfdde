"""An analysis as JSON, to be kept between runs, and read back. Pure.

What passed, and what was told apart, is not kept: it serves the analysis alone.
"""

from __future__ import annotations

import json

from patchtool.mutation.analysis import Analysis, Fate, Trial


def write(analysis: Analysis) -> bytes:
    """The analysis as bytes."""
    trials = {
        name: {"fate": trial.fate.value, "failed": trial.failed, "detail": trial.detail}
        for name, trial in analysis.trials.items()
    }
    return json.dumps({"trials": trials, "idle": analysis.idle}).encode()


def read(data: bytes) -> Analysis:
    """The analysis that `write` made these bytes of."""
    kept = json.loads(data)
    return Analysis(
        trials={
            name: Trial(
                fate=Fate(trial["fate"]), failed=tuple(trial["failed"]), detail=trial["detail"]
            )
            for name, trial in kept["trials"].items()
        },
        idle=tuple(kept["idle"]),
        told_apart={},
    )
