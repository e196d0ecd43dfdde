"""The program: `patchtool`, and `python -m patchtool`."""

import gc
import sys


def main() -> int:
    """Run the command of this process's arguments; returns its exit code.

    What a start imports holds no garbage, and at the end everything goes with the process: to
    look for garbage all the same would take a sixth of the time of an `apply`.
    """
    gc.set_threshold(50_000)
    from patchtool.cli import main as run

    code = run()
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
