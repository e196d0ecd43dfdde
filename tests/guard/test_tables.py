"""The tables of patches/README.md are what the cases give."""

from __future__ import annotations

from pathlib import Path

import pytest

import tables
from streamed_tool_calls.cases import BOUNDARY, read
from tool_call_shapes.stream import WIRE, load


def test_the_tables_are_not_stale(capsys: pytest.CaptureFixture[str]) -> None:
    """The page in the repository is what the cases give today."""
    assert tables.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_page_is_found_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row taken away is stale, with the command that helps; running that puts it back."""
    page = tmp_path / "README.md"
    right = tables.README.read_text(encoding="utf-8")
    lines = right.splitlines(keepends=True)
    gone = next(place for place, line in enumerate(lines) if line.startswith("| Ollama "))
    page.write_text("".join(lines[:gone] + lines[gone + 1 :]), encoding="utf-8")
    monkeypatch.setattr(tables, "README", page)
    assert tables.main(["--check"]) == 1
    assert "try: python guard/tables.py" in capsys.readouterr().out
    assert tables.main([]) == 0
    assert page.read_text(encoding="utf-8") == right


def test_every_sample_is_shown_with_its_source() -> None:
    """Each wire sample has a row that links its report and says how it is known."""
    rows = tables.gateways(load(WIRE)).splitlines()[2:]
    for row, stream in zip(rows, load(WIRE), strict=True):
        repository, number = stream.source.split("#")
        assert f"(https://github.com/{repository}/issues/{number})" in row
        assert row.startswith(f"| {stream.gateway} | ")
        assert row.endswith(("captured |", "described |"))


def test_every_boundary_case_says_what_is_lost() -> None:
    """Each boundary case has a row, with what is kept and what is lost of its turn."""
    cases = read(BOUNDARY)
    rows = tables.boundary(cases).splitlines()[2:]
    assert len(rows) == len(cases) > 0
    for row, case in zip(rows, cases, strict=True):
        assert case.kept
        assert case.lost
        assert row == f"| {case.stream.shape} | {case.kept} | {case.lost} |"


def test_a_page_without_a_place_is_refused() -> None:
    """A missing marker is an error, never a table lost in silence."""
    with pytest.raises(ValueError, match="no <!-- gateways"):
        tables.fill("# Nothing here", {"gateways": "|"})
