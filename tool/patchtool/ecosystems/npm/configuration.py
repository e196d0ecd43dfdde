"""How npm is configured: registries, credentials, proxies. Read-only, and never written down.

npm is asked for its settings; what it keeps to itself (credentials, addresses that contain them)
is read from the files and variables that npm reads.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from patchtool.ecosystems.npm.program import run_npm
from patchtool.ecosystems.npm.project_files import text
from patchtool.errors import CannotTell, Problem
from patchtool.store import Route, Store

_PREFIX = "npm_config_"
# The settings that lead to a registry, besides those that begin with its scope or address.
_LEADING = frozenset(("registry", "proxy", "https-proxy", "noproxy", "ca", "cafile", "strict-ssl"))

_VARIABLE = re.compile(r"(?<!\\)\$\{([^${}?]+)(\?)?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """npm's settings by name, as they hold for one project."""

    settings: Mapping[str, str]
    environment: Mapping[str, str]

    def registry(self, name: str) -> str:
        """The address of the registry that a package of this name comes from, with a last `/`."""
        scope = name.partition("/")[0] if name.startswith("@") else ""
        address = self.settings.get(f"{scope}:registry") or self.settings["registry"]
        return address.rstrip("/") + "/"

    def authorization(self, url: str) -> str | None:
        """The Authorization header for an address, or None.

        Credentials belong to an address and all below it: npm looks from the full path upwards.
        """
        parts = urlsplit(url)
        place = f"//{parts.netloc.rpartition('@')[2]}{parts.path}"
        while len(place) > 2:
            header = self._credentials(place)
            if header:
                return header
            place = place[:-1] if place.endswith("/") else place[: place.rindex("/") + 1]
        return None

    def _credentials(self, place: str) -> str | None:
        token = self.settings.get(f"{place}:_authToken")
        if token:
            return f"Bearer {token}"
        basic = self.settings.get(f"{place}:_auth")
        if basic:
            return f"Basic {basic}"
        user = self.settings.get(f"{place}:username")
        password = self.settings.get(f"{place}:_password")
        if not (user and password):
            return None
        try:
            plain = base64.b64decode(password)
        except ValueError:
            return None
        return "Basic " + base64.b64encode(user.encode() + b":" + plain).decode()

    def route(self, name: str) -> Route:
        """How to reach the registry of a package: as npm would."""
        environment = {key.lower(): value for key, value in self.environment.items()}
        https = self.settings.get("https-proxy") or self.settings.get("proxy")
        http = self.settings.get("proxy")
        proxies = {
            "https": https or environment.get("https_proxy") or environment.get("proxy") or "",
            "http": http or environment.get("http_proxy") or environment.get("proxy") or "",
        }
        exempt = self.settings.get("noproxy") or environment.get("no_proxy") or ""
        more = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
        return Route(
            proxies={scheme: proxy for scheme, proxy in proxies.items() if proxy},
            no_proxy=tuple(filter(None, (host.strip() for host in exempt.split(",")))),
            authorities=self.settings.get("cafile"),
            more_authorities=tuple(filter(None, map(self.environment.get, more))),
            verify=self.settings.get("strict-ssl") != "false",
            login=f"npm login --registry {without_credentials(self.registry(name))}",
        )

    def variables(self) -> dict[str, str]:
        """Variables that lead npm to the same registries from elsewhere, with the credentials."""
        return {
            f"{_PREFIX}{key}": value
            for key, value in self.settings.items()
            if key in _LEADING or key[:1] in ("@", "/")
        }


def configuration(store: Store) -> Configuration:
    """The configuration of npm for the store's project; npm is asked once in a run of patchtool."""
    return store.once("npm configuration", lambda: _ask(store))


def without_credentials(url: str) -> str:
    """The address without a user and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _ask(store: Store) -> Configuration:
    project = _project_directory(store.root.absolute())
    out = run_npm(
        ["config", "list", "--json"],
        directory=project,  # npm refuses to say it in a workspace
        store=store,
        subject="npm config",
        timeout=60,
    )
    try:
        listed = {key: _text(value) for key, value in json.loads(out).items() if value is not None}
    except (ValueError, AttributeError) as error:
        what = "npm config list gives no JSON object"
        raise CannotTell(Problem(kind="npm", what=what, subject="npm config")) from error
    settings: dict[str, str] = {}
    for path in _files(project, listed):
        settings.update(_read(path, store.environment))
    settings.update(_from_variables(store.environment))
    settings.update(listed)
    if "registry" not in settings:
        raise CannotTell(Problem(kind="npm", what="npm has no registry", subject="npm config"))
    return Configuration(settings=settings, environment=store.environment)


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _files(project: Path, listed: Mapping[str, str]) -> Iterator[Path]:
    """The npmrc files that npm reads, the weakest first. Its built-in one holds no credentials."""
    for key in ("globalconfig", "userconfig"):
        if key in listed:
            yield Path(listed[key])
    yield project / ".npmrc"


def _project_directory(root: Path) -> Path:
    """Where npm looks for a project's .npmrc: the nearest package, or the workspace it is in."""
    nearest = None
    for directory in (root, *root.parents):
        manifest = directory / "package.json"
        if nearest is None and (manifest.exists() or (directory / "node_modules").is_dir()):
            nearest = directory
        elif nearest and '"workspaces"' in text(str(manifest)):
            return directory
    return nearest or root


def _read(path: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The settings of one npmrc file, which is an ini file without sections."""
    for line in text(str(path)).splitlines():
        key, equals, value = line.strip().partition("=")
        if equals and key[:1] not in (";", "#"):
            yield _expand(key.strip(), environment), _expand(_unquote(value.strip()), environment)


def _unquote(value: str) -> str:
    """An ini value: quoted, or up to a comment."""
    if value[:1] in ('"', "'") and value[:1] == value[-1:] and len(value) > 1:
        return value[1:-1]
    return re.split(r"(?<!\\)[;#]", value)[0].strip().replace("\\;", ";").replace("\\#", "#")


def _expand(text: str, environment: Mapping[str, str]) -> str:
    """`${NAME}` as the variable's value; as it stands if there is none, or empty for `${NAME?}`."""
    return _VARIABLE.sub(
        lambda match: environment.get(match[1], "" if match[2] else match[0]), text
    )


def _from_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in environment.items():
        if name.lower().startswith(_PREFIX) and value:
            key = name[len(_PREFIX) :]
            yield key if key.startswith("//") else key.replace("_", "-").lower(), value
