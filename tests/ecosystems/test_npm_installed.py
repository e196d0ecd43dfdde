"""Finding installed copies in every layout, by trees that the tests lay out themselves."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from patchtool.ecosystems import Copy
from patchtool.ecosystems.npm import install_command, installed, may_be_absent, path_in_package
from patchtool.errors import CannotTell
from patchtool.package import Package
from patchtool.plain_file import LARGE


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


def test_hoisted_nested_and_scoped_copies_are_found(tmp_path: Path) -> None:
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


def test_only_real_packages_count(tmp_path: Path) -> None:
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


def test_alias_counts_by_the_real_name(tmp_path: Path) -> None:
    """`"old": "npm:a@1"`: the copy is found as `a`; as `old` only while no other `old` is there."""
    modules = tmp_path / "node_modules"
    put(modules / "old", "a")
    (tmp_path / "package.json").write_text('{"dependencies": {"old": "npm:a@1"}}')
    assert found(tmp_path, "a") == [("node_modules/old", "1.0.0")]
    assert found(tmp_path, "old") == [("node_modules/old", "1.0.0")]
    put(modules / "b/node_modules/old", "old", "9.0.0")
    assert found(tmp_path, "old") == [("node_modules/b/node_modules/old", "9.0.0")]


def test_nested_alias_is_found_by_npms_record(tmp_path: Path) -> None:
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


def test_pnpm_store_is_found_once_by_real_directories(tmp_path: Path) -> None:
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


def test_workspaces_are_looked_into(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("pattern", ["", "a/**b", "***", "/absolute", "//", "!x", "a\\u0000b", "["])
def test_patterns_that_are_none_name_no_workspace(tmp_path: Path, pattern: str) -> None:
    """A workspace pattern that cannot be read is as good as none; the packages are found."""
    put(tmp_path / "node_modules/a", "a")
    (tmp_path / "package.json").write_text(f'{{"workspaces": ["{pattern}"]}}')
    assert found(tmp_path, "a") == [("node_modules/a", "1.0.0")]


@pytest.mark.parametrize("name", ["package.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """Files of the project that cannot be read say nothing; the packages are found."""
    put(tmp_path / "node_modules/a", "a")
    os.mkfifo(tmp_path / name)
    assert found(tmp_path, "a") == [("node_modules/a", "1.0.0")]


def test_member_of_a_workspace_finds_what_is_above_it(tmp_path: Path) -> None:
    """From a member's own directory all copies of the workspace count; from beside it, none."""
    put(tmp_path / "node_modules/a", "a")
    put(tmp_path / "packages/one", "one")
    put(tmp_path / "packages/one/node_modules/a", "a", "2.0.0")
    put(tmp_path / "packages/two", "two")
    put(tmp_path / "elsewhere", "three")
    (tmp_path / "package.json").write_text('{"workspaces": ["packages/*"]}')
    places = [copy.directory for copy in installed(tmp_path, ["a"], {})["a"]]
    assert len(places) == 2
    for member in ("one", "two"):
        copies = installed(tmp_path / "packages" / member, ["a"], {})["a"]
        assert [copy.directory for copy in copies] == places
    assert installed(tmp_path / "elsewhere", ["a"], {}) == {"a": ()}
    (tmp_path / "packages/one/.git").mkdir()
    assert found(tmp_path / "packages/one", "a") == [("node_modules/a", "2.0.0")]


def test_pnpm_s_members_are_those_it_has_locked(tmp_path: Path) -> None:
    """Each member's packages are links into the store at the top; members count as locked."""
    store = tmp_path / "node_modules/.pnpm"
    put(store / "a@1.0.0/node_modules/a", "a")
    put(store / "a@2.0.0/node_modules/a", "a", "2.0.0")
    for member in ("one", "@s/two"):
        modules = put(tmp_path / "packages" / member, member) / "node_modules"
        modules.mkdir()
        (modules / "a").symlink_to(store / "a@1.0.0/node_modules/a")
    copies = [("node_modules/.pnpm/a@1.0.0/node_modules/a", "1.0.0")]
    lock = (
        "\nimporters:\n\n  .: {}\n\n  packages/one:\n    a: 1\n\n  'packages/@s/two':\n    a: 1\n"
    )
    for path in (tmp_path / "pnpm-lock.yaml", store / "lock.yaml"):
        path.write_text(f"lockfileVersion: '9.0'\n{lock}\npackages:\n\n  x:\n    a: 1\n")
        assert found(tmp_path, "a") == copies
        for member in ("one", "@s/two"):
            (copy,) = installed(tmp_path / "packages" / member, ["a"], {})["a"]
            assert copy.directory == store.resolve() / "a@1.0.0/node_modules/a"
        path.unlink()
    assert found(tmp_path, "a") == []


def test_virtual_store_may_be_anywhere_in_the_project(tmp_path: Path) -> None:
    """What a package in a store needs stands beside it, wherever the store was put."""
    put(tmp_path / ".store/b@1/node_modules/b", "b")
    put(tmp_path / ".store/a@1/node_modules/a", "a")
    (tmp_path / ".store/b@1/node_modules/a").symlink_to("../../a@1/node_modules/a")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/b").symlink_to("../.store/b@1/node_modules/b")
    assert found(tmp_path, "a") == [(".store/a@1/node_modules/a", "1.0.0")]


@pytest.mark.parametrize(
    ("lockfile", "text"),
    [
        ("yarn.lock", '"alias@npm:@s/a@^1", "other@npm:@s/a@1":\n  version "1.0.0"\n'),
        ("yarn.lock", '"alias@npm:@s/a@^1, other@npm:@s/a@1":\n  version: 1.0.0\n'),
        ("bun.lock", '  "alias": ["@s/a@1.0.0", ""],\n\n  "@t/b/other": ["@s/a@1.0.0"],\n'),
        ("pnpm-lock.yaml", "      alias: '@s/a@1.0.0'\n      other: '@s/a@1.0.0'\n"),
    ],
)
def test_alias_of_a_dependency_is_found_by_the_lockfile(
    tmp_path: Path, lockfile: str, text: str
) -> None:
    """Tools without a record of what they installed have the alias in their lockfile."""
    put(tmp_path / "node_modules/alias", "@s/a")
    put(tmp_path / "node_modules/b/node_modules/other", "@s/a", "2.0.0")
    assert found(tmp_path, "@s/a") == []
    (tmp_path / lockfile).write_text(text)
    assert found(tmp_path, "@s/a") == [
        ("node_modules/alias", "1.0.0"),
        ("node_modules/b/node_modules/other", "2.0.0"),
    ]


@pytest.mark.parametrize("lockfile", ["yarn.lock", "bun.lock", "pnpm-lock.yaml"])
@pytest.mark.parametrize("word", ["x", "@", ",@", "@x@npm:", "/", " ", '"x', "x: "])
def test_a_long_line_in_a_lockfile_is_read_once(tmp_path: Path, lockfile: str, word: str) -> None:
    """Ten times the length takes about ten times as long, whatever the line is made of."""

    def seconds(length: int) -> float:
        (tmp_path / lockfile).write_text(f"  {word * (length // len(word))}\n")
        start = time.process_time()
        assert found(tmp_path, "a") == []
        return time.process_time() - start

    small = min(seconds(2000) for _ in range(3))
    assert seconds(20_000) < 50 * small + 0.1


def refused(root: Path) -> tuple[str, str | None, str | None]:
    """Why nothing can be told of a package that is not found: kind, path and remedy."""
    assert found(root, "a") == []
    with pytest.raises(CannotTell) as caught:
        may_be_absent(root, "a", {})
    problem = caught.value.problem
    return problem.kind, problem.path, problem.remedy


def test_plug_n_play_is_told_and_not_taken_for_absence(tmp_path: Path) -> None:
    """Packages in zips cannot be patched: yarn's own way is named, and a way to node_modules."""
    (tmp_path / ".pnp.cjs").write_text("")
    assert refused(tmp_path) == (
        "plug-n-play",
        str(tmp_path / ".pnp.cjs"),
        "yarn config set nodeLinker node-modules && yarn install",
    )


@pytest.mark.parametrize("text", ['  "virtualStoreDir": "{}",\n', "virtualStoreDir: {}\n"])
def test_store_that_projects_share_is_told_and_not_written_to(tmp_path: Path, text: str) -> None:
    """A link into pnpm's global virtual store is no copy of this project's."""
    store = put(tmp_path / "store/links/a/node_modules/a", "a").parents[2]
    root = tmp_path / "app"
    (root / "node_modules").mkdir(parents=True)
    (root / "node_modules/a").symlink_to(store / "a/node_modules/a")
    (root / "node_modules/.modules.yaml").write_text(text.format("../../store/links"))
    kind, path, remedy = refused(root)
    assert (kind, path) == ("linked", str(store))
    assert remedy is not None
    assert remedy.startswith("pnpm config set")
    (root / "node_modules/.modules.yaml").write_text(text.format(".pnpm"))
    (root / "node_modules/a").unlink()
    assert may_be_absent(root, "a", {}) is None


def test_commands_are_those_of_the_project_s_own_manager(tmp_path: Path) -> None:
    """By its lockfile, also from a member's directory; npm's where there is none."""
    package = Package(ecosystem="npm", name="a", version="1.0.0")
    copy = Copy(name="a", version="1.0.0", directory=tmp_path / "node_modules/a")
    (tmp_path / "package.json").write_text('{"workspaces": ["one"]}')
    (tmp_path / "one").mkdir()
    expected = {
        "": ("npm install --save-exact a@1.0.0", f"rm -r {copy.directory} && npm install"),
        "bun.lock": ("bun add --exact a@1.0.0", f"rm -r {copy.directory} && bun install"),
        "yarn.lock": ("yarn add --exact a@1.0.0", f"rm -r {tmp_path}/node_modules && yarn"),
        "pnpm-lock.yaml": ("pnpm add --save-exact a@1.0.0", f"rm -r {copy.directory} && pnpm"),
    }
    for lockfile, (add, replace) in expected.items():
        if lockfile:
            (tmp_path / lockfile).write_text("")
        for root in (tmp_path, tmp_path / "one"):
            assert install_command(package, root, {}) == add
            assert install_command(package, root, {}, copy).startswith(replace)
    (tmp_path / "pnpm-workspace.yaml").write_text("")
    assert (
        install_command(package, tmp_path, {}) == "pnpm add --workspace-root --save-exact a@1.0.0"
    )


def test_loops_of_links_end(tmp_path: Path) -> None:
    """Links in a circle, to themselves, to nowhere and to the root are looked at once, or not."""
    modules = tmp_path / "node_modules"
    put(modules / "a", "a")
    (modules / "self").symlink_to("self")
    (modules / "gone").symlink_to("nowhere")
    (modules / "root").symlink_to("..")
    (modules / "a/node_modules").symlink_to("..")
    assert found(tmp_path, "a") == [("node_modules/a", "1.0.0")]


def test_link_out_of_the_project_is_refused_or_said(tmp_path: Path) -> None:
    """A package that is only linked from outside cannot be told; beside a real copy it is named."""
    outside = put(tmp_path / "outside/a", "a")
    put(outside / "node_modules/b", "b")
    root = tmp_path / "root"
    (root / "node_modules").mkdir(parents=True)
    (root / "node_modules/a").symlink_to(outside)
    with pytest.raises(CannotTell) as caught:
        installed(root, ["a"], {})
    assert caught.value.problem.kind == "linked"
    assert caught.value.problem.path == str(outside)
    assert caught.value.problem.remedy == "npm install"  # with a name it loosens an exact version
    (root / "pnpm-lock.yaml").touch()
    with pytest.raises(CannotTell) as caught:
        installed(root, ["a"], {})
    assert caught.value.problem.remedy == "pnpm install"
    assert found(root, "b") == []
    nested = put(root / "node_modules/c/node_modules/a", "a", "2.0.0")
    # Passed over in silence, whoever has linked it believes that the patch is on it.
    assert [
        (copy.directory, copy.version, copy.linked) for copy in installed(root, ["a"], {})["a"]
    ] == [
        (outside, "1.0.0", True),
        (nested, "2.0.0", False),
    ]


def test_root_may_itself_be_a_link(tmp_path: Path) -> None:
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


def test_development_dependency_may_be_absent_in_production_only(tmp_path: Path) -> None:
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


def test_optional_dependency_may_always_be_absent(tmp_path: Path) -> None:
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
def test_path_of_a_patch_is_a_path_in_the_package(path: str, name: str, inside: str | None) -> None:
    """The part behind the package's own directory; None for a path of anything else."""
    assert path_in_package(path, name) == inside


def test_links_lead_where_the_system_says(tmp_path: Path) -> None:
    """Absolute, relative, chained, and back over another link: each copy by its real directory."""
    put(tmp_path / "x/real/a", "a")
    put(tmp_path / "y/deep/inner", "none")
    (tmp_path / "y/over").symlink_to("../x/real")
    (tmp_path / "x/back").symlink_to("../y/deep/inner")
    modules = tmp_path / "node_modules"
    modules.mkdir()
    targets: list[str | Path] = [
        tmp_path / "x/real/a",
        "../x/real/a",
        "../y/over/a",
        "../y/over/../real/a",
        "../x/back/../../over/a",
        "../node_modules/alias1",
        "./../x/./real/../real/a",
    ]
    for number, target in enumerate(targets):
        (modules / f"alias{number}").symlink_to(target)
        (tmp_path / "package.json").write_text(
            json.dumps({"dependencies": {f"alias{number}": "npm:a@1"}})
        )
        assert found(tmp_path, "a") == [("x/real/a", "1.0.0")], target


@pytest.mark.parametrize(
    "path",
    ["package.json", "pnpm-lock.yaml", "yarn.lock", "node_modules/.package-lock.json",
     "node_modules/a/package.json", "node_modules/.pnpm/lock.yaml"],
)  # fmt: skip
def test_a_file_that_is_too_large_is_not_taken_for_none(tmp_path: Path, path: str) -> None:
    """It may name copies that would be missed; a part of it could say anything."""
    put(tmp_path / "node_modules/a", "a")
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    os.truncate(file, LARGE + 1)
    with pytest.raises(CannotTell, match="cannot be read: too large") as caught:
        installed(tmp_path, ["a"], {})
    assert caught.value.problem.path == str(file.resolve())


def test_a_record_of_the_store_that_is_too_large_is_not_taken_for_none(tmp_path: Path) -> None:
    """Where pnpm's store is stands at the record's end."""
    file = tmp_path / "node_modules/.modules.yaml"
    file.parent.mkdir()
    file.touch()
    os.truncate(file, LARGE + 1)
    with pytest.raises(CannotTell, match="cannot be read: too large"):
        may_be_absent(tmp_path, "a", {})
