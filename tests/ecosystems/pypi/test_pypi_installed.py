import base64
import csv
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool.ecosystems import Copy
from patchtool.ecosystems.pypi import companions, install_command, installed, path_in_package
from patchtool.errors import CannotTell
from patchtool.files import File
from patchtool.package import Package

Pip = Callable[..., str]
Wheels = Callable[..., Path]


def find(root: Path, name: str = "demo", **variables: str) -> tuple[Copy, ...]:
    """The installed copies, as seen with these variables."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root)} | variables
    return installed(root, [name], environment)[name]


def site(venv: Path) -> Path:
    """Where an environment has its packages."""
    return next(venv.glob("lib/python*/site-packages"))


def plant(directory: Path, version: str = "1.2.0") -> None:
    """Install a package as far as it takes to be found."""
    info = directory / f"demo-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: demo\nVersion: {version}\n")


def write(copy: Copy, changes: dict[str, File | None]) -> None:
    """Make changes and their companions, as `apply` does: by replacement."""
    for path, file in {**changes, **companions(copy, changes)}.items():
        target = copy.directory / path
        target.unlink(missing_ok=True)
        if file is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.data)


@pytest.mark.parametrize("variable", ["PATCHTOOL_PYTHON", "VIRTUAL_ENV"])
def test_a_package_is_found_in_the_named_environment(
    venv: Path, pip: Pip, wheels: Wheels, tmp_path: Path, variable: str
) -> None:
    """What pip installed is there, with its version and its site-packages."""
    wheels("demo", "1.2.0")
    pip("install", "demo")
    expected = Copy(name="demo", version="1.2.0", directory=site(venv))
    assert find(tmp_path, **{variable: str(venv)}) == (expected,)


def test_an_interpreter_may_be_named(venv: Path, tmp_path: Path) -> None:
    """PATCHTOOL_PYTHON may be a program, and goes before the active environment."""
    plant(site(venv))
    found = find(tmp_path, PATCHTOOL_PYTHON=str(venv / "bin/python"), VIRTUAL_ENV="/nowhere")
    assert [copy.version for copy in found] == ["1.2.0"]


def test_the_environment_under_the_root_is_the_default(venv: Path, tmp_path: Path) -> None:
    """Without variables, .venv beside the patches is looked into."""
    plant(site(venv))
    (tmp_path / ".venv").symlink_to(venv)
    assert [copy.version for copy in find(tmp_path)] == ["1.2.0"]


@pytest.mark.parametrize("named", [{}, {"VIRTUAL_ENV": "venv"}, {"VIRTUAL_ENV": "venv/bin/python"}])
def test_relative_paths_start_here(
    venv: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: dict[str, str],
) -> None:
    """A root and an environment may be named from the current directory."""
    plant(site(venv))
    (tmp_path / ".venv").symlink_to(venv)
    monkeypatch.chdir(tmp_path)
    assert [copy.version for copy in find(Path(), **named)] == ["1.2.0"]


def test_else_the_python_that_runs_counts(tmp_path: Path) -> None:
    """Without any environment, the interpreter's own packages are found."""
    assert [copy.name for copy in find(tmp_path, "pytest")] == ["pytest"]


def test_a_target_directory_may_be_named(pip: Pip, wheels: Wheels, tmp_path: Path) -> None:
    """What `pip install --target` made is found when it is named."""
    wheels("demo", "1.2.0")
    target = tmp_path / "lib"
    pip("install", "--target", target, "demo")
    found = find(tmp_path, PATCHTOOL_PYTHON=str(target))
    assert found == (Copy(name="demo", version="1.2.0", directory=target),)


def test_a_target_directory_on_the_path_is_found(venv: Path, tmp_path: Path) -> None:
    """The copy that Python imports is the one: PYTHONPATH goes before site-packages."""
    plant(site(venv))
    plant(tmp_path / "lib", "1.3.0")
    found = find(tmp_path, VIRTUAL_ENV=str(venv), PYTHONPATH=str(tmp_path / "lib"))
    assert [copy.version for copy in found] == ["1.3.0"]


def test_names_have_many_spellings(venv: Path, tmp_path: Path) -> None:
    """Case, dots, dashes and underscores do not matter; a longer name is another package."""
    for directory in ("Foo_Bar.baz-1.0.dist-info", "foo_bar-2.0.dist-info"):
        (site(venv) / directory).mkdir()
        (site(venv) / directory / "METADATA").write_text(f"Name: x\nVersion: {directory[-13:-10]}")
    found = find(tmp_path, "foo-bar-baz", VIRTUAL_ENV=str(venv))
    assert [copy.version for copy in found] == ["1.0"]


def test_what_is_not_installed_is_an_empty_tuple(venv: Path, tmp_path: Path) -> None:
    """Each asked name has its answer."""
    assert find(tmp_path, "nothing-of-this-name", VIRTUAL_ENV=str(venv)) == ()


def test_an_editable_install_is_refused(venv: Path, tmp_path: Path) -> None:
    """Its files are somebody's source tree."""
    source = tmp_path / "source"
    source.mkdir()
    info = site(venv) / "demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: demo\nVersion: 1.0\n")
    origin = {"url": source.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(origin))
    with pytest.raises(CannotTell) as caught:
        find(tmp_path, VIRTUAL_ENV=str(venv))
    assert caught.value.problem.kind == "editable"
    assert source.as_uri() in caught.value.problem.what


def test_an_install_from_an_address_is_refused(
    venv: Path, pip: Pip, wheels: Wheels, tmp_path: Path
) -> None:
    """Name and version of a wheel from anywhere do not say what is in it."""
    wheel = wheels("demo", "1.2.0")
    pip("install", wheel)
    with pytest.raises(CannotTell) as caught:
        find(tmp_path, VIRTUAL_ENV=str(venv))
    assert caught.value.problem.kind == "direct-url"
    assert wheel.as_uri() in caught.value.problem.what


def test_a_broken_origin_is_refused(venv: Path, tmp_path: Path) -> None:
    """A direct_url.json that cannot be read still says that no index was used."""
    info = site(venv) / "demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: demo\nVersion: 1.0\n")
    (info / "direct_url.json").write_text("[")
    with pytest.raises(CannotTell, match="not installed from an index"):
        find(tmp_path, VIRTUAL_ENV=str(venv))


def test_development_mode_is_refused(venv: Path, tmp_path: Path) -> None:
    """An .egg-info marks a source tree or an install without a wheel."""
    (site(venv) / "demo.egg-info").mkdir()
    with pytest.raises(CannotTell, match="development mode"):
        find(tmp_path, VIRTUAL_ENV=str(venv))


def test_two_versions_in_one_directory_are_refused(venv: Path, tmp_path: Path) -> None:
    """A broken upgrade leaves two metadata directories: either may be the true one."""
    for version in ("1.0", "1.1"):
        (site(venv) / f"demo-{version}.dist-info").mkdir()
    with pytest.raises(CannotTell, match="twice"):
        find(tmp_path, VIRTUAL_ENV=str(venv))


@pytest.mark.parametrize("metadata", [None, "", "Name: demo\n\nVersion: 1.0\n"])
def test_an_install_without_metadata_is_refused(
    venv: Path, tmp_path: Path, metadata: str | None
) -> None:
    """A broken install does not tell its version; a description does not either."""
    (site(venv) / "demo-1.0.dist-info").mkdir()
    if metadata is not None:
        (site(venv) / "demo-1.0.dist-info/METADATA").write_text(metadata)
    with pytest.raises(CannotTell, match="no METADATA"):
        find(tmp_path, VIRTUAL_ENV=str(venv))


def test_a_package_in_a_zip_is_refused(venv: Path, wheels: Wheels, tmp_path: Path) -> None:
    """A zip on the path is named: nothing is written into it."""
    wheel = wheels("demo", "1.2.0")
    with pytest.raises(CannotTell) as caught:
        find(tmp_path, VIRTUAL_ENV=str(venv), PYTHONPATH=str(wheel))
    assert caught.value.problem.kind == "zip"
    assert zipfile.is_zipfile(wheel)
    assert find(tmp_path, "other", VIRTUAL_ENV=str(venv), PYTHONPATH=str(wheel)) == ()


@pytest.mark.parametrize("place", ["/nowhere/at/all", "no-such-python-anywhere"])
def test_an_environment_that_is_not_there_is_named(place: str, tmp_path: Path) -> None:
    """A stale VIRTUAL_ENV is an error, not an empty environment."""
    with pytest.raises(CannotTell) as caught:
        find(tmp_path, VIRTUAL_ENV=place)
    assert caught.value.problem.path == place


def test_a_program_that_is_no_python_is_named(tmp_path: Path) -> None:
    """PATCHTOOL_PYTHON must answer like a Python."""
    with pytest.raises(CannotTell, match="does not run as a Python"):
        find(tmp_path, PATCHTOOL_PYTHON=shutil.which("true") or "")


def test_a_release_is_installed_in_place_of_a_copy(tmp_path: Path) -> None:
    """The command goes over a copy of the same version, and into its own directory."""
    package = Package(ecosystem="pypi", name="demo", version="1.0")
    site_copy = Copy(name="demo", version="1.0", directory=tmp_path / "site-packages")
    target_copy = Copy(name="demo", version="1.0", directory=tmp_path / "lib")
    plain = "pip install --force-reinstall --no-deps demo==1.0"
    assert install_command(package, tmp_path, {}, site_copy) == plain
    assert f"--upgrade --target {tmp_path}/lib demo==1.0" in install_command(
        package, tmp_path, {}, target_copy
    )


def test_a_release_is_installed_in_the_environment_of_its_copy(tmp_path: Path) -> None:
    """The pip that the shell finds first may be that of another."""
    environment = tmp_path / "an app/.venv"
    (environment / "lib/python3.11/site-packages").mkdir(parents=True)
    (environment / "pyvenv.cfg").touch()
    copy = Copy(name="demo", version="1.0", directory=environment / "lib/python3.11/site-packages")
    package = Package(ecosystem="pypi", name="demo", version="1.0")
    command = install_command(package, tmp_path, {}, copy)
    assert command.startswith(f"pip --python '{environment}' install --force-reinstall")


def test_a_release_that_is_missing_is_installed_where_it_is_looked_for(
    venv: Path, tmp_path: Path
) -> None:
    """In the active environment, in the project's own, or in the directory that is named."""
    package = Package(ecosystem="pypi", name="demo", version="1.0")
    install = "install --force-reinstall --no-deps"
    active = install_command(package, tmp_path, {"VIRTUAL_ENV": str(venv)})
    assert active == f"pip --python {shlex.quote(str(venv))} {install} demo==1.0"
    (tmp_path / ".venv").symlink_to(venv)
    assert install_command(package, tmp_path, {}).startswith("pip --python ")
    target = tmp_path / "library"
    target.mkdir()
    named = install_command(package, tmp_path, {"PATCHTOOL_PYTHON": str(target)})
    assert named == f"pip {install} --upgrade --target {shlex.quote(str(target))} demo==1.0"
    nowhere = install_command(package, tmp_path, {"PATCHTOOL_PYTHON": str(tmp_path / "none")})
    assert nowhere == f"pip {install} demo==1.0"


def test_what_cannot_be_patched_is_installed_anew_in_its_environment(
    venv: Path, tmp_path: Path
) -> None:
    """There, too, the pip that the shell finds first may be that of another."""
    (site(venv) / "demo.egg-info").mkdir()
    with pytest.raises(CannotTell) as caught:
        find(tmp_path, VIRTUAL_ENV=str(venv))
    remedy = caught.value.problem.remedy or ""
    assert (
        remedy == f"pip --python {shlex.quote(str(venv))} install --force-reinstall --no-deps demo"
    )


def test_no_shell_reads_a_version() -> None:
    """An epoch has a `!`, at which a shell looks back into its history."""
    package = Package(ecosystem="pypi", name="demo", version="1!2.0")
    assert install_command(package, Path(), {}).endswith(" 'demo==1!2.0'")


def test_paths_start_at_site_packages() -> None:
    """A patch names files as they stand in site-packages."""
    assert path_in_package("demo/lib/a.py", "demo") == "demo/lib/a.py"


PACKAGE = {"demo/__init__.py": b"", "demo/a.py": b"value = 1\n", "demo/b.py": b"", "demo/x,y": b"1"}


@pytest.fixture
def demo(venv: Path, pip: Pip, wheels: Wheels, tmp_path: Path) -> Copy:
    """An installed package of several files, compiled by pip."""
    wheels("demo", "1.2.0", PACKAGE)
    pip("install", "demo")
    return find(tmp_path, VIRTUAL_ENV=str(venv))[0]


CHANGES: dict[str, File | None] = {
    "demo/a.py": File(data=b"value = 2\n"),
    "demo/new/c.py": File(data=b"c = 1\n"),
    "demo/b.py": None,
    "demo/x,y": File(data=b"22"),
}


def test_stale_bytecode_goes(demo: Copy) -> None:
    """Each compiled form of what changes goes, whatever made it, and nothing else does."""
    cache = demo.directory / "demo/__pycache__"
    for name in ("a.cpython-311.opt-1.pyc", "a.pypy310.pyc", "ab.cpython-311.pyc"):
        (cache / name).touch()
    found = {path for path, file in companions(demo, CHANGES).items() if file is None}
    own = f"demo/__pycache__/{{}}.{sys.implementation.cache_tag}.pyc"
    more = {"demo/__pycache__/a.cpython-311.opt-1.pyc", "demo/__pycache__/a.pypy310.pyc"}
    assert found == {own.format("a"), own.format("b")} | more


def test_an_edit_that_keeps_size_and_time_is_seen(demo: Copy, venv: Path) -> None:
    """Without the stale bytecode Python runs what is there."""
    path = demo.directory / "demo/a.py"
    times = path.stat().st_mtime_ns
    write(demo, {"demo/a.py": CHANGES["demo/a.py"]})
    os.utime(path, ns=(times, times))
    done = subprocess.run(
        [venv / "bin/python", "-c", "import demo.a; print(demo.a.value)"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == b"2\n"


def test_record_is_true_afterwards(demo: Copy) -> None:
    """Every file that RECORD lists is there with this hash and size; what is new is listed."""
    write(demo, CHANGES)
    record = demo.directory / "demo-1.2.0.dist-info/RECORD"
    listed = {path: (digest, size) for path, digest, size in csv.reader(record.open(newline=""))}
    assert "demo/new/c.py" in listed
    assert "demo/b.py" not in listed
    for path, (digest, size) in listed.items():
        if digest:
            data = (demo.directory / path).read_bytes()
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={found}", len(data)), path


def test_pip_is_content_and_leaves_nothing_behind(demo: Copy, pip: Pip) -> None:
    """`pip check` finds nothing, and `pip uninstall` removes the patched and the new files."""
    write(demo, CHANGES)
    assert "No broken requirements" in pip("check")
    pip("uninstall", "--yes", "demo")
    assert [path for path in demo.directory.iterdir() if "demo" in path.name] == []


def test_the_reverse_restores_record(demo: Copy) -> None:
    """Patching and taking it back leaves RECORD as pip wrote it, byte for byte."""
    record = demo.directory / "demo-1.2.0.dist-info/RECORD"
    before = record.read_bytes()
    write(demo, CHANGES)
    assert record.read_bytes() != before
    pristine = {path: File(data=PACKAGE[path]) if path in PACKAGE else None for path in CHANGES}
    write(demo, pristine)
    assert record.read_bytes() == before


def test_without_record_there_is_none(demo: Copy) -> None:
    """Some distributors leave RECORD out: then there is nothing to keep true."""
    (demo.directory / "demo-1.2.0.dist-info/RECORD").unlink()
    assert not [path for path in companions(demo, CHANGES) if path.endswith("RECORD")]


@pytest.mark.parametrize(
    "linked", ["demo-1.2.0.dist-info", "demo-1.2.0.dist-info/RECORD", "__pycache__"]
)
def test_what_is_behind_a_link_is_not_changed(tmp_path: Path, linked: str) -> None:
    """RECORD and bytecode that a link leads to are somebody else's: the package is refused."""
    plant(tmp_path / "site")
    (tmp_path / "site/demo-1.2.0.dist-info/RECORD").write_text("demo.py,,\n")
    (tmp_path / "site/__pycache__").mkdir()
    (tmp_path / "site/__pycache__/demo.cpython-311.pyc").write_bytes(b"stale")
    (tmp_path / "site" / linked).rename(tmp_path / "elsewhere")
    (tmp_path / "site" / linked).symlink_to(tmp_path / "elsewhere")
    copy = Copy(name="demo", version="1.2.0", directory=tmp_path / "site")
    with pytest.raises(CannotTell, match="behind a link"):
        companions(copy, {"demo.py": File(data=b"new")})


def test_metadata_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A pipe is not waited for, a terabyte not read, and deep nesting is no traceback."""
    plant(tmp_path / "site")
    place = {"PATCHTOOL_PYTHON": str(tmp_path / "site")}
    info = tmp_path / "site/demo-1.2.0.dist-info"
    (info / "direct_url.json").write_text('{"a":' * 100_000)
    with pytest.raises(CannotTell, match="not installed from an index"):
        find(tmp_path, **place)
    os.truncate(info / "METADATA", 1 << 40)
    with pytest.raises(CannotTell, match="cannot be read: too large"):
        find(tmp_path, **place)
    (info / "METADATA").unlink()
    os.mkfifo(info / "METADATA")
    with pytest.raises(CannotTell, match="cannot be read: not a plain file"):
        find(tmp_path, **place)
