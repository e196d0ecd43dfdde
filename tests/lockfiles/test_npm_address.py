import pytest

from patchtool.lockfiles import Source
from patchtool.lockfiles.npm_address import integrities, source_of, split

BASE = "https://registry.invalid"


@pytest.mark.parametrize(
    ("address", "checked", "source"),
    [
        ("", False, Source.REGISTRY),
        (f"{BASE}/@s/n/-/n-1.0.0.tgz", True, Source.REGISTRY),
        (f"{BASE}/npm/all/@s%2fn/-/n-1.0.0.tgz#abc", True, Source.REGISTRY),
        (f"{BASE}/api/npm/@s/n/-/@s/n-1.0.0.tgz?x=1", True, Source.REGISTRY),
        (f"{BASE}/@s/n/-/n-1.0.0.tgz", False, Source.TARBALL),
        (f"{BASE}/@s/n/-/n-1.0.1.tgz", True, Source.TARBALL),
        (f"{BASE}/@s/m/-/m-1.0.0.tgz", True, Source.TARBALL),
        (f"{BASE}/@t/n/-/n-1.0.0.tgz", True, Source.TARBALL),
        (f"{BASE}/x.tgz?/@s/n/-/n-1.0.0.tgz", True, Source.TARBALL),
        ("git+ssh://git@git.invalid/a/n.git#abc", True, Source.GIT),
        ("git+https://git.invalid/a/n.git#abc", True, Source.GIT),
        ("https://git.invalid/a/n.git#commit=abc", True, Source.GIT),
        ("ssh://git@git.invalid/a/n", True, Source.GIT),
        ("git@git.invalid:a/n.git", True, Source.GIT),
        ("github:a/n#abc", True, Source.GIT),
        ("file:../n", True, Source.FILE),
        ("./n.tgz", True, Source.FILE),
        ("../n.tgz", True, Source.FILE),
        ("link:../n", True, Source.LINK),
        ("portal:../n", True, Source.LINK),
        ("workspace:packages/n", True, Source.WORKSPACE),
    ],
)
def test_source_of(address: str, checked: bool, source: Source) -> None:
    """Only an address of the registry's shape, with a checksum, is the registry's."""
    assert source_of(address, name="@s/n", version="1.0.0", checked=checked) is source


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ms@2.0.0", ("ms", "2.0.0")),
        ("@s/n@npm:@t/m@1.0.0", ("@s/n", "npm:@t/m@1.0.0")),
        ("@s/n", ("@s/n", "")),
    ],
)
def test_split(text: str, parts: tuple[str, str]) -> None:
    """A scope's at-sign ends no name."""
    assert split(text) == parts


def test_integrities() -> None:
    """A field may hold several; what is no integrity is left out."""
    assert integrities("sha1-AA== sha512-BB== ?x") == ("sha1-AA==", "sha512-BB==")
