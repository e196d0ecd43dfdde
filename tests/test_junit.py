"""Reading JUnit reports."""

from __future__ import annotations

import tracemalloc

import pytest

from patchtool.errors import CannotTell
from patchtool.junit import Case, Outcome, read


def report(cases: str) -> bytes:
    """A report with these testcase elements, as pytest nests them."""
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>".encode()


def test_each_kind_of_child_is_an_outcome() -> None:
    """Pass, failure, error and skip are told apart, with the message kept."""
    cases = read(
        report(
            '<testcase classname="m" name="a"/>'
            '<testcase classname="m" name="b"><failure message="no">text</failure></testcase>'
            '<testcase classname="m" name="c"><error message="boom"/></testcase>'
            '<testcase name="d"><skipped type="pytest.skip" message="why"/></testcase>'
        )
    )
    assert cases == (
        Case(name="m::a", outcome=Outcome.PASSED),
        Case(name="m::b", outcome=Outcome.FAILED, detail="no: text"),
        Case(name="m::c", outcome=Outcome.ERROR, detail="boom"),
        Case(name="d", outcome=Outcome.SKIPPED, detail="pytest.skip: why"),
    )


def test_an_error_beside_a_failure_is_an_error() -> None:
    """The worse child decides."""
    (case,) = read(report('<testcase name="a"><failure/><error/></testcase>'))
    assert case.outcome is Outcome.ERROR


@pytest.mark.parametrize("child", ["", '<skipped type="pytest.xfail" message=""/>'])
def test_an_xfail_is_neither_pass_nor_failure(child: str) -> None:
    """A case marked xfail says nothing, whether it failed or passed."""
    (case,) = read(
        report(
            '<testcase name="a"><properties><property name="patchtool" value="xfail"/>'
            f"</properties>{child}</testcase>"
        )
    )
    assert case.outcome is Outcome.XFAIL


def test_the_boundary_property_makes_a_boundary_case() -> None:
    """Only the property of our own name counts."""
    boundary, other = read(
        report(
            '<testcase name="a"><properties><property name="patchtool" value="boundary"/>'
            "</properties></testcase>"
            '<testcase name="b"><properties><property name="x" value="boundary"/>'
            "</properties></testcase>"
        )
    )
    assert (boundary.boundary, other.boundary) == (True, False)


BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite>&b;</testsuite>'
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not XML"),
        (b"{}", "not XML"),
        (b"<testsuite>", "not XML"),
        (BOMB, "entities"),
        (report('<testcase name="a"/><testcase name="a"/>'), "twice"),
        (report('<testcase name="a"/><testcase/>'), "without a name"),
        (b" " * (64 * 1024 * 1024 + 1), "too large"),
        (b"<a>" * 1_000_000, "too many elements"),
        (report('<testcase name="a">' + "<b/>" * 20_000 + "</testcase>"), "too many elements"),
        (b'<?xml version="1.0" encoding="x"?><testsuite/>', "not XML"),
        (b'<?xml version="1.0" encoding="utf-7"?><testsuite/>', "not XML"),
        ("<testsuite/>".encode("utf-32"), "not XML"),
    ],
)
def test_a_report_that_cannot_be_trusted_is_refused(data: bytes, words: str) -> None:
    """Not XML, entity bombs, doubled or missing names and absurd shapes raise CannotTell."""
    with pytest.raises(CannotTell) as caught:
        read(data)
    assert words in caught.value.problem.what


def test_nothing_is_kept_but_the_cases() -> None:
    """What stands around the cases, and is large, costs no memory."""
    tracemalloc.start()
    try:
        cases = read(report("<x>text</x>" * 200_000 + '<testcase name="a"/>'))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [case.name for case in cases] == ["a"]
    assert most < 20_000_000


def test_no_cases_is_an_empty_tuple() -> None:
    """An empty report is read; that it proves nothing is said elsewhere."""
    assert read(report("")) == ()
