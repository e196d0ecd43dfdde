"""The notation of the constructed cases is read as its head says, and every case can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamed_tool_calls import cases
from tool_call_shapes.stream import WIRE, Call, load


def case(directory: Path, text: str) -> cases.Constructed:
    """The one case of a file with this text."""
    path = directory / "cases.toml"
    path.write_text(f'[[case]]\nname = "a name"\n{text}', encoding="utf-8")
    [found] = cases.read(path)
    return found


def function(name: str | None = None, arguments: object = None) -> dict[str, object]:
    """The `function` of a delta, without what is None."""
    fields = {"name": name, "arguments": arguments}
    return {key: value for key, value in fields.items() if value is not None}


@pytest.mark.parametrize(
    ("line", "delta"),
    [
        ("0 call_a read {", {"index": 0, "id": "call_a", "function": function("read", "{")}),
        ("- - - -", {"function": function()}),
        ("null null null null", {
            "index": None, "id": None, "function": {"name": None, "arguments": None},
        }),
        ('0.5 17 "" ""', {"index": 0.5, "id": 17, "function": function("", "")}),
        ('0 "null" - " a"', {"index": 0, "id": "null", "function": function(None, " a")}),
        ('- - - "a" : 1', {"function": function(None, '"a" : 1')}),
        ("- - - 17", {"function": function(None, "17")}),
        ('- - - ={"a": 1}', {"function": function(None, {"a": 1})}),
    ],
)  # fmt: skip
def test_delta(tmp_path: Path, line: str, delta: dict[str, object]) -> None:
    """Words are JSON or plain text, `-` leaves a field out, and arguments are text."""
    [[read]] = case(tmp_path, f"stream = '{line}'").stream.deltas
    assert read == {**delta, "type": "function"}


def test_whole_delta(tmp_path: Path) -> None:
    """A line in braces is the delta itself, with nothing added."""
    [[read]] = case(tmp_path, "stream = '{\"index\": 0}'").stream.deltas
    assert read == {"index": 0}


def test_chunks(tmp_path: Path) -> None:
    """A line is a chunk of its own, `+` adds to the one before, and `.` is an empty one."""
    read = case(tmp_path, "stream = '''\n0 - - -\n+ 1 - - -\n.\n2 - - -\n'''").stream.deltas
    assert [[delta["index"] for delta in chunk] for chunk in read] == [[0, 1], [], [2]]


def test_calls(tmp_path: Path) -> None:
    """A call is an id, a name and arguments; `*` allows any id, and arguments may be missing."""
    read = case(tmp_path, "stream = ''\ncalls = '''\ncall_a read {\"a\": 1}\n* now\n'''").stream
    assert read.calls == (Call(name="read", arguments='{"a": 1}'), Call(name="now", arguments=""))
    assert read.expect_ids == ("call_a", None)


def test_collected(tmp_path: Path) -> None:
    """`wire` takes the deltas of that sample."""
    [sample] = [stream for stream in load(WIRE) if stream.id == "096"]
    assert case(tmp_path, 'wire = "096"').stream.deltas == sample.deltas


@pytest.mark.parametrize("text", ["", "stream = '0 call_a'", "wire = '000'"])
def test_unreadable(tmp_path: Path, text: str) -> None:
    """A case that cannot be read is named."""
    with pytest.raises(ValueError, match="a name"):
        case(tmp_path, text)


def test_required() -> None:
    """There are at least fifty required cases, each with a name of its own and something to say."""
    read = cases.read(cases.REQUIRED)
    assert len({each.stream.shape for each in read}) == len(read) >= 50
    assert all((each.error is None) == bool(each.stream.calls) for each in read)


def test_boundary() -> None:
    """Each boundary case says what is kept and what is lost; no undecidable sample is left out."""
    read = cases.read(cases.BOUNDARY)
    assert all(each.kept and each.lost for each in read)
    rows = [each.stream.deltas for each in read]
    assert all(stream.deltas in rows for stream in load(WIRE) if not stream.decidable)
