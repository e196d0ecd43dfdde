"""JUnit XML to outcomes. Pure; the report is hostile until it has been read.

Only what writers of JUnit agree on is used: `testcase` elements with `classname` and `name`, what
their children say of the outcome, and how many failures a suite counts. A case passes only if all
that is said of it is understood.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
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
    """What one case gave. One that was skipped, expected to fail, or run again says nothing."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    RETRIED = "retried"
    SKIPPED = "skipped"
    XFAIL = "xfail"


# What a case's children say, the worst first: it decides. An error in teardown stands beside a
# failure in the call. A retry gave two outcomes, unless each time was a failure.
_OUTCOMES = {
    "error": Outcome.ERROR,
    "flakyError": Outcome.RETRIED,
    "flakyFailure": Outcome.RETRIED,
    "rerunError": Outcome.RETRIED,
    "failure": Outcome.FAILED,
    "rerunFailure": Outcome.RETRIED,
    "skipped": Outcome.SKIPPED,
}

# What holds cases, and may count them.
_SUITES = {"testsuites", "testsuite"}

# The children of a case that say nothing of its outcome.
_DECORATION = {"properties", "system-out", "system-err"}

# What the attributes `status` and `result` (of GoogleTest, CTest and others) say of a case that
# ran without trouble, and of one that did not run.
_RAN = {"run", "completed", "passed", "pass", "success", "ok"}
_DID_NOT_RUN = {"notrun", "suppressed", "skipped", "disabled", "ignored", "pending", "todo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a run: its name, what it gave, whether it is a boundary case, and why."""

    name: str
    outcome: Outcome
    boundary: bool = False
    detail: str = ""


def read(report: bytes) -> tuple[Case, ...]:
    """The cases of a JUnit report, in its order.

    A name that stands in several suites has theirs in front of it (Node's runner gives no more).
    Raises `CannotTell` if it is not XML, holds entities, is too large or nested too deep, has a
    case without a name or two of one name, or says something of a case that is not understood;
    and if something failed outside of every case.
    """
    if len(report) > LARGEST_REPORT:
        raise _broken("the report is too large", found=f"{len(report)} bytes")
    found = _parse(report)
    counted = Counter(case.name for _, case in found)
    cases = tuple(
        case if counted[case.name] == 1 else replace(case, name="::".join((*suites, case.name)))
        for suites, case in found
    )
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise _broken("the report names a case twice", found=case.name)
        seen.add(case.name)
    return cases


def _parse(report: bytes) -> list[tuple[tuple[str, ...], Case]]:
    """Each case, with the names of the suites that it is in."""
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
    return cases.found


class _Cases:
    """Takes what a parser comes by, and keeps nothing of it but the cases."""

    def __init__(self) -> None:
        self.found: list[tuple[tuple[str, ...], Case]] = []
        self._depth = self._elements = 0
        self._builder: TreeBuilder | None = None
        self._depth_of_case = self._failures = 0
        # For each open suite: its name behind those of the suites around it, the failures it
        # counts, and those in cases that came before it.
        self._suites: list[tuple[tuple[str, ...], int, int]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._builder is None:
            self._start_outside(tag, attributes)
        elif tag == "testcase":
            raise _broken("the report has a case inside a case", found=attributes.get("name", tag))
        if self._builder is not None:
            self._builder.start(tag, attributes)
            self._elements += 1
        if self._depth > DEEPEST or self._elements > LARGEST_CASE:
            found = f"more than {DEEPEST} levels, or more than {LARGEST_CASE} in one case"
            raise _broken("the report has too many elements", found=found)

    def _start_outside(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testcase":
            from xml.etree.ElementTree import TreeBuilder

            self._builder, self._depth_of_case, self._elements = TreeBuilder(), self._depth, 0
        elif tag in _SUITES:
            names = (*self._names(), *filter(None, [attributes.get("name")]))
            self._suites.append((names, _counted(attributes), self._failures))
        elif tag in _OUTCOMES:
            found = attributes.get("message") or tag
            raise _broken(f"the report has <{tag}> outside of every case", found=found)

    def data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def end(self, tag: str) -> None:
        if self._builder is not None:
            self._builder.end(tag)
            if self._depth == self._depth_of_case:
                self._end_case(self._builder.close())
                self._builder = None
        elif tag in _SUITES:
            _, counted, before = self._suites.pop()
            shown = self._failures - before
            if counted > shown:
                found = f"a suite counts {counted} failures and errors, and its cases show {shown}"
                raise _broken("something failed outside of every case", found=found)
        self._depth -= 1

    def _end_case(self, element: Element) -> None:
        self.found.append((self._names(), _case(element)))
        self._failures += sum(child.tag in ("error", "failure") for child in element)

    def _names(self) -> tuple[str, ...]:
        return self._suites[-1][0] if self._suites else ()

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
    """What the worst child says; without one, what the attributes say."""
    for part in element:
        if part.tag not in _OUTCOMES and part.tag not in _DECORATION:
            raise _unknown(element, f"<{part.tag}>")
    for tag, outcome in _OUTCOMES.items():
        child = element.find(tag)
        if child is not None:
            texts = [child.get("type"), child.get("message"), child.text]
            return outcome, ": ".join(text.strip() for text in texts if text and text.strip())
    for name in ("status", "result"):
        word = element.get(name, "").lower()
        if word in _DID_NOT_RUN:
            return Outcome.SKIPPED, f"{name}: {word}"
        if word and word not in _RAN:
            raise _unknown(element, f'{name}="{word}"')
    return Outcome.PASSED, ""


def _unknown(case: Element, said: str) -> CannotTell:
    what = "the report says of a case what patchtool does not know"
    return _broken(what, found=f"{said} in {case.get('name') or 'a case without a name'}")


def _counted(suite: dict[str, str]) -> int:
    """How many failures and errors a suite says it has."""
    words = [suite.get(name) or "0" for name in ("failures", "errors")]
    try:
        return sum(map(int, words))
    except ValueError:
        raise _broken("a suite counts its failures in no number", found=" ".join(words)) from None


def _broken(what: str, *, found: str) -> CannotTell:
    return CannotTell(Problem(kind="junit", what=what, expected="JUnit XML", found=found))
