"""Real packages, installed by the real npm into an app with `"postinstall": "patchtool apply"`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from .conftest import ROOT, SDK, SPARSE, RealApp, call

pytestmark = pytest.mark.network

MakeApp = Callable[..., RealApp]

INDEX = "@ai-sdk/provider-utils/dist/index.js"
SPARSE_FILES = sorted((SPARSE / "patches").iterdir())
OWN_PATCHES = sorted((ROOT / "patches").glob("@ai-sdk*.patch"))
GAP = (call(2, "second"), call(1, "first"))
SAME_INDEX = (call(0, "first"), call(0, "second"))


@pytest.fixture
def sparse(make_app: MakeApp) -> RealApp:
    """An app with the fix of the sparse indexes, its manifest and its lock."""
    app = make_app(SDK, SPARSE_FILES)
    guard = app.root / "guard"
    guard.mkdir()
    return app


def test_npm_install_and_npm_ci_end_patched(sparse: RealApp) -> None:
    """After each of them the turn that crashes without the patch has both its calls."""
    done = sparse.npm("install")
    assert done.returncode == 0, done.stderr
    assert "now patched: dist/index.js" in done.stdout
    assert sorted(sparse.turn(*GAP)) == ["first", "second"]
    (patched,) = sparse.bytes_of(INDEX)

    done = sparse.npm("ci")
    assert done.returncode == 0, done.stderr
    assert "now patched: dist/index.js" in done.stdout
    assert sparse.bytes_of(INDEX) == [patched]

    done = sparse.npm("install")
    assert done.returncode == 0, done.stderr
    assert "already patched" in done.stdout
    assert sparse.bytes_of(INDEX) == [patched]


def test_install_without_scripts_is_told_by_status(sparse: RealApp) -> None:
    """--ignore-scripts leaves everything pristine: status is 1, and 0 once `apply` has run."""
    assert sparse.npm("install", "--ignore-scripts").returncode == 0
    assert "hasFinished" in sparse.turn(*GAP)
    status = sparse.run("patchtool", "status")
    assert (status.returncode, "try: patchtool apply" in status.stdout) == (1, True)
    assert sparse.run("patchtool", "apply").returncode == 0
    assert sparse.run("patchtool", "status").returncode == 0
    assert sorted(sparse.turn(*GAP)) == ["first", "second"]


def test_install_of_another_release_fails(make_app: MakeApp) -> None:
    """A bumped dependency whose bytes are others: npm fails, and the message says what to run."""
    bumped = {"@ai-sdk/provider-utils": "5.0.12", "@ai-sdk/openai-compatible": "3.0.14"}
    app = make_app(bumped, SPARSE_FILES)
    (app.root / "guard").mkdir()
    done = app.npm("install")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "installed is 5.0.12, pinned 5.0.11" in said
    assert "try: patchtool should-delete\n" in said


@pytest.mark.parametrize(
    "releases",
    [
        SDK | {"@ai-sdk/openai": "4.0.16"},
        {
            "@ai-sdk/provider-utils": "5.0.81",
            "@ai-sdk/openai-compatible": "3.0.92",
            "@ai-sdk/openai": "4.0.118",
        },
    ],
    ids=["5.0.11", "5.0.81"],
)
def test_this_repository_s_patches_make_calls_distinct(
    make_app: MakeApp, releases: dict[str, str]
) -> None:
    """Two calls that a gateway sends at one index come out as two; patch-package agrees."""
    app = make_app(releases, OWN_PATCHES)
    done = app.npm("install")
    assert done.returncode == 0, done.stdout + done.stderr
    assert app.turn(*SAME_INDEX) == ["first", "second"]
    files = [f"{name}/dist/index.js" for name in releases]
    patched = app.bytes_of(*files)

    other = make_app(releases, [], name="other")
    for path in OWN_PATCHES:
        # patch-package applies every file that is there: only those of what is installed.
        name, _, version = path.name.removesuffix(".patch").rpartition("+")
        if releases.get(name.replace("+", "/")) == version:
            (other.root / "patches" / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((other.root / "package.json").read_text())
    manifest["devDependencies"] = {"patch-package": "8.0.1"}
    manifest["scripts"] = {"postinstall": "patch-package"}
    (other.root / "package.json").write_text(json.dumps(manifest))
    done = other.npm("install")
    assert done.returncode == 0, done.stdout + done.stderr
    assert other.bytes_of(*files) == patched


def test_without_the_patches_the_calls_are_one(make_app: MakeApp) -> None:
    """The bug is there: else the test above would show nothing."""
    app = make_app(SDK, OWN_PATCHES)
    assert app.npm("install", "--ignore-scripts").returncode == 0
    assert app.turn(*SAME_INDEX) != ["first", "second"]
