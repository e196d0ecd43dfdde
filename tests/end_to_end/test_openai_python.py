"""The patch of this repository for openai-python, on the real release in a real environment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATCH = ROOT / "patches" / "openai+3.57.0.patch"
FEED = ROOT / "guard" / "openai_python" / "feed.py"

pytestmark = pytest.mark.network

Chunks = Sequence[Mapping[str, Any]]

MANIFEST = """
[[fix]]
name = "tool-calls"
summary = "two calls at index 0 are two calls"
forwarded = "not-needed"
delete-when = "the guard passes on an unpatched release"

[fix.guard]
path = "guard"

[[fix.pin]]
packages = ["pkg:pypi/openai@3.57.0"]
"""

GUARD = """
import subprocess
from pathlib import Path

def test_two_calls(stack_python):
    command = [*stack_python, str(Path(__file__).with_name("two_calls.py"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert len(done.stdout.splitlines()) == 2
"""

# Streams two calls, both at index 0, and prints what the user's code would run.
SCRIPT = """
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

state = ChatCompletionStreamState()
for name, path in (("read_file", "a"), ("list_dir", "b")):
    function = {"name": name, "arguments": '{"path":"%s"}' % path}
    call = {"index": 0, "id": f"call_{path}", "type": "function", "function": function}
    choice = {"index": 0, "delta": {"tool_calls": [call]}}
    state.handle_chunk(ChatCompletionChunk.construct(choices=[choice]))
for call in state.get_final_completion().choices[0].message.tool_calls:
    print(call.id, call.function.name, call.function.arguments)
"""


class Environment:
    """A virtual environment in a project that keeps the patch, and nothing else."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.directory = project / ".venv"
        self.python = self.directory / "bin" / "python"
        _run(sys.executable, "-m", "venv", "--without-pip", self.directory)
        self.script = project / "guard" / "two_calls.py"
        files = {
            self.script: SCRIPT,
            project / "guard" / "test_two_calls.py": GUARD,
            project / "patches" / "patches.toml": MANIFEST,
            project / "patches" / PATCH.name: PATCH.read_text(encoding="utf-8"),
        }
        for path, text in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def pip(self, *arguments: str) -> str:
        """Run pip on it."""
        return _run(sys.executable, "-m", "pip", "--python", self.python, *arguments)

    def patchtool(self, *arguments: str) -> str:
        """Run patchtool in the project."""
        return _run(sys.executable, "-m", "patchtool", *arguments, "--root", self.project)

    def calls(self) -> list[str]:
        """The calls that the script prints."""
        return _run(self.python, self.script).splitlines()

    def events(self, turns: Sequence[Chunks]) -> list[str]:
        """All that the package makes of turns, as JSON, one by one."""
        requests = [{"way": "state", "chunks": turn, "tools": []} for turn in turns]
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        return _run(self.python, FEED, input=lines).splitlines()

    @property
    def files(self) -> Mapping[str, bytes]:
        """Every file of the environment, but for the bytecode that running it leaves."""
        return {
            str(path.relative_to(self.directory)): path.read_bytes()
            for path in self.directory.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }


def _run(*command: str | Path, input: str | None = None) -> str:
    done = subprocess.run(command, input=input, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the release as it was published, in a project that has its lock."""
    environment = Environment(tmp_path_factory.mktemp("project"))
    environment.pip("install", "-q", "openai==3.57.0")
    environment.patchtool("lock")
    return environment


def test_conforming_turns(environment: Environment) -> None:
    """What OpenAI sends comes out byte for byte as without the patch: events, snapshot, message."""
    turns = conforming_turns()
    pristine, before = environment.files, environment.events(turns)
    environment.patchtool("apply")
    assert environment.events(turns) == before
    assert len(before) == len(turns)
    environment.patchtool("apply", "--reverse")
    assert environment.files == pristine


def test_two_calls_at_index_0(environment: Environment) -> None:
    """The patch makes two calls of two, is content with pip, and leaves with the package."""
    assert len(environment.calls()) == 1
    environment.patchtool("apply")
    assert environment.calls() == [
        'call_a read_file {"path":"a"}',
        'call_b list_dir {"path":"b"}',
    ]
    patched = environment.files
    environment.patchtool("apply")
    assert environment.files == patched
    environment.pip("check")
    environment.pip("uninstall", "-y", "-q", "openai")
    assert not [path for path in environment.directory.rglob("*") if "openai" in path.name]


def conforming_turns() -> list[Chunks]:
    """Turns as OpenAI sends them: one call, several at once, two choices, refused, cut off."""
    head = {"role": "assistant", "content": None}
    read = [_delta(0, "", "read_file"), *(_delta(0, text) for text in ('{"pa', 'th":"a', '"}'))]
    look = [_delta(1, "", "list_dir"), _delta(1, "{}")]
    both = [
        {"tool_calls": [*_delta(0, "{}", "a")["tool_calls"], *_delta(1, "{}", "b")["tool_calls"]]}
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [
        _turn([head, *read], "tool_calls"),
        _turn(
            [{"role": "assistant", "content": "I "}, {"content": "look."}, *read, *look],
            "tool_calls",
        ),
        [*_turn([head, *read, *look], "tool_calls"), {**_chunk(), "usage": usage}],
        _turn(both, "tool_calls"),
        _turn([head, *read[:-1]], "length"),
        _turn([{"role": "assistant", "refusal": "No."}], "stop"),
        [
            _chunk(_choice(0, head), _choice(1, head)),
            *(_chunk(_choice(number, each)) for each in read for number in (1, 0)),
            *(_chunk(_choice(number, {}, "tool_calls")) for number in (0, 1)),
        ],
    ]


def _delta(index: int, text: str, name: str | None = None) -> Mapping[str, Any]:
    if name is None:
        return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}
    function = {"name": name, "arguments": text}
    call = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
    return {"tool_calls": [call]}


def _turn(deltas: Sequence[Mapping[str, Any]], reason: str) -> Chunks:
    choices = [*(_choice(0, delta) for delta in deltas), _choice(0, {}, reason)]
    return [_chunk(choice) for choice in choices]


def _choice(index: int, delta: Mapping[str, Any], reason: str | None = None) -> Mapping[str, Any]:
    return {"index": index, "delta": delta, "finish_reason": reason}


def _chunk(*choices: Mapping[str, Any]) -> Mapping[str, Any]:
    facts = {"id": "turn", "object": "chat.completion.chunk", "created": 1, "model": "model"}
    return {**facts, "choices": choices}
