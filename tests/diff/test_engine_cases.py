"""Every engine case on real directories: forward, again, back, and untouched where refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from diff.engine_case import EngineCase, lay_out, load, look, memory, times  # noqa: F401
from patchtool.commands.apply_file import FileApplied, apply_file
from patchtool.diff import KINDS

CASES = [*load("engine.jsonl"), *load("engine-neighbours.jsonl")]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> EngineCase:
    """Each case in turn."""
    assert isinstance(request.param, EngineCase)
    return request.param


class Bench:
    """A case on the disk, with a directory beside it that nothing may reach."""

    def __init__(self, case: EngineCase, directory: Path) -> None:
        self.case = case
        self.base = directory / "tree"
        self.outside = directory / "outside"
        self.file = directory / "case.patch"
        self.file.write_bytes(case.patch)
        lay_out(case.before, self.base)
        self.outside.mkdir()
        (self.outside / "keep.txt").write_bytes(b"keep\n")

    def run(self, *, reverse: bool = False, allow_offset: bool | None = None) -> str:
        """One run; the state, or the kind of the error."""
        if allow_offset is None:
            allow_offset = self.case.kind == "offset"
        result: FileApplied = apply_file(
            file=self.file,
            into=self.base,
            strip=self.case.strip,
            reverse=reverse,
            allow_offset=allow_offset,
        )
        assert [path.name for path in self.outside.iterdir()] == ["keep.txt"]
        assert (self.outside / "keep.txt").read_bytes() == b"keep\n"
        document = result.document
        if "error" in document:
            assert document["error"]["kind"] in KINDS
            assert document["error"]["message"]
            return f"error:{document['error']['kind']}"
        return str(document["state"])


@pytest.fixture
def bench(case: EngineCase, tmp_path: Path) -> Bench:
    """The case laid out."""
    return Bench(case, tmp_path)


def test_forward(bench: Bench) -> None:
    """The patch makes the expected tree, or is refused with the expected kind."""
    expect = bench.case.expect
    before = times(bench.base)
    state = bench.run()
    assert state == {"ok": "applied"}.get(expect["forward"], expect["forward"])
    if state == "applied":
        assert look(bench.base) == bench.case.expected("after")
    else:
        assert look(bench.base) == bench.case.before
        assert times(bench.base) == before


def test_second_run(bench: Bench) -> None:
    """A second run says so and touches nothing, not even a time."""
    if bench.run().startswith("error:"):
        return
    before = times(bench.base)
    assert bench.run() == bench.case.expect.get("reapply", "already-applied")
    assert times(bench.base) == before


def test_reverse(bench: Bench) -> None:
    """The reverse gives the first tree back byte for byte; a second reverse changes nothing."""
    expect = bench.case.expect
    if bench.run().startswith("error:"):
        return
    after = look(bench.base)
    state = bench.run(reverse=True)
    if expect.get("reverse", "ok") != "ok":
        assert state == expect["reverse"]
        assert look(bench.base) == after
        return
    assert state == "reversed"
    name = "reverse_after" if "reverse_after" in expect else None
    if name is not None or expect["forward"] == "ok":
        assert look(bench.base) == (bench.case.expected(name) if name else bench.case.before)
    before = times(bench.base)
    assert bench.run(reverse=True) == "already-reversed"
    assert times(bench.base) == before


def test_offsets_are_refused_unless_allowed(bench: Bench) -> None:
    """Without the flag a hunk that fits elsewhere is refused; with it no other case changes."""
    expect = bench.case.expect["forward"]
    if bench.case.kind == "offset" and expect == "ok":
        assert bench.run(allow_offset=False) == "error:offset"
        assert look(bench.base) == bench.case.before
    else:
        assert bench.run(allow_offset=True) == {"ok": "applied"}.get(expect, expect)
