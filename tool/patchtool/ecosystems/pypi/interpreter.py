"""Starts a Python that has a stack and the standard library, and nothing else.

For guards: they run under a pytest of their own, whose packages must not meet the stack's.
"""

from __future__ import annotations

import sys
from pathlib import Path

# No variables and no site-packages (-I -S), and nothing is written into the stack (-B).
_OPTIONS = ("-I", "-S", "-B")
_START = (
    "import runpy, sys\n"
    "sys.path.insert(0, sys.argv[1])\n"
    "del sys.argv[:2]\n"
    "runpy.run_path(sys.argv[0], run_name='__main__')\n"
)


def command(stack: Path) -> list[str]:
    """The start of a command line; append a script and its arguments.

    The script may import what is in the stack, and no file that stands beside it.
    """
    return [sys.executable, *_OPTIONS, "-c", _START, str(stack)]
