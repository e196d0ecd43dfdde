"""Starts the command line and says what it took: a program of its own, run anew for each run.

The system counts to a process's memory what its parent had when it was started; so the parent must
be small. And root must obey permissions here as everybody else does.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time

# prctl(2) and capabilities(7): what lets root read and write whatever it likes.
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2

# What nobody may have, in bytes, lest an input without bounds takes the machine.
_MOST = 6 << 30


def main() -> None:
    """Run patchtool with the words behind three numbers: the limit, and where its output goes."""
    limit, out, err = map(int, sys.argv[1:4])
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        _obey_permissions()
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST, _MOST))
        os.execv(sys.executable, [sys.executable, "-m", "patchtool", *sys.argv[4:]])  # noqa: S606
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(limit)
    _, status, used = os.wait4(child, 0)
    signal.alarm(0)
    seconds = time.monotonic() - started
    print(json.dumps([os.waitstatus_to_exitcode(status), seconds, _megabytes(used)]))


def _obey_permissions() -> None:
    if sys.platform == "linux" and os.geteuid() == 0:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def _megabytes(used: resource.struct_rusage) -> float:
    """The most memory that the process, or a program that it ran, had at one time."""
    return used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


if __name__ == "__main__":
    main()
