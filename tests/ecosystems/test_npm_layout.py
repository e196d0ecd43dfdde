"""Stacks laid out by the real npm from a registry on the loopback, and once from the real one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cannot_tell import failure
from npm_registry import Registry
from patchtool import process
from patchtool.ecosystems import npm
from patchtool.ecosystems.npm.program import run_npm
from patchtool.package import Package
from patchtool.store import Store

MakeStore = Callable[..., Store]
LEAD = Package(ecosystem="npm", name="@corp/lead", version="1.0.0")
USER = Package(ecosystem="npm", name="user", version="2.0.0")


@pytest.fixture
def pair(registry: Registry) -> Registry:
    """A lead with a dependency, and a consumer with a peer; published on one day."""
    registry.publish("@corp/lead", "1.0.0", dependencies={"leaf": "^1.0.0"})
    registry.publish("user", "2.0.0", peerDependencies={"@corp/lead": "1.0.0", "peer": "1"})
    registry.publish("leaf", "1.0.0")
    registry.publish("peer", "1.0.0", scripts={"postinstall": "touch ran; exit 1"})
    return registry


def version(stack: Path, name: str) -> str:
    """The version of a package in a stack."""
    manifest = json.loads((npm.package_directory(stack, name) / "package.json").read_bytes())
    said = manifest["version"]
    assert isinstance(said, str)
    return said


def test_stack_has_the_packages_and_all_they_need(pair: Registry, npm_store: MakeStore) -> None:
    """Dependencies and peers are there, no script has run, and what is there runs."""
    pair.serve()
    stack = npm.lay_out([LEAD, USER], npm_store())
    assert version(stack, "@corp/lead") == "1.0.0"
    assert {name: version(stack, name) for name in ("user", "leaf", "peer")} == {
        "user": "2.0.0",
        "leaf": "1.0.0",
        "peer": "1.0.0",
    }
    assert not (npm.package_directory(stack, "peer") / "ran").exists()
    runtime = npm.runtime(npm_store())
    assert runtime.identity.startswith("node v")
    done = process.run(
        ["node", "-p", "require('@corp/lead')"],
        directory=stack,
        environment=runtime.environment,
        timeout=60,
    )
    assert done.stdout == b"1\n"


def test_second_time_needs_neither_npm_nor_network(pair: Registry, npm_store: MakeStore) -> None:
    """A stack that was laid out is found again, in any order of the packages, offline."""
    pair.serve()
    first = npm.lay_out([LEAD, USER], npm_store())
    asked = len(pair.server.requests)
    later = npm_store(offline=True, environment={"PATH": "/nowhere"})
    assert npm.lay_out([USER, LEAD], later) == first
    assert len(pair.server.requests) == asked


def test_resolution_is_of_the_day_of_publication(pair: Registry, npm_store: MakeStore) -> None:
    """A newer release of a dependency changes nothing, for whoever lays the stack out when."""
    pair.publish("leaf", "1.5.0")
    pair.document("leaf")["time"]["1.5.0"] = "2026-03-01T00:00:00.000Z"
    pair.publish("leaf", "1.2.0")
    pair.document("leaf")["time"]["1.2.0"] = "2026-01-02T10:00:00.000Z"
    pair.serve()
    assert version(npm.lay_out([LEAD, USER], npm_store()), "leaf") == "1.2.0"


def test_without_dates_the_newest_is_taken(pair: Registry, npm_store: MakeStore) -> None:
    """A registry that gives no dates still gives a stack."""
    pair.publish("leaf", "1.5.0")
    del pair.document("@corp/lead")["time"]
    pair.serve()
    assert version(npm.lay_out([LEAD, USER], npm_store()), "leaf") == "1.5.0"


def test_lockfile_brings_the_same_stack_back(
    pair: Registry, npm_store: MakeStore, tmp_path: Path
) -> None:
    """A stack that has been changed on the disk is laid out again from its lockfile."""
    pair.serve()
    store = npm_store()
    stack = npm.lay_out([LEAD, USER], store)
    index = npm.package_directory(stack, "leaf") / "index.js"
    index.chmod(0o644)
    index.write_bytes(b"changed")
    again = npm.lay_out([LEAD, USER], store)
    assert again == stack
    assert index.read_bytes() == b"module.exports = 1\n"
    assert [path.name for path in stack.parent.iterdir()] == [stack.name]
    assert not list((tmp_path / "cache").glob("tmp-*"))


def test_offline_npms_own_cache_will_do(
    pair: Registry, npm_store: MakeStore, tmp_path: Path
) -> None:
    """Without a stack, but with the lockfile and npm's cache, offline is enough."""
    pair.serve()
    stack = npm.lay_out([LEAD, USER], npm_store())
    process.run(["rm", "-r", stack], directory=tmp_path, environment={"PATH": "/bin"}, timeout=60)
    pair.server.close()
    assert npm.lay_out([LEAD, USER], npm_store(offline=True)) == stack


def test_offline_with_nothing_says_what_is_missing(
    pair: Registry, npm_store: MakeStore, tmp_path: Path
) -> None:
    """Neither a stack nor anything in npm's cache: CannotTell, and no half-made stack is left."""
    pair.serve()
    assert failure(lambda: npm.lay_out([LEAD], npm_store(offline=True))).kind == "offline"
    npm.integrity(LEAD, npm_store())
    problem = failure(lambda: npm.lay_out([LEAD], npm_store(offline=True)))
    assert (problem.kind, problem.subject) == ("offline", "@corp/lead@1.0.0")
    assert not (tmp_path / "cache/stacks").exists()


def test_failures_of_npm_are_told_apart(pair: Registry, npm_store: MakeStore) -> None:
    """A dependency that is not there, a version that is not, and a contradiction have kinds."""
    pair.publish("lost", "1.0.0", dependencies={"nowhere": "1"})
    pair.publish("late", "1.0.0", dependencies={"leaf": "^7"})
    pair.publish("torn", "1.0.0", peerDependencies={"@corp/lead": "2.0.0"})
    pair.serve()
    store = npm_store()

    def kind(name: str) -> str:
        package = Package(ecosystem="npm", name=name, version="1.0.0")
        return failure(lambda: npm.lay_out([LEAD, package], store)).kind

    kinds = {name: kind(name) for name in ("lost", "late", "torn")}
    assert kinds == {"lost": "not-found", "late": "no-release", "torn": "unresolvable"}


def test_registry_that_npm_cannot_reach_has_a_remedy(
    npm_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command with which npm itself says whether the registry answers."""
    said = json.dumps({"error": {"code": "ECONNREFUSED", "summary": "connect ECONNREFUSED"}})
    done = process.Completed(code=1, stdout=said.encode(), stderr=b"")
    monkeypatch.setattr(process, "run", lambda *_, **__: done)
    store = npm_store()
    problem = failure(
        lambda: run_npm(["x"], directory=store.root, store=store, subject="demo", timeout=1)
    )
    assert (problem.kind, problem.remedy) == ("network", "npm ping")


def test_users_settings_for_other_projects_change_nothing(
    pair: Registry, npm_store: MakeStore
) -> None:
    """Settings that leave dependencies out, or install elsewhere, do not reach a stack."""
    pair.serve()
    with (npm_store().root / ".npmrc").open("a") as file:
        file.write("omit=peer\nlegacy-peer-deps=true\ninstall-strategy=nested\nglobal=true\n")
        file.write("dry-run=true\npackage-lock=false\nmin-release-age=1\n")
    stack = npm.lay_out([LEAD, USER], npm_store())
    assert version(stack, "peer") == "1.0.0"


@pytest.mark.network
def test_real_packages_are_laid_out(npm_store: MakeStore) -> None:
    """A real package with a dependency of its own runs from its stack."""
    store = npm_store(environment=dict(os.environ))
    store.root.mkdir()
    package = Package(ecosystem="npm", name="is-odd", version="3.0.1")
    stack = npm.lay_out([package], store)
    assert version(stack, "is-number") == "6.0.0"
    assert npm.lay_out([package], npm_store(offline=True)) == stack
