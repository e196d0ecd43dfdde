"""What is asked of a server and what comes back, as values. Opens no connection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from patchtool.errors import CannotTell, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How to get to a server: proxies by scheme, hosts that need none, whom to trust.

    `authorities` is a file of certificates that replaces the usual ones, `more_authorities` are
    files that add to them; `verify` false trusts everybody. `login` is the command that helps
    when the server wants other credentials.
    """

    proxies: Mapping[str, str] = field(default_factory=dict)
    no_proxy: tuple[str, ...] = ()
    authorities: str | None = None
    more_authorities: tuple[str, ...] = ()
    verify: bool = True
    login: str | None = None

    @classmethod
    def usual(cls, environment: Mapping[str, str]) -> Route:
        """The route that the usual variables describe, for whoever has no settings of its own."""
        variables = {name.lower(): value for name, value in environment.items()}
        proxies = {
            scheme: variables.get(f"{scheme}_proxy") or variables.get("all_proxy") or ""
            for scheme in ("http", "https")
        }
        more = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
        return cls(
            proxies={scheme: address for scheme, address in proxies.items() if address},
            no_proxy=tuple(variables.get("no_proxy", "").replace(",", " ").split()),
            more_authorities=tuple(filter(None, map(environment.get, more))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to get, for whom (`subject`), and at most how many bytes and seconds that may take.

    `authorization` goes to the address's own server and to no other.
    """

    url: str
    subject: str
    route: Route
    limit: int
    seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)
    authorization: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A body in full; `unchanged` when the server says that what is cached still holds."""

    body: bytes
    etag: str | None = None
    unchanged: bool = False


def read_object(response: Response, subject: str) -> dict[str, object]:
    """The JSON object in a response; `CannotTell` says what came instead."""
    try:
        value = json.loads(response.body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    page = response.body.lstrip()[:1] == b"<"
    instead = "an HTML page (of a proxy, or a login?)" if page else "something that is no object"
    raise CannotTell(
        Problem(
            kind="answer",
            what="the registry's answer is not what it should be",
            subject=subject,
            expected="a JSON object",
            found=instead,
        )
    )
