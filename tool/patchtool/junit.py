"""JUnit XML to outcomes. Pure; the report is hostile until it has been read.

Only what every writer of JUnit agrees on is used: `testcase` elements with `classname` and
`name`, and the children `failure`, `error`, `skipped` and `properties`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from patchtool.errors import CannotTell, Problem

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element, TreeBuilder

# A report of a million cases is about 150 MB; more than this is not a guard's.
LARGEST_REPORT = 64 * 1024 * 1024

# How deep its elements may stand in each other, and how many may be in a case: writers of JUnit use
# a handful of each.
DEEPEST, LARGEST_CASE = 100, 10_000

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

    Raises `CannotTell` if it is not XML, holds entities, is too large or nested too deep, or has a
    case without a name or two of one name.
    """
    if len(report) > LARGEST_REPORT:
        raise _broken("the report is too large", found=f"{len(report)} bytes")
    cases = _parse(report)
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise _broken("the report names a case twice", found=case.name)
        seen.add(case.name)
    return cases


def _parse(report: bytes) -> tuple[Case, ...]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    cases = _Cases()
    parser = DefusedXMLParser(target=cases, forbid_dtd=True)
    try:
        parser.feed(report)
        parser.close()
    except DefusedXmlException as error:
        raise _broken("the report declares entities", found=type(error).__name__) from None
    except (ParseError, LookupError, ValueError) as error:  # the last two of an odd encoding
        raise _broken("the report is not XML", found=str(error)) from None
    return tuple(cases.found)


class _Cases:
    """Takes what a parser comes by, and keeps nothing of it but the cases."""

    def __init__(self) -> None:
        self.found: list[Case] = []
        self._depth = self._elements = 0
        self._builder: TreeBuilder | None = None
        self._depth_of_case = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._builder is None and tag == "testcase":
            from xml.etree.ElementTree import TreeBuilder

            self._builder, self._depth_of_case, self._elements = TreeBuilder(), self._depth, 0
        if self._builder is not None:
            self._builder.start(tag, attributes)
            self._elements += 1
        if self._depth > DEEPEST or self._elements > LARGEST_CASE:
            found = f"more than {DEEPEST} levels, or more than {LARGEST_CASE} in one case"
            raise _broken("the report has too many elements", found=found)

    def data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def end(self, tag: str) -> None:
        if self._builder is not None:
            self._builder.end(tag)
            if self._depth == self._depth_of_case:
                self.found.append(_case(self._builder.close()))
                self._builder = None
        self._depth -= 1

    def close(self) -> None:
        """Nothing is left to be done."""


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
