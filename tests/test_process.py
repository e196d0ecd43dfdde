"""Runs real programs, all of them this Python: limits, process groups, environment, redaction."""

import os
import signal
import sys
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from patchtool import process
from patchtool.errors import CannotTell


def python(code: str, directory: Path, *, timeout: float = 20, **options: Any) -> process.Completed:
    """Run a piece of Python; it sees nothing but a PATH unless the test says otherwise."""
    environment = options.pop("environment", {"PATH": os.defpath})
    return process.run(
        [sys.executable, "-c", code],
        directory=directory,
        environment=environment,
        timeout=timeout,
        **options,
    )


def ends(pid: int, within: float = 5) -> bool:
    """Whether the process is gone, or a zombie of another parent, within some seconds."""
    limit = time.monotonic() + within
    while time.monotonic() < limit:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_gives_code_and_bytes_of_both_streams(tmp_path: Path) -> None:
    """Exit code, stdout and stderr come back as they were, bytes included."""
    code = "import sys; sys.stdout.buffer.write(b'\\xff\\0'); sys.stderr.write('no'); sys.exit(7)"
    done = python(code, tmp_path)
    assert (done.code, done.stdout, done.stderr) == (7, b"\xff\0", b"no")


def test_input_larger_than_a_pipe_reaches_the_program(tmp_path: Path) -> None:
    """A megabyte of input arrives whole, and one that nobody reads blocks nothing."""
    data = b"x" * 1_000_000
    assert python(
        "import sys; print(len(sys.stdin.buffer.read()))", tmp_path, input=data
    ).stdout == (b"1000000\n")
    assert python("pass", tmp_path, input=data).code == 0


def test_program_sees_only_the_environment_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of patchtool's own environment leaks into a run."""
    monkeypatch.setenv("LEAK", "1")
    out = python("import os; print(sorted(os.environ))", tmp_path, environment={"A": "b"}).stdout
    assert b"'A'" in out
    assert b"LEAK" not in out


def test_limit_kills_the_whole_group_and_keeps_the_output(tmp_path: Path) -> None:
    """At the time limit a grandchild dies too, and what was said until then is kept."""
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    with pytest.raises(process.TimedOut) as caught:
        python(code, tmp_path, timeout=1.5)
    assert "1.5 seconds" in caught.value.problem.what
    assert ends(int(caught.value.stdout))


def test_grandchild_left_behind_is_killed_and_not_waited_for(tmp_path: Path) -> None:
    """A run ends with its program, although a child of it keeps the pipes open."""
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(p.pid)"
    )
    started = time.monotonic()
    done = python(code, tmp_path, timeout=30)
    assert done.code == 0
    assert time.monotonic() - started < 10
    assert ends(int(done.stdout))


def test_interrupt_kills_the_group(tmp_path: Path) -> None:
    """Ctrl-C in patchtool ends the program that runs, and is passed on."""
    pid_file = tmp_path / "pid"
    code = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    def interrupt() -> None:
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        python(code, tmp_path)
    assert ends(int(pid_file.read_text()))


def test_stop_kills_a_run_in_a_thread(tmp_path: Path) -> None:
    """A run whose `stop` is set ends long before its limit, as one that gave no answer."""
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(CannotTell, match="was stopped") as caught:
        python("import time; time.sleep(60)", tmp_path, timeout=60, stop=stop)
    timer.join()
    assert caught.value.problem.kind == "stopped"
    assert time.monotonic() - started < 20


def test_endless_output_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long output the first and last part are kept, and a note says how much is missing.

    The middle is dropped as it comes: one that never ends takes no memory.
    """
    monkeypatch.setattr(process, "OUTPUT_LIMIT", 1000)
    tracemalloc.start()
    try:
        out = python("print('a' + 'x' * 10_000_000 + 'z')", tmp_path).stdout
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert len(out) < 1100
    assert out.startswith(b"ax")
    assert out.endswith(b"xz\n")
    assert b"[9999003 bytes left out]" in out


def test_program_that_cannot_start_is_named(tmp_path: Path) -> None:
    """A program that is not there is CannotTell with its name, not an OSError."""
    with pytest.raises(CannotTell) as caught:
        process.run([tmp_path / "none"], directory=tmp_path, environment={}, timeout=1)
    assert caught.value.problem.subject == "none"


def test_clean_environment_keeps_the_network_and_drops_the_rest() -> None:
    """Proxies, authorities, PATH and locale pass; NODE_OPTIONS, tokens and npm's own do not."""
    environment = {
        "PATH": "/bin",
        "https_proxy": "p",
        "NODE_EXTRA_CA_CERTS": "c",
        "LC_ALL": "C",
        "NODE_OPTIONS": "--require evil",
        "NPM_TOKEN": "t",
        "npm_config_registry": "r",
        "PYTHONPATH": "x",
    }
    kept = process.clean(environment, also=["NPM_TOKEN"])
    assert set(kept) == {"PATH", "https_proxy", "NODE_EXTRA_CA_CERTS", "LC_ALL", "NPM_TOKEN"}


def test_secrets_are_redacted() -> None:
    """No form in which npm or a proxy writes a secret survives."""
    text = (
        "proxy http://joe:s3cret@proxy.invalid/ //r.invalid/:_authToken=s3cret "
        "Authorization: Bearer s3cret _password=s3cret"
    )
    clean = process.redact(text)
    assert "s3cret" not in clean
    assert "proxy.invalid" in clean
