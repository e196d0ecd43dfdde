"""Many real processes of the command line at once on one tree: `apply`, `--reverse`, `status`.

`python -m tests.concurrency` runs them and says how long they waited; `--small` is what CI runs.
"""
