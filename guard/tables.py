"""Renders the tables of patches/README.md from the cases: `python guard/tables.py [--check]`.

Owns the text between the markers there, and no other. The cases are the source; it adds no fact.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from streamed_tool_calls.cases import BOUNDARY, REQUIRED, Constructed, read
from tool_call_shapes.stream import WIRE, Stream, load
from tool_call_shapes.sweep import fixed

README = Path(__file__).parents[1] / "patches" / "README.md"


@cache
def tables() -> dict[str, str]:
    """The text for each marker, by the marker's name."""
    wire = load(WIRE)
    lost = read(BOUNDARY)
    return {
        "boundary": boundary(lost),
        "gateways": gateways(wire),
        "prevalence": prevalence(wire, by_hand=len(read(REQUIRED)) + len(lost), swept=len(fixed())),
    }


def boundary(cases: Sequence[Constructed]) -> str:
    """One row for each boundary case: what is on the wire, what is kept of it, what is lost."""
    return _table(
        ("On the wire", "Kept", "Lost"),
        [(case.stream.shape, case.kept, case.lost) for case in cases],
    )


def prevalence(wire: Sequence[Stream], by_hand: int, swept: int) -> str:
    """How much of what the guard knows was seen, told, or made up."""
    kinds = Counter(stream.evidence for stream in wire)
    sources = len({stream.source for stream in wire})
    return "\n".join((
        f"- **Captured**: {kinds['captured sample']} samples. "
        "The report shows the bytes; the names in them were replaced.",
        f"- **Described**: {kinds['described']} samples. "
        "The report says in words what the gateway sends; the bytes were written from that.",
        f"- **Constructed**: {by_hand} cases written by hand, and {swept} streams of the labelled "
        "sweep. No gateway need send them.",
        "",
        f"The samples come from {sources} public reports.",
    ))  # fmt: skip


def gateways(wire: Sequence[Stream]) -> str:
    """One row for each sample, in the order of the file, which keeps like shapes together."""
    return _table(
        ("Gateway", "What it sends", "Report"),
        [
            (
                stream.gateway,
                stream.shape,
                f"{_link(stream.source)}, {stream.date}, {stream.evidence.split()[0]}",
            )
            for stream in wire
        ],
    )


def _link(source: str) -> str:
    repository, number = source.split("#")
    return f"[{source}](https://github.com/{repository}/issues/{number})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def fill(text: str, blocks: Mapping[str, str]) -> str:
    """Put each block between its markers; ValueError if the text has no place for one."""
    for name, block in blocks.items():
        begin, end = f"<!-- {name}: made by guard/tables.py -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"no {begin} with {end} after it")
        text = f"{before}{begin}\n\n{block}\n\n{end}{after}"
    return text


def main(arguments: Sequence[str]) -> int:
    """Write the tables, or with --check say whether they are as they should be; 0 if they are."""
    parser = argparse.ArgumentParser(description="Render the tables of patches/README.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    options = parser.parse_args(arguments)
    old = README.read_text(encoding="utf-8")
    new = fill(old, tables())
    if options.check:
        if new != old:
            print(f"{README}: stale\ntry: python guard/tables.py")
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
