from dataclasses import replace
from hashlib import sha256

import pytest

from patchtool.errors import Problem
from patchtool.files import Identity, Mode
from patchtool.package import Package
from patchtool.project import Change, Lock, LockedPackage, LockedPatch, PatchFile, Project
from patchtool.project.load import current_lock
from patchtool.project.lock import dump
from patchtool.project.stale import altered, stale

from .conftest import Repository

INTEGRITY = "sha512-" + "A" * 86 + "=="


def locked(project: Project) -> Lock:
    """The lock as it would be written for a project."""

    def patch(file: PatchFile) -> LockedPatch:
        after = Identity(blob="1" * 40, mode=Mode.REGULAR)
        return LockedPatch(
            name=file.name,
            sha256=sha256(file.path.read_bytes()).hexdigest(),
            files={"index.js": Change(before=None, after=after)},
        )

    return Lock(
        manifest=project.digest,
        packages=tuple(
            LockedPackage(
                package=package,
                integrity=INTEGRITY,
                patches=tuple(patch(file) for file in pin.patches if file.package == package),
            )
            for fix in project.fixes
            for pin in fix.pins
            for package in pin.packages
        ),
        guards={},
    )


@pytest.fixture
def project(repository: Repository) -> Project:
    """A project with the lock that belongs to it."""
    project = repository.load()
    return replace(project, lock=locked(project))


def problem(
    what: str, subject: str, expected: str | None = None, found: str | None = None
) -> Problem:
    """A finding, with the command that writes the lock anew."""
    return Problem(
        kind="stale",
        what=what,
        subject=subject,
        expected=expected,
        found=found,
        remedy="patchtool lock",
    )


def test_a_lock_that_fits_has_no_findings(project: Project) -> None:
    """A lock just written is as good as its sources."""
    assert stale(project) == ()


def test_no_lock_is_a_finding(project: Project) -> None:
    """Without a lock nothing is recorded."""
    assert stale(replace(project, lock=None)) == (problem("there is no lock", "patches.lock"),)


def test_a_release_that_is_not_locked_is_a_finding(project: Project) -> None:
    """A consumer that was pinned since is missing in the lock."""
    assert project.lock is not None
    lock = replace(project.lock, packages=project.lock.packages[:1])
    assert stale(replace(project, lock=lock)) == (
        problem("pinned, but not in the lock", "consumer@3.0.0"),
    )


def test_a_release_that_is_no_longer_pinned_is_a_finding(project: Project) -> None:
    """What was taken out of the manifest must go from the lock."""
    assert project.lock is not None
    gone = Package(ecosystem="npm", name="gone", version="1.0.0")
    extra = LockedPackage(package=gone, integrity=INTEGRITY, patches=())
    lock = replace(project.lock, packages=(*project.lock.packages, extra))
    assert stale(replace(project, lock=lock)) == (
        problem("in the lock, but no longer pinned", "gone@1.0.0"),
    )


def test_a_patch_that_changed_is_a_finding(repository: Repository, project: Project) -> None:
    """One byte more in a patch file, and the lock is of another patch."""
    repository.patch("@s+lead+1.0.0.patch", "a patch\n\n")
    before = sha256(b"a patch\n").hexdigest()
    after = sha256(b"a patch\n\n").hexdigest()
    assert stale(project) == (
        problem(
            "changed since the lock was written",
            "@s+lead+1.0.0.patch",
            f"SHA-256 {before}",
            after,
        ),
    )


def test_patches_that_came_and_went_are_findings(repository: Repository, project: Project) -> None:
    """Both sides are compared, and everything is collected."""
    (repository.root / "patches" / "@s+lead+1.0.0.patch").rename(
        repository.root / "patches" / "@s+lead+1.0.0+001+x.patch"
    )
    repository.patch("consumer+3.0.0.patch")
    changed = replace(repository.load(), lock=project.lock)
    assert stale(changed) == (
        problem("in the lock, but there is no such patch file", "@s+lead+1.0.0.patch"),
        problem("a patch that is not in the lock", "@s+lead+1.0.0+001+x.patch"),
        problem("a patch that is not in the lock", "consumer+3.0.0.patch"),
    )


def test_a_manifest_that_changed_is_a_finding(repository: Repository, project: Project) -> None:
    """Even a change that touches no package: the lock names the manifest it was written for."""
    repository.append("# a comment\n")
    changed = replace(repository.load(), lock=project.lock)
    assert stale(changed) == (
        problem(
            "changed since the lock was written",
            "patches.toml",
            f"SHA-256 {project.digest}",
            changed.digest,
        ),
    )


def test_a_manifest_that_changed_with_a_patch_is_told_by_the_patch(
    repository: Repository, project: Project
) -> None:
    """What is told names what differs: that the manifest is another one follows from it."""
    repository.append("# a comment\n")
    repository.patch("consumer+3.0.0.patch")
    changed = replace(repository.load(), lock=project.lock)
    assert stale(changed) == (problem("a patch that is not in the lock", "consumer+3.0.0.patch"),)


def test_a_lock_that_was_written_for_the_project_is_not_altered(
    project: Project, repository: Repository
) -> None:
    """What `patchtool lock` wrote is what is there; a project without a lock has none to alter."""
    assert project.lock is not None
    repository.lock.write_bytes(dump(project.lock))
    assert altered(repository.load()) == ()
    assert altered(replace(project, lock=None)) == ()


def test_line_ends_of_the_lock_and_the_manifest_are_no_change(
    project: Project, repository: Repository
) -> None:
    """Git's autocrlf makes CRLF of them in a clone; neither JSON nor TOML means anything else."""
    assert project.lock is not None
    repository.lock.write_bytes(dump(project.lock).replace(b"\n", b"\r\n"))
    repository.manifest.write_bytes(repository.manifest.read_bytes().replace(b"\n", b"\r\n"))
    cloned = repository.load()
    assert (altered(cloned), stale(cloned)) == ((), ())
    assert current_lock(repository.manifest.parent) == project.lock


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1" * 40, "2" * 40),
        ("index.js", "index.ts"),
        ('"guards": {}', '"guards": { }'),
    ],
)
def test_an_altered_lock_is_told(
    project: Project, repository: Repository, old: str, new: str
) -> None:
    """A value, a name or a blank: none can be changed unseen."""
    assert project.lock is not None
    text = dump(project.lock).decode()
    assert old in text
    repository.lock.write_text(text.replace(old, new))
    assert altered(repository.load()) == (
        problem("changed by hand, or by a merge", "patches.lock"),
    )
