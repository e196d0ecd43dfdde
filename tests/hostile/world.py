"""The world of one input: a project, registries on the loopback, secrets, and what is outside."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from app_making import App
from http_server import Server
from npm_registry import Registry
from patch_making import file, patch_text
from patchtool.files import File
from pypi_index import Index

TOKEN, PASSWORD, PROXY = "npm-t0ken-s3cret", "pip-pa55word-s3cret", "proxy-pa55word-s3cret"
# What none of the tool's output and files may have: they also travel in the form of HTTP's basic
# authentication.
SECRETS = (
    *(TOKEN, PASSWORD, PROXY),
    *(base64.b64encode(f"joe:{word}".encode()).decode() for word in (PASSWORD, PROXY)),
)
OLD, NEW = file("old\n"), file("new\n")


class World:
    """A directory in which everything is; `close` ends its servers.

    The project is in `root`. Its npm knows a token for `npm`, its pip a password for `index`; both
    know a proxy with a password for every other server, which is `server` and no good proxy.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.server = Server()
        self.app = App(directory / "project")
        self.root = self.app.root
        self.npm, self.index = Registry(self.server), Index(self.server)
        for name in ("home", "tmp", "outside", "cache"):
            (directory / name).mkdir()
        self.outside = directory / "outside"
        (self.outside / "keep.txt").write_bytes(b"keep\n")
        place = self.npm.url.removeprefix("http:")
        (directory / "home/.npmrc").write_text(f"{place}:_authToken={TOKEN}\n")
        self._before: Mapping[str, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a run."""
        proxy = self.server.url.replace("//", f"//joe:{PROXY}@")
        index = self.index.url.replace("//", f"//joe:{PASSWORD}@")
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory / "home"),
            "TMPDIR": str(self.directory / "tmp"),
            "PATCHTOOL_CACHE": str(self.directory / "cache"),
            "npm_config_cache": str(self.directory / "npm-cache"),
            "npm_config_registry": self.npm.url,
            "npm_config_fetch_retries": "0",
            "npm_config_update_notifier": "false",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": index,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HTTP_PROXY": proxy,
            "HTTPS_PROXY": proxy,
            "NO_PROXY": "127.0.0.1",
            **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
        }

    def pin(self, *packages: str, pin: str = "", guard: str = "") -> None:
        """Write a manifest with one fix, and a patch of its first package."""
        name, _, version = packages[0].partition("/")[2].partition("@")
        inside = f"node_modules/{name}/" if packages[0].startswith("pkg:npm") else ""
        if packages[0].startswith("pkg:generic"):
            inside = f"vendor/{name}/"
        patch = patch_text({"index.js": (OLD, NEW)}, inside)
        (self.app.patches / f"{name}+{version}.patch").write_bytes(patch)
        self.app.manifest(packages, pin=pin, guard=guard)

    def install(self, files: Mapping[str, File] | None = None) -> Path:
        """Install a package that has a patch, with its manifest and lock; its directory."""
        self.pin("pkg:npm/evil@1.0.0")
        self.app.lock({"evil@1.0.0": {"index.js": OLD}})
        return self.app.install("evil", "1.0.0", {"index.js": OLD} | dict(files or {}))

    def pin_origin(self, origin: str, guard: str = "") -> None:
        """Pin a vendored package that comes from this address."""
        table = f'[fix.pin.vendored.evil]\npath = "vendor/evil"\norigin = "{origin}"\n'
        self.pin("pkg:generic/evil@1.0.0", pin=table, guard=guard)

    def pin_archive(self, data: bytes, name: str = "evil.tar.gz", guard: str = "") -> None:
        """Pin a vendored package that comes from an archive at an address, with these bytes."""
        self.server.answer(f"/{name}", data)
        self.pin_origin(f"{self.server.url}/{name}", guard)

    def words(self, command: str, *more: str) -> list[str]:
        """The words of a command for the project."""
        return [command, "--root", str(self.root), *more]

    def settle(self) -> None:
        """Remember what is there, before the run."""
        self._before = self._found()

    def changed(self) -> Iterator[str]:
        """The paths in the project and outside of it that are not as they were."""
        found = self._found()
        for path in sorted(found.keys() | self._before.keys()):
            if found.get(path) != self._before.get(path):
                yield path

    def leaks(self) -> Iterator[str]:
        """The files that the run has written, other than in the project, with a secret in them."""
        for top in ("cache", "tmp", "outside"):
            for path in (self.directory / top).rglob("*"):
                if path.is_file() and not path.is_symlink():
                    data = path.read_bytes()
                    if any(secret.encode() in data for secret in SECRETS):
                        yield str(path.relative_to(self.directory))

    def close(self) -> None:
        """End the servers."""
        self.server.close()

    def left(self) -> Iterator[str]:
        """Temporary files that the run has left; Node.js keeps a cache among its own."""
        for path in (self.directory / "tmp").iterdir():
            if path.name != "node-compile-cache":
                yield str(path.relative_to(self.directory))
        for path in (self.directory / "cache").rglob("tmp*"):
            yield str(path.relative_to(self.directory))

    def _found(self) -> dict[str, str]:
        """Everything in the project and outside of it, by what it is; of files, a hash."""
        return {
            os.path.relpath(path, self.directory): _identity(path)
            for top in ("project", "outside")
            for directory, directories, names in os.walk(self.directory / top)
            for path in (f"{directory}/{name}" for name in (*directories, *names))
        }


def outside_of(place: Path) -> Path:
    """The directory outside of the project that a place is in."""
    return next(each for each in place.parents if each.name == "project").parent / "outside"


def replace(place: Path, make: Callable[[Path], object]) -> None:
    """Let something else be made in the place of what is there, which goes out of the way."""
    place = Path(os.path.normpath(place))
    place.rename(outside_of(place) / "moved")
    make(place)


def _identity(path: str) -> str:
    """What stands at a path: a kind and a mode, of a link its target, of a file a hash."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return f"link to {Path(path).readlink()}"
        if not stat.S_ISREG(status.st_mode):
            return stat.filemode(status.st_mode)
        with Path(path).open("rb") as opened:  # not read as a whole: it may be large
            return f"{status.st_mode:o} {hashlib.file_digest(opened, 'sha1').hexdigest()}"
    except OSError as error:  # a path that is too long, or what nobody may read
        return str(error.strerror)
