"""A registry on the loopback with packages that the tests make, and npm configured for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from http_server import Server
from npm_registry import Registry
from patchtool.store import Store


@pytest.fixture
def registry(server: Server, tmp_path: Path) -> Registry:
    """An empty registry, and a project at tmp_path/app whose .npmrc names it and a token for it."""
    made = Registry(server)
    app = tmp_path / "app"
    app.mkdir()
    (app / "package.json").write_text("{}")
    place = made.url.removeprefix("http:")
    (app / ".npmrc").write_text(f"registry={made.url}\n{place}:_authToken=${{THE_TOKEN}}\n")
    return made


@pytest.fixture
def npm_store(make_store: Callable[..., Store], tmp_path: Path) -> Callable[..., Store]:
    """Make stores for the project at tmp_path/app, with npm's own cache and files apart."""

    def make(**options: Any) -> Store:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path / "home"),
            "THE_TOKEN": "s3cret",
            "npm_config_cache": str(tmp_path / "npm-cache"),
            "npm_config_fetch_retries": "0",
            "npm_config_update_notifier": "false",
        }
        return make_store(**{"root": tmp_path / "app", "environment": environment} | options)

    return make
