"""What patchtool remembers and fetches: the only way to the cache and to the network.

A `Store` is handed to whatever needs either. It knows no registry: addresses, credentials and
the route to them come from an ecosystem.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, cast

from patchtool.errors import CannotTell, Problem
from patchtool.progress import Progress
from patchtool.store.cache import Cache, cache_directory, read_integrity
from patchtool.store.messages import Request, Response, Route, read_object
from patchtool.store.network import fetch

__all__ = [
    "Request",
    "Response",
    "Route",
    "Store",
    "cache_directory",
    "read_integrity",
    "read_object",
]

T = TypeVar("T")


class Store:
    """The cache, the network, and what both depend on in one run of patchtool.

    `root` is the project (its configuration of the package manager counts), `environment` the
    variables of this process; `now` and `pause` stand for the clock.
    """

    def __init__(
        self,
        *,
        directory: Path,
        root: Path,
        environment: Mapping[str, str],
        offline: bool = False,
        progress: Progress | None = None,
        now: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.cache = Cache(directory)
        self.root = root
        self.environment = environment
        self.offline = offline
        self.progress = progress or Progress()
        self.now = now
        self._pause = pause
        self._answers: dict[str, object] = {}

    def fetch(self, request: Request) -> Response:
        """The answer to `request`, from the network; `CannotTell` says why there is none."""
        self.require_network(request.subject)
        with self.progress.during(f"fetching {request.subject}"):
            return fetch(request, pause=self._pause)

    def require_network(self, subject: str) -> None:
        """Do nothing, or, offline, say that `subject` is missing."""
        if self.offline:
            raise CannotTell(
                Problem(
                    kind="offline",
                    what="is not in the cache, and --offline forbids to fetch it",
                    subject=subject,
                    remedy="run the same command once without --offline",
                )
            )

    def artefact(self, integrity: str, subject: str, request: Callable[[], Request]) -> bytes:
        """The bytes with this integrity: from the cache, else by `request`, then kept."""
        kept = self.cache.artefact(integrity, subject)
        if kept is not None:
            return kept
        self.require_network(subject)
        data = self.fetch(request()).body
        self.cache.keep_artefact(integrity, data, subject)
        return data

    def keep(self, kind: str, key: str, data: bytes) -> None:
        """Remember a small result under `key`."""
        self.cache.keep(kind, key, data)

    def kept(self, kind: str, key: str) -> bytes | None:
        """A small result that was kept; None if there is none, or not the bytes that were kept."""
        return self.cache.kept(kind, key)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once for this store and never written down."""
        if key not in self._answers:
            self._answers[key] = make()
        return cast(T, self._answers[key])
