"""A tree and changes of every kind to it, for whatever writes trees."""

from __future__ import annotations

from collections.abc import Mapping

from patchtool.files import File, Mode

OLD = {
    "edited.js": File(data=b"old\n"),
    "bin/run": File(data=b"#!/bin/sh\n"),
    "gone/with/its/directories.txt": File(data=b"gone\n"),
    "link": File(data=b"edited.js", mode=Mode.SYMLINK),
    "lib": File(data=b"a file\n"),
    "dist/index.js": File(data=b"a directory\n"),
    "untouched.txt": File(data=b"same\n"),
}
# Every kind of step: edit, mode, delete, link, file to directory, directory to file, create.
CHANGES: Mapping[str, File | None] = {
    "edited.js": File(data=b"new\n"),
    "bin/run": File(data=b"#!/bin/sh\n", mode=Mode.EXECUTABLE),
    "gone/with/its/directories.txt": None,
    "link": File(data=b"bin/run", mode=Mode.SYMLINK),
    "lib": None,
    "lib/index.js": File(data=b"below\n"),
    "dist/index.js": None,
    "dist": File(data=b"a file now\n"),
    "new/deep/file.txt": File(data=b"made\n"),
}
NEW = {path: file for path, file in (OLD | dict(CHANGES)).items() if file is not None}
