"""Other builds of the same code that a patch leaves as they were."""

from __future__ import annotations

from collections.abc import Mapping

from patch_making import Edit, file, patch
from patchtool.siblings import SHORTEST, unpatched_siblings

LONG = "  if (toolCall.index !== undefined && toolCall.hasFinished === false) {\n"
EDITS = {"dist/index.mjs": (file(LONG), file("  if (true) {\n"))}
assert len(LONG) > SHORTEST


def warned(files: dict[str, str], edits: Mapping[str, Edit] = EDITS) -> list[str | None]:
    """The paths that are warned of."""
    found = unpatched_siblings(
        patch(edits), {path: file(text) for path, text in files.items()}, subject="x.patch"
    )
    assert all((each.kind, each.subject) == ("sibling", "x.patch") for each in found)
    return [each.path for each in found]


def test_a_file_with_the_code_that_is_replaced_elsewhere_is_named() -> None:
    """The CommonJS build holds the old side of the hunk; the patched file itself is not named."""
    files = {
        "dist/index.mjs": LONG,
        "dist/index.js": f"exports.x = 1;\n{LONG}",
        "dist/other.js": "exports.y = 2;\n",
    }
    assert warned(files) == ["dist/index.js"]


def test_both_builds_patched_is_fine() -> None:
    """No warning for a file that the patch touches as well."""
    both = EDITS | {"dist/index.js": EDITS["dist/index.mjs"]}
    assert warned({"dist/index.mjs": LONG, "dist/index.js": LONG}, both) == []


def test_a_short_piece_of_code_says_nothing() -> None:
    """A closing brace stands in every file."""
    edits = {"dist/index.mjs": (file("  }\n"), file("  };\n"))}
    assert warned({"dist/index.mjs": "  }\n", "dist/index.js": "  }\n"}, edits) == []
