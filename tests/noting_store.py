"""A store that does not wait between attempts: it notes for how long it would have."""

from __future__ import annotations

from typing import Any

from patchtool.store import Store


class NotingStore(Store):
    """A store with the pauses it was told to make, in seconds."""

    def __init__(self, **options: Any) -> None:
        self.pauses: list[float] = []
        super().__init__(**{"pause": self.pauses.append} | options)
