"""One HTTP request with everything that can go wrong: retries, limits, redirects, credentials.

It takes all it needs as values, keeps nothing, and puts no secret into any message.
"""

from __future__ import annotations

import email.utils
import queue
import re
import shlex
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from patchtool.errors import CannotTell, Problem
from patchtool.process import redact
from patchtool.store.messages import Request, Response, Route

if TYPE_CHECKING:
    import requests

ATTEMPTS = 4  # as npm: one try and a few more, for what passes by itself within seconds
BACKOFF = 0.5  # seconds before the second attempt; doubled for each further one
LONGEST_PAUSE = 30.0  # seconds; a Retry-After beyond it is a "not now", and is reported as one
REDIRECTS = 5
SILENCE = 30.0  # seconds without one byte
_CHUNK = 65536
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_REDIRECTING = frozenset({301, 302, 303, 307, 308})


class _Passing(Exception):
    """A failure that another attempt may cure, after `wait` seconds if the server says so."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


def fetch(request: Request, *, pause: Callable[[float], None] = time.sleep) -> Response:
    """Get `request`, trying again what may pass; `CannotTell` when it cannot be had."""
    deadline = time.monotonic() + request.seconds
    last = ""
    for attempt in range(ATTEMPTS):
        try:
            return _within(request, deadline - time.monotonic())
        except _Passing as error:
            last = str(error)
            wait = BACKOFF * 2**attempt if error.wait is None else error.wait
            if wait > LONGEST_PAUSE or wait > deadline - time.monotonic():
                break
            if attempt < ATTEMPTS - 1:
                pause(wait)
    raise _unanswered(request, last)


def _within(request: Request, seconds: float) -> Response:
    """One attempt, in a thread that is left alone when the time is over.

    No timeout of a socket bounds a name server that hangs or a server that sends a byte a minute.
    """
    outcome: queue.SimpleQueue[Response | BaseException] = queue.SimpleQueue()
    over = threading.Event()

    def attempt() -> None:
        try:
            outcome.put(_get(request, over))
        except BaseException as error:  # handed to the thread that waits
            outcome.put(error)

    threading.Thread(target=attempt, daemon=True).start()
    try:
        result = outcome.get(timeout=max(0.0, seconds))
    except queue.Empty:
        what = f"took more than {request.seconds:g} seconds"
        raise _unanswered(request, what) from None
    finally:
        over.set()
    if isinstance(result, BaseException):
        raise result
    return result


def _get(request: Request, over: threading.Event) -> Response:
    import requests

    url, authorization = request.url, request.authorization
    with _session(request.route) as session:
        for _ in range(REDIRECTS + 1):
            headers = dict(request.headers)
            if authorization:
                headers["Authorization"] = authorization
            try:
                with session.get(
                    url,
                    headers=headers,
                    stream=True,
                    allow_redirects=False,
                    timeout=SILENCE,
                    proxies=_proxies(request.route, url),
                ) as response:
                    if response.status_code not in _REDIRECTING:
                        return _read(request, response, over)
                    target = _target(request, url, response.headers.get("Location", ""))
            except (requests.RequestException, ValueError) as error:  # no address that can be read
                raise _explained(request, error) from error
            if urlsplit(target).scheme != "https" and urlsplit(url).scheme == "https":
                raise _failure(request, "network", "is redirected from https to an open connection")
            if _origin(target) != _origin(url):
                authorization = None
            url = target
    raise _failure(request, "network", f"is redirected more than {REDIRECTS} times")


def _target(request: Request, url: str, location: str) -> str:
    """The address that a redirect from `url` leads to."""
    try:
        target = urljoin(url, location)
        _origin(target)
    except ValueError:
        what = "is redirected to something that is no address"
        raise _failure(request, "network", what) from None
    return target


def _read(request: Request, response: requests.Response, over: threading.Event) -> Response:
    """The body of an answer that is no redirect; an error for every status but 200 and 304."""
    status = response.status_code
    if status == 304:
        return Response(body=b"", unchanged=True)
    if status in _PASSING:
        raise _Passing(f"the server says {status}", _retry_after(response))
    if status != 200:
        raise _refusal(request, status)
    body = bytearray()
    for chunk in response.iter_content(_CHUNK):
        body += chunk
        if len(body) > request.limit:
            raise _failure(request, "network", f"is larger than {request.limit} bytes")
        if over.is_set():
            break
    return Response(body=bytes(body), etag=response.headers.get("ETag"))


def _refusal(request: Request, status: int) -> CannotTell:
    login = request.route.login
    if status == 401:
        kind, what = "unauthorised", "the server wants other credentials (401)"
    elif status == 403:
        kind, what = "forbidden", "the server does not allow it with these credentials (403)"
    elif status in (404, 410):
        kind, what, login = "not-found", f"is not on the server ({status})", None
    else:
        return _unanswered(request, f"the server says {status}")
    return _failure(request, kind, what, login)


def _explained(request: Request, error: Exception) -> Exception:
    """What an exception of requests means: a reason to try again, or the end."""
    import requests

    reason = _reason(error)
    if isinstance(error, requests.exceptions.SSLError):
        return _unanswered(request, f"the server's certificate is not trusted: {reason}")
    if isinstance(error, requests.ConnectionError | requests.Timeout):
        return _Passing(f"cannot be reached: {reason}")
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return _Passing("the connection broke before the end")
    return _failure(request, "network", f"cannot be fetched: {reason}")


def _reason(error: Exception) -> str:
    """What went wrong on the connection, without the address: its query may be a secret."""
    cause = getattr(error.args[0], "reason", error) if error.args else error
    return re.sub(r"\?[^\s)]*", "", redact(str(cause)))


def _failure(request: Request, kind: str, what: str, remedy: str | None = None) -> CannotTell:
    where = _shown(request)
    problem = Problem(kind=kind, what=what, subject=request.subject, path=where, remedy=remedy)
    return CannotTell(problem)


def _unanswered(request: Request, what: str) -> CannotTell:
    """The failure of a server that gives no answer; the remedy shows what it says to others."""
    return _failure(request, "network", what, f"curl -sSIL {shlex.quote(_shown(request))}")


def _shown(request: Request) -> str:
    """The address without user, password and query, which may be secrets; it may be none."""
    return re.sub(r"(?<=//)[^/]*@", "", re.split("[?#]", request.url)[0])


def _retry_after(response: requests.Response) -> float | None:
    """The server's Retry-After in seconds, given as a number or as a date (RFC 9110, 10.2.3)."""
    text = response.headers.get("Retry-After", "")
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _session(route: Route) -> requests.Session:
    import requests

    session = requests.Session()
    session.trust_env = False  # no .netrc, no proxies but those of the route
    session.verify = (route.authorities or True) if route.verify else False
    if session.verify is True:
        from patchtool.store.trust import TrustingAdapter

        session.mount("https://", TrustingAdapter(route.more_authorities))
    return session


def _proxies(route: Route, url: str) -> dict[str, str]:
    host = urlsplit(url).hostname or ""
    for name in route.no_proxy:
        name = name.lstrip(".").lower()
        if name == "*" or host == name or (name and host.endswith(f".{name}")):
            return {}
    return dict(route.proxies)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
