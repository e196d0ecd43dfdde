"""The lockfiles that are read, in a dict: which module reads each, and the commands of its tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of lockfile.

    `module` reads it. Where one tool owns the format, `refresh` is the command that mends it after
    a bad merge, and `take` the one that takes a package from the registry. `behind` is a lockfile
    that the tool prefers to this one.
    """

    module: str
    refresh: str | None = None
    take: str | None = None
    behind: str | None = None


FORMATS: Mapping[str, Mapping[str, Format]] = {
    "npm": {
        "npm-shrinkwrap.json": Format(
            module="npm",
            refresh="git checkout HEAD -- npm-shrinkwrap.json",
            take="npm install {name}@{version}",
        ),
        "package-lock.json": Format(
            module="npm",
            refresh="npm install --package-lock-only",
            take="npm install {name}@{version}",
            behind="npm-shrinkwrap.json",
        ),
        "pnpm-lock.yaml": Format(
            module="pnpm", refresh="pnpm install --lockfile-only", take="pnpm add {name}@{version}"
        ),
        "yarn.lock": Format(
            module="yarn", refresh="yarn install", take="yarn add {name}@{version}"
        ),
        "bun.lock": Format(
            module="bun", refresh="bun install --lockfile-only", take="bun add {name}@{version}"
        ),
        "bun.lockb": Format(
            module="bun",
            refresh="bun install --save-text-lockfile --frozen-lockfile --lockfile-only",
            behind="bun.lock",
        ),
    },
    "pypi": {
        "uv.lock": Format(
            module="uv",
            refresh="git checkout HEAD -- uv.lock && uv lock",
            take="uv add {name}=={version}",
        ),
        "pylock.toml": Format(module="pylock"),
        "poetry.lock": Format(
            module="poetry",
            refresh="git checkout HEAD -- poetry.lock && poetry lock",
            take="poetry add {name}=={version}",
        ),
        "Pipfile.lock": Format(
            module="pipenv",
            refresh="git checkout HEAD -- Pipfile.lock && pipenv lock",
            take="pipenv install {name}=={version}",
        ),
        "requirements.txt": Format(module="requirements"),
    },
}
