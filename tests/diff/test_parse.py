"""Reading patches: any bytes whatever are a patch or a clear refusal, in bounded time."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchtool import diff
from patchtool.errors import PatchError

PIECES = [
    b"diff --git a/f b/f", b"diff --git a/f b/g", b'diff --git "a/f" b/f', b"index 7898192..617807",
    b"--- a/f", b"+++ b/f", b"--- /dev/null", b"+++ /dev/null", b"@@ -1 +1 @@", b"@@ -1,2 +1,3 @@",
    b"@@ -0,0 +1 @@", b" a", b"-a", b"+b", b"", b"\r", b"\\ No newline", b"-- ", b"--",
    b"old mode 100644", b"new mode 100755", b"new file mode 120000", b"deleted file mode 100644",
    b"rename from f", b"rename to g", b"copy from f", b"copy to g", b"similarity index 100%",
    b"GIT binary patch", b"literal 0", b"HcmV?d00001", b"delta 3", b"Binary files a and b differ",
    b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001", b"---", b"*** a",
    b"Index: f", b"2c2", b"< b", b"\xff", b'"', b"\0", b"@@",
]  # fmt: skip
SMALL = b"--- a/f%d\n+++ b/f%d\n@@ -1 +1 @@\n-a\n+b\n"


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=8)), max_size=14),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(0, 2),
)
def test_any_lines_are_a_patch_or_a_refusal(lines: list[bytes], ending: bytes, strip: int) -> None:
    """No line in any place is a bug; what is read can be reversed."""
    try:
        patch = diff.parse(ending.join([*lines, b""]), strip=strip)
    except PatchError as error:
        if error.problem.kind not in diff.KINDS or not error.problem.what:
            raise
        return
    assert diff.reverse(diff.reverse(patch)) == patch
    assert patch.paths


def seconds(data: bytes) -> float:
    """How long it takes to read or refuse a patch."""
    start = time.process_time()
    with contextlib.suppress(PatchError):
        diff.parse(data)
    return time.process_time() - start


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b"".join(SMALL % (i, i) for i in range(n)),
        lambda n: (
            b"--- a/f\n+++ b/f\n"
            + b"".join(b"@@ -%d +%d @@\n-a\n+b\n" % (i, i) for i in range(1, n))
        ),
        lambda n: b"--- a/f\n+++ b/f\n@@ -1,%d +1,%d @@\n" % (n, n) + b"\n" * n + b"-a\n+b\n",
        lambda n: b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-" + b"a" * n * 20 + b"\n+b\n",
        lambda n: b"diff --git a/" + b" b/" * n + b"\nold mode 100644\nnew mode 100755\n",
        lambda n: b"--- a/" + b"d/" * n + b"f\n+++ b/" + b"d/" * n + b"f\n@@ -1 +1 @@\n-a\n+b\n",
        lambda n: b"prose that is no patch\n" * n,
        lambda n: b"@@ -1 +1 @@\n" * n,
    ],
)
def test_time_grows_with_the_size(make: object) -> None:
    """Twenty times the patch takes about twenty times as long, whatever it is made of."""
    assert callable(make)
    small = min(seconds(make(500)) for _ in range(3))
    assert seconds(make(10_000)) < 100 * small + 0.1
