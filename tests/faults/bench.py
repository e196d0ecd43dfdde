"""A scenario laid out, with its files before and after; every trial starts on a copy of it."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path

from diff.engine_case import look
from patchtool import cli
from patchtool.files import File

from .injector import READING, WRITING, Ended, Injector, run
from .scenarios import Scenario

Tree = Mapping[str, File | str]
_OURS = ".patchtool-"


class Bench:
    """The place where one scenario is tried; `writing` and `reading` name its steps, in order."""

    def __init__(self, scenario: Scenario, directory: Path) -> None:
        self.name = scenario.name
        self.place = directory / "trial"
        self.words = scenario.words(self.place)
        self._template = directory / "template"
        self._template.mkdir(parents=True)
        scenario.lay_out(self._template)
        if scenario.prepare:
            self.reset()
            done = self._run(scenario.prepare(self.place))
            assert done.code == 0, done
            shutil.rmtree(self._template)
            self.place.rename(self._template)
        self.before: Tree = look(self._template)
        self._load()
        self.writing, self.reading = (self._steps(names) for names in (WRITING, READING))
        self.after: Tree = look(self.place)
        assert self.after != self.before, scenario.name

    def _steps(self, names: Collection[str]) -> tuple[str, ...]:
        self.reset()
        done = self.apply(Injector(names=names))
        assert (done.code, done.err) == (0, ""), done
        return done.steps

    def reset(self) -> None:
        """Lay out the files as before."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self._template, self.place, symlinks=True)

    def apply(self, injector: Injector | None = None, *more: str) -> Ended:
        """Run the command, with more words if there are any."""
        return self._run((*self.words, *more), injector)

    def found(self) -> Tree:
        """What is there now."""
        return look(self.place)

    def torn(self) -> Iterator[str]:
        """The paths that have neither their old nor their new content, ours aside."""
        for path, file in self.found().items():
            is_ours = path.rpartition("/")[2].startswith(_OURS)
            if not is_ours and file not in (self.before.get(path), self.after.get(path), EMPTY):
                yield path

    def settled(self) -> Tree:
        """What is there now, without files of ours and directories that hold nothing else."""
        return {
            path: file
            for path, file in self.found().items()
            if file != EMPTY and not path.rpartition("/")[2].startswith(_OURS)
        }

    def _load(self) -> None:
        """Run once in this process: what is loaded here is loaded in each that is forked."""
        self.reset()
        variables = dict(os.environ)
        with redirect_stdout(io.StringIO()):
            assert cli.main(list(self.words)) == 0
        os.environ.clear()
        os.environ.update(variables)  # --python is handed on as one

    def _run(self, words: tuple[str, ...], injector: Injector | None = None) -> Ended:
        return run(lambda: cli.main(list(words)), injector)


# As `look` calls it: a directory is made before what goes into it, and goes after it.
EMPTY = "empty directory"
