"""JUnit XML to outcomes. Pure; the report is hostile until it has been read.

Only what every writer of JUnit agrees on is used: `testcase` elements with `classname` and
`name`, and the children `failure`, `error`, `skipped` and `properties`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from patchtool.errors import CannotTell, Problem

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# A report of a million cases is about 150 MB; more than this is not a guard's.
LARGEST_REPORT = 64 * 1024 * 1024

# The property by which a report names boundary cases and xfails (see `pytest_plugin`).
PROPERTY = "patchtool"


class Outcome(Enum):
    """What one case gave. A case that was skipped, or expected to fail, says nothing."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAIL = "xfail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a run: its name, what it gave, whether it is a boundary case, and why."""

    name: str
    outcome: Outcome
    boundary: bool = False
    detail: str = ""


def read(report: bytes) -> tuple[Case, ...]:
    """The cases of a JUnit report, in its order.

    Raises `CannotTell` if it is not XML, holds entities, is too large, or has a case without a name
    or two of one name.
    """
    if len(report) > LARGEST_REPORT:
        raise _broken("the report is too large", found=f"{len(report)} bytes")
    cases = tuple(_case(element) for element in _elements(report))
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise _broken("the report names a case twice", found=case.name)
        seen.add(case.name)
    return cases


def _elements(report: bytes) -> Iterator[Element]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(report, forbid_dtd=True)
    except ParseError as error:
        raise _broken("the report is not XML", found=str(error)) from None
    except DefusedXmlException as error:
        raise _broken("the report declares entities", found=type(error).__name__) from None
    yield from root.iter("testcase")


def _case(element: Element) -> Case:
    marks = {
        item.get("value")
        for item in element.iterfind("properties/property")
        if item.get("name") == PROPERTY
    }
    outcome, detail = _outcome(element)
    if "xfail" in marks or detail.startswith("pytest.xfail"):
        outcome = Outcome.XFAIL
    names = [part for part in (element.get("classname"), element.get("name")) if part]
    if not names:  # what pytest writes for a run that a test ended early
        raise _broken("the report has a case without a name", found=detail or outcome.value)
    return Case(name="::".join(names), outcome=outcome, boundary="boundary" in marks, detail=detail)


def _outcome(element: Element) -> tuple[Outcome, str]:
    """The worst child decides: an error in teardown stands beside a failure in the call."""
    for tag, outcome in (
        ("error", Outcome.ERROR),
        ("failure", Outcome.FAILED),
        ("skipped", Outcome.SKIPPED),
    ):
        child = element.find(tag)
        if child is not None:
            texts = [child.get("type"), child.get("message"), child.text]
            return outcome, ": ".join(text.strip() for text in texts if text and text.strip())
    return Outcome.PASSED, ""


def _broken(what: str, *, found: str) -> CannotTell:
    return CannotTell(Problem(kind="junit", what=what, expected="JUnit XML", found=found))
