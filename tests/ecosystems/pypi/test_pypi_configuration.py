import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool.ecosystems.pypi.configuration import configuration, read_settings
from patchtool.store import Store

MakeStore = Callable[..., Store]


def basic(text: str) -> str:
    """The header that sends a user and password."""
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.fixture
def written(tmp_path: Path, make_store: MakeStore) -> Callable[..., Store]:
    """A store whose pip reads this text as its configuration file; keywords are variables."""

    def make(text: str, **variables: str) -> Store:
        file = tmp_path / "pip.conf"
        file.write_text(text)
        plain = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_CONFIG_FILE": str(file)}
        return make_store(environment=plain | variables)

    return make


def test_settings_are_read_by_their_rank() -> None:
    """The section of the command goes before the global one, a variable before both."""
    listed = "\n".join(
        (
            "download.proxy='two'",
            ":env:.proxy='three'",
            "global.proxy='one'",
            "global.cert='a=b'",
            "download.timeout='2'",
            "global.timeout='1'",
            "install.timeout='9'",
            "global.broken=oh",
            "",
        )
    )
    assert read_settings(listed) == {"proxy": "three", "cert": "a=b", "timeout": "2"}


def test_all_sources_are_found_in_pips_own_files(written: MakeStore, tmp_path: Path) -> None:
    """Index, further indexes and find-links, local ones too, in this order."""
    store = written(
        "[global]\nindex-url = http://one.invalid/simple\n"
        f"extra-index-url = http://two.invalid/simple {tmp_path.as_uri()}/three\n"
        f"find-links = {tmp_path}/four\n    http://five.invalid/page.html\n"
    )
    assert [(source.url, source.page) for source in configuration(store).sources] == [
        ("http://one.invalid/simple", False),
        ("http://two.invalid/simple", False),
        (f"{tmp_path.as_uri()}/three", False),
        (f"{tmp_path.as_uri()}/four", True),
        ("http://five.invalid/page.html", True),
    ]


def test_variables_go_before_files(written: MakeStore) -> None:
    """PIP_INDEX_URL replaces what the file says."""
    store = written(
        "[global]\nindex-url = http://one.invalid/", PIP_INDEX_URL="http://two.invalid/"
    )
    assert [source.url for source in configuration(store).sources] == ["http://two.invalid/"]


def test_no_index_leaves_only_links(written: MakeStore, tmp_path: Path) -> None:
    """With no-index, pip asks no index; neither do we."""
    store = written(f"[global]\nno-index = true\nfind-links = {tmp_path}")
    assert [source.path for source in configuration(store).sources] == [tmp_path]


def test_pips_own_default_is_asked_for(written: MakeStore) -> None:
    """Where nothing is configured, the index is the one that pip would take."""
    (source,) = configuration(written("")).sources
    assert source.url.startswith("https://")
    assert source.url.endswith("/simple")


def test_credentials_in_an_address_are_taken_out_of_it(written: MakeStore) -> None:
    """A user and password are sent, not shown; %40 in them is an @."""
    store = written("[global]\nindex-url = http://me%40here:s3cret@one.invalid:81/simple")
    (source,) = configuration(store).sources
    assert source.url == "http://one.invalid:81/simple"
    assert source.authorization == basic("me@here:s3cret")


@pytest.mark.parametrize("named", [False, True])
def test_credentials_come_from_netrc(written: MakeStore, tmp_path: Path, named: bool) -> None:
    """As pip does, .netrc is read: the one in the home directory, or the one that NETRC names."""
    file = tmp_path / ("other" if named else ".netrc")
    file.write_text("machine one.invalid login me password s3cret\n")
    file.chmod(0o600)
    variables = {"NETRC": str(file)} if named else {}
    store = written("[global]\nindex-url = http://one.invalid/\n", **variables)
    assert configuration(store).sources[0].authorization == basic("me:s3cret")


def test_the_route_is_the_one_pip_takes(written: MakeStore) -> None:
    """Proxy and certificate from the settings; a trusted host need not prove itself."""
    pip = configuration(
        written(
            "[global]\nindex-url = http://one.invalid/\nproxy = http://proxy.invalid\n"
            "cert = /some/bundle.pem\ntrusted-host = two.invalid three.invalid:8443\n",
            NO_PROXY="local.invalid, .inside.invalid",
        )
    )
    route = pip.route("https://one.invalid/simple/")
    assert route.proxies == {"http": "http://proxy.invalid", "https": "http://proxy.invalid"}
    assert route.no_proxy == ("local.invalid", ".inside.invalid")
    assert (route.authorities, route.verify) == ("/some/bundle.pem", True)
    assert not pip.route("https://two.invalid:99/").verify
    assert not pip.route("https://three.invalid:8443/").verify
    assert pip.route("https://three.invalid/").verify


def test_without_settings_the_variables_name_the_proxy(written: MakeStore) -> None:
    """The usual variables count, each for its scheme, and ALL_PROXY for the rest."""
    store = written(
        "[global]\nindex-url = http://one.invalid/",
        https_proxy="http://s.invalid",
        ALL_PROXY="http://all.invalid",
    )
    route = configuration(store).route("https://one.invalid/")
    assert route.proxies == {"http": "http://all.invalid", "https": "http://s.invalid"}
