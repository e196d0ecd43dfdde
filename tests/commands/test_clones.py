"""Fresh clones, where nothing is installed yet: the lockfiles say what a project will get."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app_making import App
from patch_making import file, patch_text
from patchtool.package import Package

from .conftest import Patchtool
from .world import Kept

CASES = Path(__file__).parent.parent / "lockfiles/cases"
OLD, NEW = file("old\n"), file("new\n")

# What each case's lockfile is called in the clone, and whether it has integrities to compare.
NPM = {
    ("npm-1", "package-lock.json"): True,
    ("npm-2", "package-lock.json"): True,
    ("npm-3", "package-lock.json"): True,
    ("npm-3", "npm-shrinkwrap.json"): True,
    ("pnpm-5", "pnpm-lock.yaml"): True,
    ("pnpm-6", "pnpm-lock.yaml"): True,
    ("pnpm-9", "pnpm-lock.yaml"): True,
    ("yarn-1", "yarn.lock"): True,
    ("yarn-4", "yarn.lock"): False,
    ("bun-2", "bun.lock"): True,
}
PYPI = (("uv", "uv.lock"), ("pylock", "pylock.toml"), ("requirements", "requirements.txt"))


def clone(root: Path, case: tuple[str, str], *packages: Package) -> App:
    """An app with the lockfile of a case and a patch of each package, and no package."""
    app = App(root)
    directory, name = case
    (lockfile,) = (CASES / directory).iterdir()
    shutil.copy(lockfile, root / name)
    for package in packages:
        within = f"node_modules/{package.name}/" if package.ecosystem == "npm" else ""
        path = app.patches / f"{package.name.replace('/', '+')}+{package.version}.patch"
        path.write_bytes(patch_text({"x": (OLD, NEW)}, within))
    app.manifest(*([package.purl] for package in packages))
    app.lock({str(package): {"x": OLD} for package in packages})
    return app


@pytest.mark.parametrize("case", NPM, ids=" as ".join)
def test_status_of_a_clone(tmp_path: Path, patchtool: Patchtool, case: tuple[str, str]) -> None:
    """What will be installed, another integrity, and a fork from git under the pinned name."""
    utils = Package(ecosystem="npm", name="@ai-sdk/provider-utils", version="5.0.11")
    forked = Package(ecosystem="npm", name="forked", version="1.0.0")
    clone(tmp_path / "app", case, utils, forked)
    ran = patchtool("status")
    assert ran.code == 1
    assert f"{case[1]} will install @ai-sdk/provider-utils 5.0.11\n" in ran.out
    assert ran.out.count("is not installed, so ") == 2
    kinds = [each["kind"] for each in patchtool("status", "--json").json["problems"]]
    assert kinds.count("lockfile-integrity") == NPM[case]
    assert kinds.count("lockfile-source") == 1
    assert "found: a git address" in ran.out


@pytest.mark.parametrize("case", PYPI, ids=" as ".join)
def test_status_of_a_clone_in_python(
    tmp_path: Path, patchtool: Patchtool, case: tuple[str, str]
) -> None:
    """The same for the lockfiles of Python's tools."""
    clone(tmp_path / "app", case, Package(ecosystem="pypi", name="forked-py", version="1.0.0"))
    ran = patchtool("status")
    assert ran.code == 1
    assert f"{case[1]} will install forked-py " in ran.out
    assert "is not installed, so forked-py+1.0.0.patch cannot go on" in ran.out
    assert "found: a git address" in ran.out


ADDRESS = "https://registry.invalid/lead/-/lead-{}.tgz"
INTEGRITY = "sha512-" + "A" * 86 + "=="


def entry(version: str) -> dict[str, str]:
    """What npm's lockfiles have of a release."""
    return {"version": version, "resolved": ADDRESS.format(version), "integrity": INTEGRITY}


def lockfiles(version: str) -> dict[str, str]:
    """Each format's smallest lockfile that resolves the lead; npm's one file has three."""
    packages = {"": {}, "node_modules/lead": entry(version)}
    first = {"lockfileVersion": 1, "dependencies": {"lead": entry(version)}}
    bun = {
        "lockfileVersion": 1,
        "workspaces": {"": {"name": "app", "dependencies": {"lead": version}}},
        "packages": {"lead": [f"lead@{version}", "", {}, INTEGRITY]},
    }
    return {
        "package-lock.json 1": json.dumps(first),
        "package-lock.json 2": json.dumps(
            {"lockfileVersion": 2, "packages": packages, "dependencies": {"lead": entry(version)}}
        ),
        "package-lock.json 3": json.dumps({"lockfileVersion": 3, "packages": packages}),
        "npm-shrinkwrap.json": json.dumps({"lockfileVersion": 3, "packages": packages}),
        "pnpm-lock.yaml": f"lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n"
        f"      lead:\n        specifier: {version}\n        version: {version}\n"
        f"packages:\n  lead@{version}:\n    resolution: {{integrity: {INTEGRITY}}}\n"
        f"snapshots:\n  lead@{version}: {{}}\n",
        "yarn.lock 1": f'# yarn lockfile v1\n\n\nlead@{version}:\n  version "{version}"\n'
        f'  resolved "{ADDRESS.format(version)}"\n  integrity {INTEGRITY}\n',
        "yarn.lock 4": "__metadata:\n  version: 8\n  cacheKey: 10c0\n\n"
        f'"lead@npm:{version}":\n  version: {version}\n  resolution: "lead@npm:{version}"\n'
        f"  checksum: 10c0/{'0' * 128}\n  languageName: node\n  linkType: hard\n",
        "bun.lock": json.dumps(bun),
    }


def test_candidate_of_a_clone_is_what_its_lockfile_gives(kept: Kept, patchtool: Patchtool) -> None:
    """Every format by itself: should-delete judges that release and names the lockfile."""
    for name, text in lockfiles("1.0.1").items():
        path = kept.root / name.split()[0]
        path.write_text(text)
        ran = patchtool("should-delete", "--json")
        (pin,) = ran.json["pins"]
        assert (ran.code, pin["verdict"]["word"]) == (1, "KEEP"), name
        reason = f"1.0.1 is what {path.name} will install here"
        assert pin["candidate"]["reason"] == reason, name
        path.unlink()


def test_proof_counts_what_the_lockfile_gives(kept: Kept, patchtool: Patchtool) -> None:
    """check-pristine: other bytes in a lockfile under the pinned name and version are a no."""
    assert patchtool("lock").code == 0
    path = kept.root / "package-lock.json"
    for version, source, kind in (
        ("1.0.1", "", None),
        ("1.0.0", "", "lockfile-integrity"),
        ("1.0.0", "git+ssh://git@git.invalid/team/lead.git#0123456", "lockfile-source"),
        ("1.0.0", "https://files.invalid/lead-1.0.0.tar.gz", "lockfile-source"),
    ):
        lead = entry(version) | ({"resolved": source} if source else {})
        packages = {"": {}, "node_modules/lead": lead}
        path.write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
        document = patchtool("check-pristine", "--json").json
        found = [each["kind"] for each in document["problems"]]
        assert (document["answer"], found) == (("no", [kind]) if kind else ("yes", []))
    ran = patchtool("check-pristine")
    assert (ran.code, "lead@1.0.0: package-lock.json: the lockfile takes" in ran.out) == (1, True)
