import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from patchtool.ecosystems.pypi.index import FRESH, distributions
from patchtool.errors import CannotTell
from patchtool.store import Store
from pypi_index import Index

MakeStore = Callable[..., Store]


def files(store: Store, name: str = "demo", **options: Any) -> list[str]:
    """The names of the files that the sources have."""
    return [each.file for each in distributions(name, store, **options)]


def test_json_lists_are_read(index: Index, pypi_store: MakeStore) -> None:
    """Each wheel and sdist comes with its version, address, hash, and what is said of it."""
    data = b"anything"
    index.publish("demo-1.0-py3-none-any.whl", data, yanked="leaks", **{"core-metadata": True})
    index.publish("demo-1.1.tar.gz", data, yanked=True)
    index.publish("demo-1.1-py2.7.egg", data)
    index.publish("demo-nonsense.whl", data)
    index.serve()
    wheel, sdist = distributions("Demo", pypi_store())
    assert (wheel.file, wheel.version) == ("demo-1.0-py3-none-any.whl", Version("1.0"))
    assert wheel.url == f"{index.server.url}/files/demo-1.0-py3-none-any.whl"
    assert wheel.sha256 == hashlib.sha256(data).hexdigest()
    assert (wheel.metadata, wheel.yanked, wheel.is_wheel) == (True, "leaks", True)
    assert (sdist.metadata, sdist.yanked, sdist.is_wheel) == (False, "", False)


def test_html_lists_are_read(index: Index, pypi_store: MakeStore) -> None:
    """A mirror that knows HTML alone gives the same facts."""
    index.server.answer(
        "/simple/demo/",
        b"<!DOCTYPE html><html><body>"
        b'<a href="/p/demo-1.0-py3-none-any.whl#sha256='
        + b"AB"
        * 32
        + b'" data-yanked="leaks" data-core-metadata="sha256=cd">demo-1.0-py3-none-any.whl</a>'
        b'<a href="demo-1.1.tar.gz">demo-1.1.tar.gz</a></body></html>',
    )
    wheel, sdist = distributions("demo", pypi_store())
    assert wheel.url == f"{index.server.url}/p/demo-1.0-py3-none-any.whl"
    assert (wheel.sha256, wheel.metadata, wheel.yanked) == ("ab" * 32, True, "leaks")
    assert sdist.url == f"{index.server.url}/simple/demo/demo-1.1.tar.gz"
    assert (sdist.sha256, sdist.metadata, sdist.yanked) == (None, False, None)


def test_the_name_is_asked_for_in_its_plain_form(index: Index, pypi_store: MakeStore) -> None:
    """Indexes know a package by its normal name alone."""
    index.release("my_demo", "1.0")
    index.serve()
    assert files(pypi_store(), "My.Demo") == ["my_demo-1.0-py3-none-any.whl"]


def test_all_sources_count(index: Index, pypi_store: MakeStore, tmp_path: Path) -> None:
    """Further indexes, directories of them, and find-links add to the first index."""
    index.release("demo", "1.0")
    index.serve()
    local = tmp_path / "local/demo"
    local.mkdir(parents=True)
    (local / "index.html").write_text('<a href="../../files/demo-2.0-py3-none-any.whl">x</a>')
    links = tmp_path / "links"
    links.mkdir()
    (links / "demo-3.0-py3-none-any.whl").touch()
    (links / "demolition-3.0-py3-none-any.whl").touch()
    (links / "notes.txt").touch()
    store = pypi_store(
        PIP_EXTRA_INDEX_URL=f"{index.server.url}/empty {(tmp_path / 'local').as_uri()}",
        PIP_FIND_LINKS=str(links),
    )
    found = distributions("demo", store)
    assert [str(each.version) for each in found] == ["1.0", "2.0", "3.0"]
    assert found[1].path == tmp_path / "files/demo-2.0-py3-none-any.whl"
    assert found[2].path == links / "demo-3.0-py3-none-any.whl"


def test_a_place_that_is_not_there_has_nothing(
    index: Index, pypi_store: MakeStore, tmp_path: Path
) -> None:
    """As for pip, a configured directory may be missing."""
    index.release("demo", "1.0")
    index.serve()
    store = pypi_store(
        PIP_FIND_LINKS=f"{tmp_path}/none", PIP_EXTRA_INDEX_URL=f"{tmp_path.as_uri()}/nowhere"
    )
    assert files(store) == ["demo-1.0-py3-none-any.whl"]


def test_a_list_is_asked_for_once_while_fresh(index: Index, pypi_store: MakeStore) -> None:
    """Within five minutes the list is taken from the cache, and then asked for with its ETag."""
    index.release("demo", "1.0")
    index.serve(ETag='"one"')
    store = pypi_store()
    clock = [1000.0]
    store.now = lambda: clock[0]
    assert files(store) == files(store)
    assert len(index.server.asked("/simple/demo/")) == 1
    clock[0] += FRESH
    index.server.answer("/simple/demo/", status=304)
    files(store)
    assert files(store) == ["demo-1.0-py3-none-any.whl"]
    assert index.server.asked("/simple/demo/")[1]["if-none-match"] == '"one"'


def test_offline_an_old_list_will_do(index: Index, pypi_store: MakeStore) -> None:
    """Without network, what is kept counts; what is not kept is said to be missing."""
    index.release("demo", "1.0")
    index.serve()
    files(pypi_store())
    offline = pypi_store(offline=True)
    offline.now = lambda: 1e12
    assert files(offline) == ["demo-1.0-py3-none-any.whl"]
    with pytest.raises(CannotTell) as caught:
        files(offline, "other")
    assert caught.value.problem.kind == "offline"


def test_an_unknown_package_names_the_indexes(index: Index, pypi_store: MakeStore) -> None:
    """Nobody has it: the message says who was asked."""
    with pytest.raises(CannotTell) as caught:
        files(pypi_store())
    assert caught.value.problem.kind == "not-found"
    assert caught.value.problem.found == index.url


def test_an_index_that_fails_is_no_empty_index(index: Index, pypi_store: MakeStore) -> None:
    """One of two indexes is down: nobody knows whether it has a newer release."""
    index.release("demo", "1.0")
    index.serve()
    index.server.answer("/more/demo/", status=500)
    with pytest.raises(CannotTell) as caught:
        files(pypi_store(PIP_EXTRA_INDEX_URL=f"{index.server.url}/more"))
    assert caught.value.problem.kind == "network"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"files": 3}',
        b'{"files": [{}]}',
        b'{"files": [3]}',
        b'{"files": [{"filename": "demo-1.0.tar.gz", "url": 1}]}',
        b'<a href="demo-1.0.tar.gz#strange">x</a>',
        b'<meta name="pypi:repository-version" content="2.0">',
    ],
)
def test_nonsense_is_no_list(index: Index, pypi_store: MakeStore, body: bytes) -> None:
    """An answer in no known form is an error that says so."""
    index.server.answer("/simple/demo/", body)
    with pytest.raises(CannotTell) as caught:
        files(pypi_store())
    assert caught.value.problem.kind == "answer"


@pytest.mark.parametrize("sha256", ["", "zz" * 32, "../../x", 7, None])
def test_a_hash_that_is_none_counts_as_none(
    index: Index, pypi_store: MakeStore, sha256: object
) -> None:
    """What is no SHA-256 in hex pins nothing."""
    index.publish("demo-1.0-py3-none-any.whl", b"x", hashes={"sha256": sha256})
    index.serve()
    (wheel,) = distributions("demo", pypi_store())
    assert wheel.sha256 is None


def test_a_server_does_not_lead_to_local_files(
    index: Index, pypi_store: MakeStore, tmp_path: Path
) -> None:
    """A list from a server that names a file of this machine is no list: it would be read."""
    (tmp_path / "demo-1.0-py3-none-any.whl").write_bytes(b"private")
    entry = {"filename": "demo-1.0-py3-none-any.whl", "url": tmp_path.as_uri() + "/x"}
    body = json.dumps({"meta": {"api-version": "1.1"}, "name": "demo", "files": [entry]})
    index.server.answer("/simple/demo/", body.encode())
    with pytest.raises(CannotTell) as caught:
        distributions("demo", pypi_store())
    assert caught.value.problem.kind == "answer"


def test_credentials_stay_with_their_index(
    index: Index, pypi_store: MakeStore, tmp_path: Path
) -> None:
    """Files on the index's own server are asked for with its credentials, others without."""
    body = {
        "files": [
            {"filename": "demo-1.0.tar.gz", "url": "/f/demo-1.0.tar.gz", "hashes": {}},
            {"filename": "demo-2.0.tar.gz", "url": "http://cdn.invalid/demo-2.0.tar.gz"},
        ]
    }
    index.server.answer("/simple/demo/", json.dumps(body).encode())
    store = pypi_store(PIP_INDEX_URL=index.url.replace("http://", "http://me:s3cret@"))
    own, other = distributions("demo", store)
    from patchtool.ecosystems.pypi.configuration import configuration

    pip = configuration(store)
    assert own.request(pip, "x", limit=1, seconds=1).authorization
    assert other.request(pip, "x", limit=1, seconds=1).authorization is None
    assert index.server.asked("/simple/demo/")[0]["authorization"].startswith("Basic ")
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"s3cret" in path.read_bytes()]
