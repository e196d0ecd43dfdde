"""Which hunks a release already has."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_ecosystem import NO_STORE, FakeEcosystem
from patch_making import file, patch_text
from patchtool import ecosystems
from patchtool.project import PatchFile
from patchtool.upstreamed import adopted_hunks
from test_patch_file import patch_file

TWO_HUNKS = b"""\
diff --git a/node_modules/@s/lead/a.js b/node_modules/@s/lead/a.js
--- a/node_modules/@s/lead/a.js
+++ b/node_modules/@s/lead/a.js
@@ -1,3 +1,3 @@
 one
-two
+2
 three
@@ -7,3 +7,3 @@
 seven
-eight
+8
 nine
"""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> FakeEcosystem:
    """An empty registry."""
    fake = FakeEcosystem()
    monkeypatch.setattr(ecosystems, "of", lambda _: fake)
    return fake


def write(directory: Path, data: bytes) -> PatchFile:
    """A patch file on the disk."""
    each = patch_file(directory=directory)
    each.path.write_bytes(data)
    return each


@pytest.mark.parametrize(
    ("content", "adopted"),
    [
        ("one\n2\nthree\n4\n5\n6\nseven\n8\nnine\n", 2),
        ("one\ntwo\nthree\nseven\n8\nnine\nten\n", 1),
        ("one\ntwo\nthree\n4\n5\n6\nseven\neight\nnine\n", 0),
    ],
)
def test_each_hunk_is_looked_for_by_itself(
    registry: FakeEcosystem, tmp_path: Path, content: str, adopted: int
) -> None:
    """A hunk that is in counts, at any line; one that is not does not hide it."""
    package = registry.publish("@s/lead", "2.0.0", {"a.js": file(content)})
    (found,) = adopted_hunks([write(tmp_path, TWO_HUNKS)], [package], NO_STORE)
    assert (found.path, found.adopted, found.hunks) == ("a.js", adopted, 2)
    assert found.patch == "@s+lead+1.0.0.patch"


def test_a_file_that_the_release_no_longer_has_has_no_hunk(
    registry: FakeEcosystem, tmp_path: Path
) -> None:
    """Nothing of the patch can be in a file that is not there."""
    package = registry.publish("@s/lead", "2.0.0", {"b.js": file("x\n")})
    (found,) = adopted_hunks([write(tmp_path, TWO_HUNKS)], [package], NO_STORE)
    assert found.adopted == 0


def test_a_section_without_hunks_is_not_counted(registry: FakeEcosystem, tmp_path: Path) -> None:
    """A deletion of nothing, a mode or a rename alone has no text to look for."""
    data = patch_text({"e.js": (file(""), None)}, "node_modules/@s/lead/")
    package = registry.publish("@s/lead", "2.0.0", {})
    assert adopted_hunks([write(tmp_path, data)], [package], NO_STORE) == ()
