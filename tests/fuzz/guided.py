"""Runs one fuzz target under atheris, which looks for inputs that reach new branches.

A program of its own, because libFuzzer ends its process: `python -m tests.fuzz.guided TARGET
[libFuzzer's arguments]`.
"""

from __future__ import annotations

import sys

import atheris


def main() -> None:
    """Fuzz until libFuzzer's own limits say stop."""
    with atheris.instrument_imports(include=["patchtool"]):
        from .targets import TARGETS

    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
