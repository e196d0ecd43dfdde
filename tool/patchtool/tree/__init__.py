"""The disk under a patch: reads the files that are named, and swaps in new ones all or nothing.

It decides nothing about patches. No file is ever written in place: installed files are often hard
links into a store that other projects share.
"""

from patchtool.tree.disk import folds_case, reader
from patchtool.tree.lock import exclusive
from patchtool.tree.swap import is_pending, recover, swap, swap_all
from patchtool.tree.update import look, update, update_all

__all__ = [
    "exclusive",
    "folds_case",
    "is_pending",
    "look",
    "reader",
    "recover",
    "swap",
    "swap_all",
    "update",
    "update_all",
]
