"""Kills and failing disks at every step at which `apply` changes the disk, by an injector.

`python -m tests.faults` runs them all and counts them; `--small` is what CI runs.
"""
