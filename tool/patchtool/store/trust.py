"""Whom a TLS connection trusts: certifi's authorities, the system's, and files that add to them."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Any

from requests.adapters import HTTPAdapter


class TrustingAdapter(HTTPAdapter):
    """An adapter that trusts certifi (as requests does), the system, and more files of authorities.

    A company's own authority is usually known to the system, or named in NODE_EXTRA_CA_CERTS.
    """

    def __init__(self, files: Sequence[str]) -> None:
        self._context = ssl.create_default_context()
        for file in files:
            try:
                self._context.load_verify_locations(file)
            except OSError:
                continue  # as Node.js: a bad file adds nothing, and the connection says so
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Give every connection the context."""
        super().init_poolmanager(*arguments, ssl_context=self._context, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """Give every connection through a proxy the context."""
        return super().proxy_manager_for(proxy, ssl_context=self._context, **options)
