"""Runs one command and says what it took: seconds, seconds of CPU, peak memory in bytes.

A process of its own, started with `-I -S`: a program's peak memory counts from that of the process
it was started by, so that one must be small. It imports nothing but what Python has loaded.
"""

import os
import sys
import time


def main() -> None:
    """`meter.py OUTPUT COMMAND...`: print code, seconds, CPU seconds and bytes."""
    output, *command = sys.argv[1:]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)]
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = usage.ru_utime + usage.ru_stime
    print(os.waitstatus_to_exitcode(status), seconds, cpu, usage.ru_maxrss * unit)


main()
