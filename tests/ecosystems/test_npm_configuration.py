"""npm's configuration as npm itself has it: files, variables, scopes, credentials, proxies."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from patchtool.ecosystems.npm.configuration import Configuration, configuration
from patchtool.store import Store

MakeStore = Callable[..., Store]
Ask = Callable[..., Configuration]


def of(settings: dict[str, str], **environment: str) -> Configuration:
    """A configuration with some settings and variables."""
    return Configuration(settings=settings, environment=environment)


@pytest.fixture
def ask(make_store: MakeStore, tmp_path: Path) -> Ask:
    """Ask npm for its configuration, given the text of the user's and the project's npmrc."""

    def ask(user: str = "", project: str = "", **variables: str) -> Configuration:
        (tmp_path / "home").mkdir()
        (tmp_path / "home/.npmrc").write_text(user)
        (tmp_path / "app").mkdir()
        (tmp_path / "app/package.json").write_text("{}")
        (tmp_path / "app/.npmrc").write_text(project)
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")} | variables
        return configuration(make_store(root=tmp_path / "app", environment=environment))

    return ask


def test_project_comes_before_user_and_variables_before_both(ask: Ask) -> None:
    """The same setting in several places: a variable, then the project, then the user."""
    npm = ask(
        "registry=https://user.invalid/\n@one:registry=https://user.invalid/one\n",
        "@one:registry=https://project.invalid/one\n@two:registry=https://project.invalid/two/",
        npm_config_registry="https://variable.invalid",
    )
    assert npm.registry("thing") == "https://variable.invalid/"
    assert npm.registry("@one/thing") == "https://project.invalid/one/"
    assert npm.registry("@two/thing") == "https://project.invalid/two/"
    assert npm.registry("@three/thing") == "https://variable.invalid/"


def test_credentials_are_read_where_npm_keeps_them_to_itself(ask: Ask) -> None:
    """Tokens with variables, quotes and comments, from each file and from a variable's name."""
    npm = ask(
        "; a comment\n//a.invalid/:_authToken = ${TOKEN} ; more\n"
        '# another\n//b.invalid/:_authToken="quo;ted"\n//c.invalid/:_authToken=${NONE?}x\n'
        "//d.invalid/:_authToken=${NONE}\n",
        "//e.invalid/:_auth=am9lOnB3\n",
        **{"TOKEN": "s3cret", "npm_config_//f.invalid/:_authToken": "t"},
    )

    def header(host: str) -> str | None:
        return npm.authorization(f"https://{host}.invalid/pkg")

    assert header("a") == "Bearer s3cret"
    assert header("b") == "Bearer quo;ted"
    assert header("c") == "Bearer x"
    assert header("d") == "Bearer ${NONE}"
    assert header("e") == "Basic am9lOnB3"
    assert header("f") == "Bearer t"
    assert header("g") is None


def test_proxy_with_a_password_is_found_and_the_login_hint_has_none(ask: Ask) -> None:
    """Npm hides addresses with credentials from its listing; they are used all the same."""
    npm = ask(
        "proxy=http://joe:pw@proxy.invalid:1/\nregistry=https://joe:pw@r.invalid/npm\n"
        "noproxy=a.invalid, b.invalid\nstrict-ssl=false\ncafile=/ca.pem\n"
    )
    route = npm.route("thing")
    assert route.proxies == dict.fromkeys(("http", "https"), "http://joe:pw@proxy.invalid:1/")
    assert route.no_proxy == ("a.invalid", "b.invalid")
    assert route.verify is False
    assert route.authorities == "/ca.pem"
    assert route.login == "npm login --registry https://r.invalid/npm/"


def test_workspace_has_the_npmrc_of_its_root(make_store: MakeStore, tmp_path: Path) -> None:
    """In a workspace npm reads the root's .npmrc and not the workspace's: so do we."""
    (tmp_path / "package.json").write_text('{"workspaces": ["packages/*"]}')
    (tmp_path / ".npmrc").write_text("//a.invalid/:_authToken=root")
    inner = tmp_path / "packages/x"
    inner.mkdir(parents=True)
    (inner / "package.json").write_text('{"name": "x"}')
    (inner / ".npmrc").write_text("//a.invalid/:_authToken=inner")
    npm = configuration(make_store(root=inner))
    assert npm.authorization("https://a.invalid/") == "Bearer root"


def test_credentials_belong_to_an_address_and_what_is_below() -> None:
    """The longest matching place counts; other hosts, ports and sibling paths get nothing."""
    npm = of(
        {
            "//r.invalid/:_authToken": "top",
            "//r.invalid/deep/:_authToken": "deep",
            "//r.invalid:8080/only:_authToken": "port",
        }
    )
    assert npm.authorization("https://r.invalid/pkg") == "Bearer top"
    assert npm.authorization("https://r.invalid/deep/pkg/-/pkg.tgz") == "Bearer deep"
    assert npm.authorization("https://r.invalid/deeper/pkg") == "Bearer top"
    assert npm.authorization("http://r.invalid:8080/only/pkg") == "Bearer port"
    assert npm.authorization("http://r.invalid:8080/else") is None
    assert npm.authorization("https://other.invalid/") is None


def test_user_and_password_make_basic_credentials() -> None:
    """A user with npm's base64 password is a Basic header; a password that is no base64 is none."""
    place = "//r.invalid/"
    settings = {f"{place}:username": "joe", f"{place}:_password": base64.b64encode(b"p:w").decode()}
    npm = of(settings)
    expected = "Basic " + base64.b64encode(b"joe:p:w").decode()
    assert npm.authorization("https://r.invalid/") == expected
    bad = of(settings | {f"{place}:_password": "\u00e9"})
    assert bad.authorization("https://r.invalid/") is None


def test_variables_give_proxies_and_authorities_where_npm_has_none() -> None:
    """HTTPS_PROXY, NO_PROXY and the files of more authorities count, in either case of letters."""
    route = of(
        {"registry": "https://r.invalid"},
        https_proxy="http://p.invalid",
        NO_PROXY="localhost,.corp.invalid",
        NODE_EXTRA_CA_CERTS="/extra.pem",
    ).route("thing")
    assert route.proxies == {"https": "http://p.invalid"}
    assert route.no_proxy == ("localhost", ".corp.invalid")
    assert route.more_authorities == ("/extra.pem",)
    assert route.verify is True


def test_a_pipe_above_the_project_is_not_waited_for(tmp_path: Path, make_store: MakeStore) -> None:
    """Nobody writes to what stands as a manifest there: it names no workspaces."""
    project = tmp_path / "app" / "member"
    project.mkdir(parents=True)
    (project / "package.json").write_text("{}")
    (project / ".npmrc").write_text("@one:registry=https://project.invalid/one/\n")
    os.mkfifo(tmp_path / "app" / "package.json")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    npm = configuration(make_store(root=project, environment=environment))
    assert npm.registry("@one/thing") == "https://project.invalid/one/"
