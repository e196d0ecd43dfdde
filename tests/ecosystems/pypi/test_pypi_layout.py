import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from patchtool import stack
from patchtool.ecosystems import pypi
from patchtool.ecosystems.pypi.interpreter import command
from patchtool.errors import CannotTell
from patchtool.files import File
from patchtool.package import Package
from patchtool.store import Store
from pypi_index import Index

MakeStore = Callable[..., Store]
LEAD = Package(ecosystem="pypi", name="lead", version="1.0")


@pytest.fixture
def lead(index: Index) -> Index:
    """An index with a package that needs another, of which there are two releases."""
    index.release("lead", "1.0", requires=("needed>=1",))
    index.release("needed", "1.0")
    index.serve()
    return index


def run(directory: Path, source: str, tmp_path: Path, *arguments: str) -> Any:
    """What a script prints as JSON in a stack."""
    script = tmp_path / "script.py"
    script.write_text(source)
    done = subprocess.run(
        [*command(directory), script, *arguments], capture_output=True, timeout=60, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_a_stack_has_the_packages_and_what_they_need(lead: Index, pypi_store: MakeStore) -> None:
    """Both are installed, as pip installs them, and only once."""
    store = pypi_store()
    directory = pypi.lay_out([LEAD], store)
    assert pypi.package_directory(directory, "lead") == directory
    assert {"lead.py", "needed.py", "lead-1.0.dist-info"} <= {
        path.name for path in directory.iterdir()
    }
    assert not list(directory.rglob("direct_url.json"))
    asked = len(lead.server.requests)
    assert pypi.lay_out([LEAD], store) == directory
    assert len(lead.server.requests) == asked


def test_what_was_resolved_once_stays(lead: Index, pypi_store: MakeStore) -> None:
    """A newer release of what is needed changes nothing; even offline the same tree is made."""
    first = pypi.lay_out([LEAD], pypi_store())
    before = stack.digest(first)
    lead.release("needed", "2.0")
    lead.serve()
    subprocess.run(["chmod", "-R", "u+w", first], check=True, timeout=60)
    shutil.rmtree(first)
    again = pypi.lay_out([LEAD], pypi_store(offline=True))
    assert (again / "needed-1.0.dist-info").is_dir()
    assert stack.digest(again) == before


@pytest.mark.usefixtures("lead")
def test_a_wheel_that_left_the_cache_is_fetched_again(
    pypi_store: MakeStore, tmp_path: Path
) -> None:
    """The lock knows the file and its hash."""
    first = pypi.lay_out([LEAD], pypi_store())
    for directory in (first, tmp_path / "cache/artefacts"):
        subprocess.run(["chmod", "-R", "u+w", directory], check=True, timeout=60)
        shutil.rmtree(directory)
    assert (pypi.lay_out([LEAD], pypi_store()) / "needed.py").exists()


@pytest.mark.usefixtures("lead")
def test_offline_an_unknown_stack_is_missing(pypi_store: MakeStore) -> None:
    """Nothing is resolved without the network."""
    with pytest.raises(CannotTell) as caught:
        pypi.lay_out([LEAD], pypi_store(offline=True))
    assert caught.value.problem.kind == "offline"


def test_no_code_of_a_package_runs(
    index: Index, pypi_store: MakeStore, sdist: Callable[..., bytes], tmp_path: Path
) -> None:
    """What has no wheel is not built: it is refused."""
    index.release("lead", "1.0", requires=("needed",))
    setup = f"open({str(tmp_path / 'ran')!r}, 'w')\n".encode()
    index.publish("needed-1.0.tar.gz", sdist("needed", "1.0", {"setup.py": setup}))
    index.serve()
    with pytest.raises(CannotTell) as caught:
        pypi.lay_out([LEAD], pypi_store())
    assert caught.value.problem.kind == "no-release"
    assert "needed" in (caught.value.problem.found or "")
    assert not (tmp_path / "ran").exists()


def test_requirements_that_contradict_each_other_are_told(
    index: Index, pypi_store: MakeStore
) -> None:
    """Two of the asked packages cannot be together."""
    index.release("lead", "1.0", requires=("needed==2.0",))
    index.release("needed", "1.0")
    index.serve()
    needed = Package(ecosystem="pypi", name="needed", version="1.0")
    with pytest.raises(CannotTell) as caught:
        pypi.lay_out([LEAD, needed], pypi_store())
    assert caught.value.problem.kind == "unresolvable"


def test_pip_must_take_the_file_that_is_pinned(index: Index, pypi_store: MakeStore) -> None:
    """A guard on another wheel than the pinned one would prove nothing."""
    index.release("lead", "1.0")
    index.publish("lead-1.0-cp27-cp27m-win32.whl", b"x")
    index.serve()
    named = LEAD.of_file("lead-1.0-cp27-cp27m-win32.whl")
    with pytest.raises(CannotTell, match="another file"):
        pypi.lay_out([named], pypi_store())
    fitting = LEAD.of_file("lead-1.0-py3-none-any.whl")
    assert (pypi.lay_out([fitting], pypi_store()) / "lead.py").exists()


@pytest.mark.usefixtures("lead")
def test_the_users_own_settings_do_not_change_a_stack(
    pypi_store: MakeStore, tmp_path: Path
) -> None:
    """What pip is told to do with other projects does not count."""
    store = pypi_store(PIP_TARGET=str(tmp_path / "elsewhere"), PIP_USER="1", PIP_NO_BINARY=":all:")
    assert (pypi.lay_out([LEAD], store) / "needed.py").exists()
    assert not (tmp_path / "elsewhere").exists()


SEES = """
import importlib.util, json, sys
import lead, needed
others = [name for name in ("pytest", "patchtool") if importlib.util.find_spec(name)]
print(json.dumps([sys.path[0], sys.argv[1:], __name__, lead.value, needed.__file__, others]))
"""


@pytest.mark.usefixtures("lead")
def test_a_script_sees_the_stack_alone(
    pypi_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stack comes first; pytest's own packages and PYTHONPATH stay out; nothing is written."""
    directory = pypi.lay_out([LEAD], pypi_store())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/lead.py").write_text("value = 'wrong'")
    before = sorted(directory.rglob("*"))
    seen = run(directory, SEES, tmp_path, "one", "two")
    assert seen == [
        str(directory), ["one", "two"], "__main__", 1, str(directory / "needed.py"), []
    ]  # fmt: skip
    assert sorted(directory.rglob("*")) == before


@pytest.mark.usefixtures("lead")
def test_a_variant_runs_what_it_says(pypi_store: MakeStore, tmp_path: Path) -> None:
    """A patched file of the same size and time is not run from the bytecode of the other."""
    store = pypi_store()
    directory = pypi.lay_out([LEAD], store)
    source = directory / "lead.py"
    patched = stack.variant(directory, {directory: {"lead.py": File(data=b"value = 2\n")}}, store)
    times = source.stat().st_mtime_ns
    (patched / "lead.py").chmod(0o644)
    os.utime(patched / "lead.py", ns=(times, times))
    script = "import json, lead; print(json.dumps(lead.value))"
    assert [run(place, script, tmp_path) for place in (directory, patched)] == [1, 2]


def test_the_runtime_is_this_python(pypi_store: MakeStore) -> None:
    """Results are kept for one Python; its variables show no other packages."""
    runtime = pypi.runtime(pypi_store(PYTHONPATH="/somewhere"))
    assert "PYTHONPATH" not in runtime.environment
    assert runtime.identity.startswith("cpython-") or runtime.identity.startswith("pypy")


@pytest.mark.network
def test_a_real_stack(make_store: MakeStore, tmp_path: Path) -> None:
    """The real openai is laid out with the user's own pip, and can be imported."""
    store = make_store(environment=dict(os.environ))
    package = Package.from_purl("pkg:pypi/openai@3.57.0")
    integrity = pypi.integrity(package, store)
    files = pypi.artefact(package, integrity, store)
    directory = pypi.lay_out([package], store)
    path = "openai/lib/streaming/_deltas.py"
    assert (directory / path).read_bytes() == files[path].data
    source = (
        "import json, openai.lib.streaming.chat as it\n"
        "print(json.dumps([it.__file__, hasattr(it, 'ChatCompletionStreamState')]))"
    )
    expected = [str(directory / "openai/lib/streaming/chat/__init__.py"), True]
    assert run(directory, source, tmp_path) == expected
