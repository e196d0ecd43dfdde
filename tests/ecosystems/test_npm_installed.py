"""Finding installed copies in every layout, by trees that the tests lay out themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patchtool.ecosystems.npm import installed, may_be_absent, path_in_package
from patchtool.errors import CannotTell


def put(directory: Path, name: str, version: str = "1.0.0") -> Path:
    """Install a package into a directory."""
    directory.mkdir(parents=True)
    (directory / "package.json").write_text(json.dumps({"name": name, "version": version}))
    return directory


def found(root: Path, name: str) -> list[tuple[str, str]]:
    """The copies of one package, as paths under the root with versions."""
    copies = installed(root, [name], {})[name]
    assert all(copy.name for copy in copies)
    real = root.resolve()
    return [(copy.directory.relative_to(real).as_posix(), copy.version) for copy in copies]


def test_hoisted_nested_and_scoped_copies_are_found(tmp_path):
    """Every copy at any depth, sorted by directory; all names in one look."""
    modules = tmp_path / "node_modules"
    put(modules / "a", "a")
    put(modules / "a/node_modules/@s/b", "@s/b", "2.0.0")
    put(modules / "@s/b", "@s/b")
    put(modules / "@s/b/node_modules/c/node_modules/@s/b", "@s/b", "3.0.0")
    assert found(tmp_path, "@s/b") == [
        ("node_modules/@s/b", "1.0.0"),
        ("node_modules/@s/b/node_modules/c/node_modules/@s/b", "3.0.0"),
        ("node_modules/a/node_modules/@s/b", "2.0.0"),
    ]
    both = installed(tmp_path, ["a", "none"], {})
    assert len(both["a"]) == 1
    assert both["none"] == ()


def test_only_real_packages_count(tmp_path):
    """A directory without a readable package.json of that name is no copy; nor is a file."""
    modules = tmp_path / "node_modules"
    (modules / "a").mkdir(parents=True)
    assert found(tmp_path, "a") == []
    for text in ("{", "[]", '{"name": "a"}', '{"version": "1.0.0"}', '{"name": 1, "version": 2}'):
        (modules / "a/package.json").write_text(text)
        assert found(tmp_path, "a") == []
    (modules / "b").write_text("")
    assert found(tmp_path, "b") == []
    assert installed(tmp_path / "nowhere", ["a"], {}) == {"a": ()}


def test_alias_counts_by_the_real_name(tmp_path):
    """`"old": "npm:a@1"`: the copy is found as `a`; as `old` only while no other `old` is there."""
    modules = tmp_path / "node_modules"
    put(modules / "old", "a")
    (tmp_path / "package.json").write_text('{"dependencies": {"old": "npm:a@1"}}')
    assert found(tmp_path, "a") == [("node_modules/old", "1.0.0")]
    assert found(tmp_path, "old") == [("node_modules/old", "1.0.0")]
    put(modules / "b/node_modules/old", "old", "9.0.0")
    assert found(tmp_path, "old") == [("node_modules/b/node_modules/old", "9.0.0")]


def test_nested_alias_is_found_by_npms_record(tmp_path):
    """An alias that only a dependency uses stands in npm's own record of the install."""
    modules = tmp_path / "node_modules"
    put(modules / "b/node_modules/old", "@s/a")
    packages = {
        "node_modules/b": {},
        "node_modules/b/node_modules/old": {"name": "@s/a", "version": "1.0.0"},
    }
    record = json.dumps({"name": "app", "packages": packages})
    (modules / ".package-lock.json").write_text(record)
    assert found(tmp_path, "@s/a") == [("node_modules/b/node_modules/old", "1.0.0")]


def test_pnpm_store_is_found_once_by_real_directories(tmp_path):
    """Links into .pnpm, from the top and between packages, lead to one real directory each."""
    store = tmp_path / "node_modules/.pnpm"
    put(store / "a@1.0.0/node_modules/a", "a")
    put(store / "b@1.0.0/node_modules/b", "b")
    put(store / "a@2.0.0_x/node_modules/a", "a", "2.0.0")
    (store / "b@1.0.0/node_modules/a").symlink_to("../../a@1.0.0/node_modules/a")
    (tmp_path / "node_modules/b").symlink_to(".pnpm/b@1.0.0/node_modules/b")
    (tmp_path / "node_modules/alias").symlink_to(".pnpm/a@2.0.0_x/node_modules/a")
    (store / "node_modules").mkdir()
    (store / "node_modules/a").symlink_to("../a@1.0.0/node_modules/a")
    assert found(tmp_path, "a") == [
        ("node_modules/.pnpm/a@1.0.0/node_modules/a", "1.0.0"),
        ("node_modules/.pnpm/a@2.0.0_x/node_modules/a", "2.0.0"),
    ]


def test_workspaces_are_looked_into(tmp_path):
    """Copies in a workspace's own node_modules count, linked from the top or only listed."""
    put(tmp_path / "packages/one", "one")
    put(tmp_path / "packages/one/node_modules/a", "a")
    put(tmp_path / "packages/two/node_modules/a", "a", "2.0.0")
    put(tmp_path / "elsewhere/node_modules/a", "a", "3.0.0")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/one").symlink_to("../packages/one")
    (tmp_path / "package.json").write_text('{"workspaces": {"packages": ["packages/*", "!x"]}}')
    assert found(tmp_path, "a") == [
        ("packages/one/node_modules/a", "1.0.0"),
        ("packages/two/node_modules/a", "2.0.0"),
    ]


def test_loops_of_links_end(tmp_path):
    """Links in a circle, to themselves, to nowhere and to the root are looked at once, or not."""
    modules = tmp_path / "node_modules"
    put(modules / "a", "a")
    (modules / "self").symlink_to("self")
    (modules / "gone").symlink_to("nowhere")
    (modules / "root").symlink_to("..")
    (modules / "a/node_modules").symlink_to("..")
    assert found(tmp_path, "a") == [("node_modules/a", "1.0.0")]


def test_link_out_of_the_project_is_refused_or_passed_over(tmp_path):
    """A package that is only linked from outside cannot be told; beside a real copy it is left."""
    outside = put(tmp_path / "outside/a", "a")
    put(outside / "node_modules/b", "b")
    root = tmp_path / "root"
    (root / "node_modules").mkdir(parents=True)
    (root / "node_modules/a").symlink_to(outside)
    with pytest.raises(CannotTell) as caught:
        installed(root, ["a"], {})
    assert caught.value.problem.kind == "linked"
    assert caught.value.problem.path == str(outside)
    assert found(root, "b") == []
    put(root / "node_modules/c/node_modules/a", "a", "2.0.0")
    assert found(root, "a") == [("node_modules/c/node_modules/a", "2.0.0")]


def test_root_may_itself_be_a_link(tmp_path):
    """A root reached through a link gives the same real directories."""
    put(tmp_path / "real/node_modules/a", "a")
    (tmp_path / "link").symlink_to("real")
    assert installed(tmp_path / "link", ["a"], {}) == installed(tmp_path / "real", ["a"], {})


PRODUCTION = [
    {"NODE_ENV": "production"},
    {"npm_config_omit": "dev"},
    {"npm_config_omit": "optional\n\ndev"},
    {"npm_config_production": "true"},
]


def test_development_dependency_may_be_absent_in_production_only(tmp_path):
    """Every way to say production excuses a dev dependency, direct or not; nothing else does."""
    (tmp_path / "package.json").write_text('{"devDependencies": {"a": "1"}}')
    packages = {
        "node_modules/b": {"dev": True},
        "node_modules/c": {"devOptional": True},
        "node_modules/d": {"dev": True},
        "node_modules/x/node_modules/d": {},
    }
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": packages}))
    for environment in PRODUCTION:
        for name in "abc":
            assert may_be_absent(tmp_path, name, environment)
        assert may_be_absent(tmp_path, "d", environment) is None
        assert may_be_absent(tmp_path, "e", environment) is None
    for environment in ({}, {"NODE_ENV": "production", "npm_config_include": "dev"}):
        for name in "abcde":
            assert may_be_absent(tmp_path, name, environment) is None


def test_optional_dependency_may_always_be_absent(tmp_path):
    """Optional dependencies and optional peers may be missing on any machine."""
    manifest = {
        "optionalDependencies": {"a": "1"},
        "peerDependencies": {"b": "1", "c": "1"},
        "peerDependenciesMeta": {"b": {"optional": True}},
    }
    (tmp_path / "package.json").write_text(json.dumps(manifest))
    lock = {"packages": {"node_modules/d": {"optional": True}}}
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    assert may_be_absent(tmp_path, "a", {})
    assert may_be_absent(tmp_path, "b", {})
    assert may_be_absent(tmp_path, "c", {}) is None
    assert may_be_absent(tmp_path, "d", {})
    assert may_be_absent(tmp_path / "empty", "a", {}) is None


@pytest.mark.parametrize(
    ("path", "name", "inside"),
    [
        ("node_modules/a/dist/index.js", "a", "dist/index.js"),
        ("node_modules/@s/b/x", "@s/b", "x"),
        ("node_modules/a/node_modules/@s/b/x", "@s/b", "x"),
        ("node_modules/a/node_modules/b/x", "a", "node_modules/b/x"),
        ("node_modules/ab/x", "a", None),
        ("node_modules/a", "a", None),
        ("node_modules/a/", "a", None),
        ("src/a/x", "a", None),
        ("src/node_modules/a/x", "a", None),
        ("xnode_modules/a/x", "a", None),
    ],
)
def test_path_of_a_patch_is_a_path_in_the_package(path, name, inside):
    """The part behind the package's own directory; None for a path of anything else."""
    assert path_in_package(path, name) == inside
