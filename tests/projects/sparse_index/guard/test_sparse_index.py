"""The guard of the fix `sparse-index`: two turns through the real provider."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def turn(stack: Path, *indexes: int) -> list[str]:
    """The names of the calls a turn ends with, when each is named after its index."""
    deltas = [
        {
            "index": index,
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": f"tool_{index}", "arguments": "{}"},
        }
        for index in indexes
    ]
    script = Path(__file__).with_name("turn.mjs")
    done = subprocess.run(
        ["node", script, stack, json.dumps(deltas)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names: list[str] = json.loads(done.stdout)
    return names


def test_index_2_before_1(stack: Path) -> None:
    """A gap in the indexes loses no call."""
    assert sorted(turn(stack, 2, 1)) == ["tool_1", "tool_2"]


def test_index_0_then_1(stack: Path) -> None:
    """A conforming turn stays as it is."""
    assert turn(stack, 0, 1) == ["tool_0", "tool_1"]
