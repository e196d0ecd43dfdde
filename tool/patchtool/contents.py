"""What stands at and below a place, as hashes: so that a change of anything there is seen.

Links to directories are followed. It knows nothing of what the files are for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def contents(places: Iterable[Path], root: Path) -> dict[str, str]:
    """Every file at or below `places` by its path from `root`, with the hash of its bytes.

    A directory stands there with the place that it really is. What is in it is told once, by its
    real path, so that links in a circle have an end. Python's caches are left out.
    """
    here = root.resolve()
    found: dict[str, str] = {}
    waiting = [here / os.path.relpath(place, root) for place in places]
    while waiting:
        place = waiting.pop()
        name = os.path.relpath(place, here)
        if name in found:
            continue
        if place.is_dir():
            real = place.resolve()
            found[name] = f"is {os.path.relpath(real, here)}"
            inside = (path for path in real.iterdir() if path.name != "__pycache__")
            waiting.extend(inside if real == place else [real])
        elif place.is_file():
            found[name] = hashlib.sha256(place.read_bytes()).hexdigest()
    return found
