"""Hostile input to the real command line: the right exit code, one clear message, in bounds.

`python -m tests.hostile` tries them all and prints a table; `--small` is what CI runs.
"""
