"""The benchmark's fixtures, tables and chart; never a time."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from patchtool.commands.apply import run as apply

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import fixtures, growth, report, tables
from benchmarks.chart import Panel, svg
from benchmarks.commands import Start, Warm
from benchmarks.fixtures import App, Edit, Installed
from benchmarks.growth import Point
from benchmarks.machine import Machine
from benchmarks.measure import Failed, Run, Spread, measure, ratio
from benchmarks.race import BASE, OURS, Result

SOURCE = b"".join(b"line %d\n" % number for number in range(200))


def run_of(seconds: float) -> Run:
    """A run that took so long."""
    return Run(seconds=seconds, cpu=seconds, peak=30_000_000)


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    """Three installed packages, as npm leaves them."""
    place = tmp_path / "installed"
    names = list(fixtures.packages())[:3]
    record = {f"node_modules/{name}": {"integrity": "sha512-" + "A" * 86 + "=="} for name in names}
    files = {"node_modules/.package-lock.json": json.dumps({"packages": record}).encode()}
    for name in names:
        manifest = {"name": name, "version": fixtures.packages()[name]}
        files[f"node_modules/{name}/package.json"] = json.dumps(manifest).encode()
        files[f"node_modules/{name}/lib/index.js"] = SOURCE
        files[f"node_modules/{name}/short.js"] = b"// too short\n"
    fixtures.write(place, files | {"package.json": b"{}", "package-lock.json": b"{}"})
    return Installed(packages=place, patch_package=place)


@pytest.fixture
def edits(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Edit]:
    """An edit of each of them."""
    few = dict(list(fixtures.packages().items())[:3])
    monkeypatch.setattr(fixtures, "packages", lambda: few)
    return fixtures.edits(installed.packages, tmp_path / "git")


def put_on(app: App) -> None:
    """Apply the patches of a project."""
    result = apply(
        root=app.root, environment={}, fixes=(), patches=None, reverse=False, dry_run=False,
        file=None, into=None, strip=None, allow_offset=False,
    )  # fmt: skip
    assert result.answer.value == "yes"


def test_two_hundred_packages_are_named() -> None:
    """The list is as long as the largest race, and every version is exact."""
    assert len(fixtures.packages()) == 200
    assert all(version[0].isdigit() for version in fixtures.packages().values())


@pytest.mark.parametrize("lock", [True, False])
def test_patches_lead_from_pristine_to_patched(
    lock: bool, installed: Installed, edits: list[Edit], tmp_path: Path
) -> None:
    """What is laid out is pristine, can be patched, and is then what the check expects."""
    app = fixtures.app(tmp_path / "app", installed, edits, lock)
    app.reset(patched=False)
    with pytest.raises(Failed):
        app.check("nobody")
    put_on(app)
    app.check("patchtool")
    assert all(edit.path == "lib/index.js" for edit in edits)
    assert app.whole.read_bytes().count(b"@@ -") == 2 * len(edits)


@pytest.mark.parametrize("size", [1024, 100_000])
def test_made_up_packages_can_be_patched(size: int, tmp_path: Path) -> None:
    """The patches that growth is measured with fit what they are made for."""
    edit = growth._edit("made-up", size)
    fixtures.write(
        tmp_path,
        {
            edit.place: edit.pristine,
            "node_modules/made-up/package.json": b'{"name": "made-up", "version": "1.0.0"}',
            f"patches/{edit.patch_name}": edit.patch,
        },
    )
    app = App(root=tmp_path, edits=[edit])
    put_on(app)
    app.check("patchtool")


def test_a_measured_program_that_fails_is_told(tmp_path: Path) -> None:
    """An unexpected exit code is an error with what the program said; an expected one is none."""
    script = "import sys; print('because', end=''); sys.exit(3)"
    with pytest.raises(Failed, match="because"):
        measure([sys.executable, "-c", script], tmp_path)
    run = measure([sys.executable, "-c", script], tmp_path, codes=(3,))
    assert run.peak > 1_000_000


def test_ratios_are_taken_round_by_round() -> None:
    """A slow round counts against nobody: each value is compared with that of its own round."""
    assert ratio([1, 20, 3], [2, 40, 6]) == Spread(median=0.5, least=0.5, most=0.5)


def test_a_table_is_markdown() -> None:
    """A head, a rule that puts numbers to the right, and the rows."""
    assert tables.table(["", "time"], [["apply", "1 ms"]]) == (
        "|  | time |\n| --- | ---: |\n| apply | 1 ms |\n"
    )


@pytest.fixture
def measured() -> report.Measured:
    """An account of everything, made up."""
    slow = Result(fresh=[run_of(0.2)], again=[run_of(0.1)])
    fast = Result(fresh=[run_of(0.05)], again=[run_of(0.02)])
    once = Result(fresh=[run_of(0.004)], again=[])
    race = {OURS[0]: fast, BASE: slow, "git apply": once}
    points = [Point(at=at, fresh=[run_of(at)], again=[run_of(at)]) for at in (1024, 2048)]
    return report.Measured(
        machine=Machine(day=datetime.date(2020, 1, 2), text="a machine"),
        rounds=1,
        races={1: race, 20: race},
        starts=[Start(name="apply --help", runs=[run_of(0.05)], modules=80)],
        warm=[
            Warm(name="should-delete", first=run_of(9), runs=[run_of(1)]),
            Warm(name="check-pristine", first=None, runs=[], why="no network\nat all"),
        ],
        counts=points,
        sizes=points,
    )


def test_the_page_says_everything(measured: report.Measured) -> None:
    """Day, machine, ratios, what cannot run twice, memory, growth, and what was not measured."""
    page = report.page(measured)
    for expected in (
        "Measured on 2020-01-02 on a machine.",
        f"| {OURS[0]} | 0.25 (0.25–0.25), 50 ms |",  # noqa: RUF001
        f"| {BASE} | 100 ms | 100 ms |",
        "| git apply | 30 MB | 30 MB |",
        "| `should-delete` | 9,000 ms | 1,000 ms (1,000–1,000) |",  # noqa: RUF001
        "| `check-pristine` | not measured: no network |  |",
        "| 2 KB | 2,048,000 ms |",
    ):
        assert expected in page
    assert page.count("| git apply |") == 2


def test_the_readme_keeps_what_is_around_the_marks(measured: report.Measured) -> None:
    """Only what stands between the marks is written anew; without marks nothing is."""
    old = f"before\n{report.BEGIN}old numbers\n{report.END}after\n"
    new = report.in_readme(old, measured)
    assert new.startswith(f"before\n{report.BEGIN}Measured on 2020-01-02")
    assert new.endswith(f"{report.END}after\n")
    assert "old numbers" not in new
    assert report.in_readme(new, measured) == new
    with pytest.raises(ValueError, match="no marks"):
        report.in_readme("no marks here", measured)


def test_this_readme_has_the_marks(measured: report.Measured) -> None:
    """The README of this repository has a place for the numbers."""
    readme = Path(__file__).parent.parent.joinpath("README.md").read_text(encoding="utf-8")
    assert report.in_readme(readme, measured)


def test_the_chart_is_svg(measured: report.Measured) -> None:
    """The chart is well-formed, with a line for each tool and points inside the picture."""
    drawn = ElementTree.fromstring(report.chart(measured))  # noqa: S314 - our own
    lines = drawn.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 3 + 1 + 1
    for line in lines:
        for point in line.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0 < x < 460
            assert 0 < y < 320


def test_a_chart_escapes_names() -> None:
    """Names are text, whatever is in them."""
    assert "a&amp;b &lt;" in svg([Panel(title="a&b <", across="x", lines={"l": [(1.0, 1.0)]})])
