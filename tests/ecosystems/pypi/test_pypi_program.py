from collections.abc import Callable

import pytest

from patchtool import process
from patchtool.ecosystems.pypi.program import run_pip
from patchtool.errors import CannotTell, Problem
from patchtool.store import Store


@pytest.fixture
def failure(
    pypi_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Problem]:
    """The problem that comes of what a failing pip says."""

    def fail(said: str) -> Problem:
        done = process.Completed(code=2, stdout=b"", stderr=said.encode())
        monkeypatch.setattr(process, "run", lambda *_, **__: done)
        store = pypi_store()
        with pytest.raises(CannotTell) as caught:
            run_pip(["x"], directory=store.root, store=store, subject="demo", timeout=1)
        return caught.value.problem

    return fail


def test_the_last_line_of_a_traceback_of_pip_is_its_reason(
    failure: Callable[[str], Problem],
) -> None:
    """Pip ends in a traceback when a server fails again and again; nobody is shown all of it."""
    problem = failure(
        "ERROR: Exception:\nTraceback (most recent call last):\n  File x\nRetryError: Max retries"
    )
    assert (problem.kind, problem.found) == ("network", "RetryError: Max retries")
    assert problem.remedy == "pip index versions pip"


def test_what_pip_says_has_no_password(failure: Callable[[str], Problem]) -> None:
    """Addresses come without credentials; what is not known is told as it was said."""
    problem = failure("odd: https://joe:s3cret@index.invalid/simple")
    assert (problem.kind, problem.found) == ("pip", "odd: https://***@index.invalid/simple")
