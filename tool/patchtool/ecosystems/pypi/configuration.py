"""How pip is configured: indexes, credentials, proxies. Read-only, and never written down.

pip itself is asked, so that every file and variable it reads counts as it does for pip. Passwords
come from the addresses and from .netrc; no keyring is asked.
"""

from __future__ import annotations

import ast
import base64
import netrc
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

from patchtool.ecosystems.pypi.program import run_pip
from patchtool.errors import CannotTell, Problem
from patchtool.store import Route, Store

# Where a setting may stand; the last one counts. `download` is the command that we run.
_SECTIONS = ("global", "download", ":env:")
_TRUE = ("1", "true", "yes", "on", "y", "t")
_DEFAULT = re.compile(r"--index-url <\w+>\s[^(]*\(default (\S+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place where pip looks for files: an address without credentials, and those credentials.

    A `page` lists the files of many packages; any other source has one list for each package.
    """

    url: str
    authorization: str | None = None
    page: bool = False

    @property
    def path(self) -> Path | None:
        """Where a local source is; None for one on a network."""
        parts = urlsplit(self.url)
        return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The settings of pip by name, the sources they name, and the variables that matter as well."""

    settings: Mapping[str, str]
    sources: tuple[Source, ...]
    environment: Mapping[str, str]

    def route(self, url: str) -> Route:
        """How to reach an address: as pip would."""
        usual = Route.usual(self.environment)
        host = urlsplit(url).netloc.rpartition("@")[2]
        trusted = self.settings.get("trusted-host", "").split()
        proxy = self.settings.get("proxy")
        return replace(
            usual,
            proxies={"http": proxy, "https": proxy} if proxy else usual.proxies,
            authorities=self.settings.get("cert"),
            verify=host not in trusted and host.partition(":")[0] not in trusted,
            login="pip config list",
        )


def configuration(store: Store) -> Configuration:
    """The configuration of pip for the store's project; pip is asked once in a run of patchtool."""
    return store.once("pip configuration", lambda: _ask(store))


def _ask(store: Store) -> Configuration:
    listed = _pip(["config", "list"], store)
    settings = read_settings(listed)
    addresses = [] if settings.get("no-index", "").lower() in _TRUE else _indexes(settings, store)
    return Configuration(
        settings=settings,
        sources=(
            *(_source(address, store) for address in addresses),
            *(_source(place, store, page=True) for place in _words(settings, "find-links")),
        ),
        environment=store.environment,
    )


def read_settings(listed: str) -> dict[str, str]:
    """The settings in what `pip config list` prints: lines such as `global.index-url='...'`."""
    settings: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in settings:
            try:
                settings[section][name] = str(ast.literal_eval(value))
            except (ValueError, SyntaxError):
                continue
    return {name: value for part in settings.values() for name, value in part.items()}


def _indexes(settings: Mapping[str, str], store: Store) -> Iterable[str]:
    index = settings.get("index-url") or _default_index(store)
    return [index, *_words(settings, "extra-index-url")]


def _default_index(store: Store) -> str:
    """The index that pip takes when nobody names one: it says so in its help."""
    found = _DEFAULT.search(_pip(["help", "download"], store))
    if found is None:
        what = "pip names no index"
        raise CannotTell(
            Problem(
                kind="pip",
                what=what,
                subject="pip config",
                remedy="pip config set global.index-url ADDRESS",
            )
        )
    return found[1]


def _words(settings: Mapping[str, str], name: str) -> list[str]:
    return settings.get(name, "").split()


def _source(address: str, store: Store, *, page: bool = False) -> Source:
    """A source from what the user wrote: an address, or a path of this machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https", "file"):
        path = store.root / Path(address).expanduser()
        return Source(url=path.absolute().as_uri(), page=page)
    credentials, _, host = parts.netloc.rpartition("@")
    return Source(
        url=urlunsplit(parts._replace(netloc=host)),
        authorization=_basic(*map(unquote, credentials.partition(":")[::2]))
        if credentials
        else _from_netrc(parts.hostname, store.environment),
        page=page,
    )


def _from_netrc(host: str | None, environment: Mapping[str, str]) -> str | None:
    if host is None:
        return None
    home = Path(environment.get("HOME") or Path.home())
    own = environment.get("NETRC")
    for path in [Path(own)] if own else [home / ".netrc", home / "_netrc"]:
        try:
            found = netrc.netrc(path).authenticators(host)
        except (OSError, netrc.NetrcParseError, UnicodeDecodeError):
            continue  # as pip: a bad file is as good as none
        if found:
            return _basic(found[0] or "", found[2] or "")
    return None


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _pip(arguments: list[str], store: Store) -> str:
    out = run_pip(arguments, directory=store.root, store=store, subject="pip config", timeout=60)
    return out.decode(errors="replace")
