"""Reading JUnit reports."""

from __future__ import annotations

import tracemalloc

import pytest

from patchtool.errors import CannotTell
from patchtool.junit import LARGEST_CASE, Case, Outcome, read


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


@pytest.mark.parametrize("child", ["flakyFailure", "flakyError", "rerunFailure", "rerunError"])
def test_a_case_that_was_run_again_did_not_pass(child: str) -> None:
    """A retry is two outcomes, whatever the last of them was."""
    (case,) = read(report(f'<testcase name="a"><{child} message="at first"/></testcase>'))
    assert case == Case(name="a", outcome=Outcome.RETRIED, detail="at first")


@pytest.mark.parametrize(
    ("children", "outcome"),
    [
        ("<rerunFailure/><failure/>", Outcome.FAILED),
        ("<failure/><rerunError/>", Outcome.RETRIED),
        ("<failure/><flakyFailure/>", Outcome.RETRIED),
        ("<rerunFailure/><error/>", Outcome.ERROR),
    ],
)
def test_a_case_that_failed_each_time_failed(children: str, outcome: Outcome) -> None:
    """A failure that is run again and fails again is one outcome; any other pair is not."""
    (case,) = read(report(f'<testcase name="a">{children}</testcase>'))
    assert case.outcome is outcome


@pytest.mark.parametrize(
    ("attributes", "outcome"),
    [
        ('status="notrun" result="suppressed"', Outcome.SKIPPED),
        ('status="run" result="skipped"', Outcome.SKIPPED),
        ('status="notrun"', Outcome.SKIPPED),
        ('status="Disabled"', Outcome.SKIPPED),
        ('status="skipped"', Outcome.SKIPPED),
        ('status="run" result="completed"', Outcome.PASSED),
        ('status="passed"', Outcome.PASSED),
        ('status=""', Outcome.PASSED),
    ],
)
def test_a_case_that_did_not_run_is_skipped(attributes: str, outcome: Outcome) -> None:
    """An attribute may say so where no child does."""
    (case,) = read(report(f'<testcase name="a" {attributes}/>'))
    assert case.outcome is outcome


def test_a_failure_is_one_whatever_the_attributes_say() -> None:
    """A child that fails is worse than any status."""
    (case,) = read(report('<testcase name="a" status="notrun"><failure/></testcase>'))
    assert case.outcome is Outcome.FAILED


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


def test_an_xfail_is_known_by_its_type_alone() -> None:
    """Without patchtool's plugin, a report of pytest has no property to say so."""
    (case,) = read(report('<testcase name="a"><skipped type="pytest.xfail"/></testcase>'))
    assert case.outcome is Outcome.XFAIL


def test_elements_are_counted_case_by_case() -> None:
    """Many cases may have together what one alone may not."""
    properties = f"<properties>{'<property/>' * (LARGEST_CASE // 2)}</properties>"
    cases = [f'<testcase name="{number}">{properties}</testcase>' for number in range(3)]
    assert len(read(report("".join(cases)))) == 3


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


def test_one_name_in_two_suites_is_two_cases() -> None:
    """Node's runner names a case by itself; what is in two suites has their names in front."""
    deep = '<testsuite name="deep"><testcase classname="test" name="works"/></testsuite>'
    found = read(
        b"<testsuites>"
        b'<testsuite name="a"><testcase classname="test" name="works"/>%s</testsuite>'
        b'<testsuite name="b"><testcase classname="test" name="works"><failure/></testcase>'
        b'<testcase classname="test" name="once"/></testsuite></testsuites>' % deep.encode()
    )
    assert {case.name: case.outcome for case in found} == {
        "a::test::works": Outcome.PASSED,
        "a::deep::test::works": Outcome.PASSED,
        "b::test::works": Outcome.FAILED,
        "test::once": Outcome.PASSED,
    }


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
        (report('<testcase name="a"><testcase name="b"/></testcase>'), "a case inside a case"),
        (report('<error message="crash"/><testcase name="a"/>'), "<error> outside"),
        (report('<testcase name="a"/><failure/>'), "<failure> outside"),
        (b'<testsuite errors="1"><testcase name="a"/></testsuite>', "failed outside"),
        (b'<testsuite failures="1"><testcase name="a"/></testsuite>', "failed outside"),
        (b'<testsuites errors="1"><testsuite/><testcase name="a"/></testsuites>', "failed outside"),
        (
            b'<testsuites><testsuite><testcase name="a"><failure/></testcase></testsuite>'
            b'<testsuite failures="1"><testcase name="b"/></testsuite></testsuites>',
            "failed outside",
        ),
        (b'<testsuite failures="one"><testcase name="a"/></testsuite>', "no number"),
    ],
)
def test_a_report_that_cannot_be_trusted_is_refused(data: bytes, words: str) -> None:
    """Not XML, entity bombs, doubled or missing names and absurd shapes raise CannotTell."""
    with pytest.raises(CannotTell) as caught:
        read(data)
    assert words in caught.value.problem.what


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ('<testcase name="a"><warning/></testcase>', "<warning> in a"),
        ('<testcase name="a"><Failure/></testcase>', "<Failure> in a"),
        ('<testcase name="a"><x:failure xmlns:x="y"/></testcase>', "<{y}failure> in a"),
        ('<testcase name="a" status="failed"/>', 'status="failed" in a'),
        ('<testcase name="a" result="odd"/>', 'result="odd" in a'),
    ],
)
def test_what_is_not_understood_is_no_pass(case: str, found: str) -> None:
    """A child or a status that is not known may say that the case failed: it is named."""
    with pytest.raises(CannotTell) as caught:
        read(report(case))
    assert caught.value.problem.found == found


# As the programs of these names write them, with the texts cut short.
HONEST = {
    "node": """<testsuites>
        <testsuite name="outer" disabled="0" errors="0" tests="1" failures="1" skipped="1">
          <testsuite name="inner" disabled="0" errors="0" tests="2" failures="1" skipped="1">
            <testcase name="right" time="0.1" classname="test"/>
            <testcase name="wrong" classname="test" failure="1 == 2">
              <failure type="testCodeFailure" message="1 == 2">Error</failure></testcase>
          </testsuite>
        </testsuite><!-- tests 2 --></testsuites>""",
    "jest-junit": """<testsuites name="jest tests" tests="2" failures="1" errors="0" time="1">
        <testsuite name="s" errors="0" failures="1" skipped="0" timestamp="t" tests="2">
          <properties><property name="x" value="y"/></properties>
          <testcase classname="test" name="right" time="0.1"></testcase>
          <testcase classname="test" name="wrong" time="0.1"><failure>one</failure>
            <failure>two</failure><system-out>said</system-out></testcase>
        </testsuite></testsuites>""",
    "vitest": """<testsuites name="vitest tests" tests="2" failures="1" errors="0" time="0.1">
        <testsuite name="a.test.js" hostname="h" tests="2" failures="1" errors="0" skipped="0">
          <testcase classname="test" name="right" time="0.1"><system-out>x</system-out></testcase>
          <testcase classname="test" name="wrong" time="0.1">
            <failure message="no" type="AssertionError">at</failure></testcase>
        </testsuite></testsuites>""",
    "GoogleTest": """<testsuites tests="2" failures="1" disabled="0" errors="0" name="AllTests">
        <testsuite name="test" tests="2" failures="1" disabled="0" skipped="0" errors="0">
          <testcase name="right" file="a.cc" status="run" result="completed" classname="test" />
          <testcase name="wrong" status="run" result="completed" classname="test">
            <failure message="one" type=""/><failure message="two" type=""/></testcase>
        </testsuite></testsuites>""",
}


@pytest.mark.parametrize("writer", HONEST)
def test_what_programs_write_is_read(writer: str) -> None:
    """Nested suites that count their suites, two failures in a case, output and properties."""
    outcomes = {case.name: case.outcome for case in read(HONEST[writer].encode())}
    assert outcomes == {"test::right": Outcome.PASSED, "test::wrong": Outcome.FAILED}


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
