"""What is believed of a registry's answers, and that an artefact is what `npm install` writes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannot_tell import failure
from npm_registry import Registry
from patchtool.ecosystems import npm
from patchtool.files import File, Mode
from patchtool.package import Package
from patchtool.store import Store

MakeStore = Callable[..., Store]
PACKAGE = Package(ecosystem="npm", name="@corp/thing", version="1.0.0")


def test_artefact_is_fetched_with_the_token_checked_and_kept(
    registry: Registry, npm_store: MakeStore
) -> None:
    """The files come from the registry with npm's token; then from the cache, without npm."""
    integrity = registry.publish("@corp/thing", "1.0.0")
    registry.serve()
    store = npm_store()
    assert npm.integrity(PACKAGE, store) == integrity
    files = npm.artefact(PACKAGE, integrity, store)
    assert files["index.js"] == File(data=b"module.exports = 1\n")
    assert {headers["authorization"] for _, headers in registry.server.requests} == {
        "Bearer s3cret"
    }
    asked = len(registry.server.requests)
    later = npm_store(environment={"PATH": "/nowhere"}, offline=True)
    assert npm.integrity(PACKAGE, later) == integrity
    assert npm.artefact(PACKAGE, integrity, later) == files
    assert len(registry.server.requests) == asked
    for path in store.cache.directory.rglob("*"):
        assert b"s3cret" not in (path.read_bytes() if path.is_file() else b"")


def test_offline_with_an_empty_cache_names_the_package(
    registry: Registry, npm_store: MakeStore
) -> None:
    """Nothing cached and no network: the package is named, and neither npm nor a server asked."""
    store = npm_store(offline=True, environment={"PATH": "/nowhere"})
    assert failure(lambda: npm.integrity(PACKAGE, store)).kind == "offline"
    assert failure(lambda: npm.releases("@corp/thing", store)).subject == "@corp/thing"
    integrity = registry.publish("@corp/thing", "1.0.0")
    assert failure(lambda: npm.artefact(PACKAGE, integrity, store)).kind == "offline"


def test_releases_are_in_version_order_with_what_they_need(
    registry: Registry, npm_store: MakeStore
) -> None:
    """Oldest version first whatever the order of publication; unreadable versions are left out."""
    registry.publish("thing", "1.10.0", dependencies={"a": "^1"}, peerDependencies={"p": "2"})
    registry.publish("thing", "1.9.0", deprecated="too old")
    registry.publish("thing", "2.0.0-rc.1")
    registry.publish("thing", "not.a.version")
    registry.serve()
    releases = npm.releases("thing", npm_store())
    assert [item.version for item in releases] == ["1.9.0", "1.10.0", "2.0.0-rc.1"]
    assert releases[1].dependencies == {"a": "^1", "p": "2"}
    assert releases[0].deprecated == "too old"
    assert [item.prerelease for item in releases] == [False, False, True]


def test_list_is_fresh_for_minutes_then_revalidated(
    registry: Registry, npm_store: MakeStore
) -> None:
    """A list is used for FRESH seconds, then asked for again by its ETag; 304 keeps it."""
    registry.publish("thing", "1.0.0")
    registry.serve(ETag='"one"')
    registry.server.answer("/npm/thing", status=304)
    registry.publish("thing", "1.1.0")
    registry.serve()

    def versions(at: float) -> list[str]:
        return [each.version for each in npm.releases("thing", npm_store(now=lambda: at))]

    assert versions(1000.0) == ["1.0.0"]
    assert versions(1299.0) == ["1.0.0"]
    assert len(registry.server.asked("/npm/thing")) == 1
    assert versions(1301.0) == ["1.0.0"]
    assert registry.server.asked("/npm/thing")[1]["if-none-match"] == '"one"'
    assert versions(1500.0) == ["1.0.0"], "a 304 makes what is kept fresh again"
    assert versions(1700.0) == ["1.0.0", "1.1.0"]


def test_release_that_is_not_there_is_named(registry: Registry, npm_store: MakeStore) -> None:
    """A version that the registry does not have is no-release; a package it has not, not-found."""
    registry.publish("thing", "1.0.0")
    registry.serve()
    store = npm_store()
    missing = Package(ecosystem="npm", name="thing", version="9.9.9")
    assert failure(lambda: npm.integrity(missing, store)).kind == "no-release"
    assert failure(lambda: npm.releases("other", store)).kind == "not-found"


@pytest.mark.parametrize("given", [None, "", "sha1-AAAA", "sha512-short", 7])
def test_release_without_a_strong_hash_is_refused(
    registry: Registry, npm_store: MakeStore, given: object
) -> None:
    """No integrity, SHA-1 only or a damaged sha512: nothing can be pinned, and that is said."""
    registry.publish("@corp/thing", "1.0.0")
    registry.document("@corp/thing")["versions"]["1.0.0"]["dist"]["integrity"] = given
    registry.serve()
    problem = failure(lambda: npm.integrity(PACKAGE, npm_store()))
    assert problem.kind == "integrity"
    assert problem.subject == "@corp/thing@1.0.0"


def test_sha512_is_taken_from_several_hashes(registry: Registry, npm_store: MakeStore) -> None:
    """Of an integrity with several hashes the sha512 counts."""
    integrity = registry.publish("@corp/thing", "1.0.0")
    dist = registry.document("@corp/thing")["versions"]["1.0.0"]["dist"]
    dist["integrity"] = f"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= {integrity}"
    registry.serve()
    assert npm.integrity(PACKAGE, npm_store()) == integrity


@pytest.mark.parametrize(
    "body",
    [
        b"<html>login</html>",
        b"[]",
        b"{}",
        b'{"name": "other", "versions": {"1.0.0": {}}}',
        b'{"name": "@corp/thing", "versions": []}',
        b'{"name": "@corp/thing", "versions": ',
    ],
)
def test_wrong_answers_are_no_list(registry: Registry, npm_store: MakeStore, body: bytes) -> None:
    """Another document than the package's own is an error, and is not kept."""
    registry.server.answer("/npm/@corp%2Fthing", body)
    store = npm_store()
    assert failure(lambda: npm.releases("@corp/thing", store)).kind == "answer"
    assert store.kept("npm-releases", "@corp/thing") is None


def test_odd_parts_of_a_list_do_no_harm(registry: Registry, npm_store: MakeStore) -> None:
    """Fields of the wrong type count as absent."""
    body = {
        "name": "thing",
        "time": 1,
        "versions": {"1.0.0": 7, "1.1.0": {"dist": [], "dependencies": {"a": 1}, "deprecated": {}}},
    }
    registry.server.answer("/npm/thing", json.dumps(body).encode())
    releases = npm.releases("thing", npm_store())
    assert [(item.dependencies, item.deprecated) for item in releases] == [({}, None)] * 2


def test_right_integrity_of_another_package_is_refused(
    registry: Registry, npm_store: MakeStore
) -> None:
    """An artefact that hashes right but is another release is refused by its package.json."""
    other = registry.publish("@corp/other", "1.0.0")
    registry.publish("@corp/thing", "1.0.0")
    data = registry.document("@corp/other")["versions"]["1.0.0"]["dist"]
    registry.document("@corp/thing")["versions"]["1.0.0"]["dist"] = data
    registry.serve()
    problem = failure(lambda: npm.artefact(PACKAGE, other, npm_store()))
    assert (problem.kind, problem.path) == ("artefact", "package.json")
    assert problem.found == "@corp/other@1.0.0"


def test_other_bytes_than_pinned_are_refused(registry: Registry, npm_store: MakeStore) -> None:
    """A release that was published again with other bytes does not have the pinned integrity."""
    pinned = registry.publish("@corp/thing", "1.0.0")
    registry.server._answers.clear()
    registry.publish("@corp/thing", "1.0.0", {"index.js": b"evil"})
    registry.serve()
    problem = failure(lambda: npm.artefact(PACKAGE, pinned, npm_store()))
    assert (problem.kind, problem.expected) == ("integrity", pinned)


@pytest.mark.parametrize("address", [None, 7, "", "file:///etc/passwd", "ftp://x/y", "http://["])
def test_release_without_an_address_is_refused(
    registry: Registry, npm_store: MakeStore, address: object
) -> None:
    """Where the registry gives no address of a server, nothing is fetched and that is said."""
    integrity = registry.publish("@corp/thing", "1.0.0")
    registry.document("@corp/thing")["versions"]["1.0.0"]["dist"]["tarball"] = address
    registry.serve()
    problem = failure(lambda: npm.artefact(PACKAGE, integrity, npm_store()))
    assert (problem.kind, problem.subject) == ("answer", "@corp/thing@1.0.0")


@pytest.mark.parametrize("setting", ["always", "public", "never", "elsewhere"])
def test_tarball_host_is_replaced_as_npm_does(
    registry: Registry, npm_store: MakeStore, tmp_path: Path, setting: str
) -> None:
    """replace-registry-host: always, a host's name or a word in it, never, another host."""
    integrity = registry.publish("@corp/thing", "1.0.0")
    dist = registry.document("@corp/thing")["versions"]["1.0.0"]["dist"]
    dist["tarball"] = "http://registry.public.invalid/@corp/thing/-/thing-1.0.0.tgz"
    registry.serve()
    with (tmp_path / "app/.npmrc").open("a") as file:
        file.write(f"replace-registry-host={setting}\n")
    store = npm_store()
    if setting in ("always", "public"):
        assert "index.js" in npm.artefact(PACKAGE, integrity, store)
    else:
        problem = failure(lambda: npm.artefact(PACKAGE, integrity, store))
        assert "registry.public.invalid" in (problem.path or "")


@pytest.mark.network
def test_artefact_is_what_npm_installs(npm_store: MakeStore) -> None:
    """Real packages, installed by the real npm: same paths, same bytes, same executable files."""
    store = npm_store(environment=dict(os.environ))
    store.root.mkdir()
    (store.root / "package.json").write_text("{}")
    wanted = [
        Package(ecosystem="npm", name=name, version=version)
        for name, version in [("semver", "7.6.3"), ("is-number", "7.0.0"), ("mkdirp", "1.0.4")]
    ]
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", *map(str, wanted)],
        cwd=store.root,
        check=True,
        capture_output=True,
        timeout=120,
    )
    for package in wanted:
        files = npm.artefact(package, npm.integrity(package, store), store)
        directory = store.root / "node_modules" / package.name
        installed = {
            path.relative_to(directory).as_posix(): File(
                data=path.read_bytes(),
                mode=Mode.EXECUTABLE if path.stat().st_mode & stat.S_IXUSR else Mode.REGULAR,
            )
            for path in directory.rglob("*")
            if path.is_file()
        }
        assert installed == files
