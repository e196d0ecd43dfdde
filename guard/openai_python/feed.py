"""Feeds streamed turns to the openai package of a stack, and hands back all that comes of them.

It runs in a Python of its own that has the stack's packages and nothing else: one request a line on
stdin, one answer a line on stdout. What a turn should give is judged elsewhere.
"""

import asyncio
import json
import sys
import warnings
from typing import Any

from openai import AsyncOpenAI, OpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

warnings.simplefilter("error")  # a turn must not warn of anything

QUESTION: Any = {"model": "model", "messages": [{"role": "user", "content": "go"}]}


def by_state(request: Any, events: list[Any]) -> Any:
    """The state class, fed by hand, as by one who has the chunks from elsewhere."""
    state: Any = ChatCompletionStreamState(input_tools=request["tools"])
    for values in request["chunks"]:
        chunk = ChatCompletionChunk.construct(**values)
        before = plain(chunk)
        events += map(plain, state.handle_chunk(chunk))
        if plain(chunk) != before:
            raise RuntimeError(f"{before} became {plain(chunk)}")
    return state.get_final_completion()


def by_client(request: Any, events: list[Any]) -> Any:
    """The client's own stream, from a server."""
    client = OpenAI(api_key="none", base_url=request["url"], max_retries=0)
    with client, client.chat.completions.stream(**QUESTION) as stream:
        for event in stream:
            events.append(plain(event))
        return stream.get_final_completion()


def by_async_client(request: Any, events: list[Any]) -> Any:
    """The same with the asynchronous client."""

    async def run() -> Any:
        client = AsyncOpenAI(api_key="none", base_url=request["url"], max_retries=0)
        async with client, client.chat.completions.stream(**QUESTION) as stream:
            async for event in stream:
                events.append(plain(event))
            return await stream.get_final_completion()

    return asyncio.run(run())


WAYS = {"state": by_state, "client": by_client, "async client": by_async_client}


def plain(value: Any) -> Any:
    """A value of the package as JSON would have it."""
    return value.to_dict(mode="json", warnings=False)


def answer(request: Any) -> Any:
    """The events of a turn, the message of each choice and what was raised, if anything was."""
    turn: dict[str, Any] = {"events": [], "messages": [], "error": None}
    try:
        completion = WAYS[request["way"]](request, turn["events"])
        turn["messages"] = [plain(choice.message) for choice in completion.choices]
    except Exception as error:
        turn["error"] = f"{type(error).__name__}: {error}"
    return turn


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
