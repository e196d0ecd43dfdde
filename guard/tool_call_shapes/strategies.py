"""Hypothesis strategies for recoverable streams, to look for a failure and to shrink one.

Only tests may import this module: a guard's fixed run needs no Hypothesis.
"""

from __future__ import annotations

import json

from hypothesis import assume
from hypothesis import strategies as st

from tool_call_shapes.calls import BARE_TOOL, TOOLS, Plan, cut
from tool_call_shapes.labels import Id, Index, Labelling, Name, Order
from tool_call_shapes.stream import Call, Stream
from tool_call_shapes.sweep import make

_values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """One to four known calls, each with its arguments cut into one to three pieces."""
    calls, pieces = [], []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(TOOLS))
        bare = name == BARE_TOOL
        arguments = draw(st.sampled_from(("", "{}")) if bare else _arguments())
        calls.append(Call(name=name, arguments=arguments))
        places = draw(st.lists(st.floats(0, 1), max_size=2))
        pieces.append(cut(arguments, places, empty_head=draw(st.booleans())))
    return Plan(calls=tuple(calls), pieces=tuple(pieces))


@st.composite
def _arguments(draw: st.DrawFn) -> str:
    return json.dumps(
        draw(st.dictionaries(st.text(max_size=3), _values, max_size=3)),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from(((",", ":"), (", ", ": ")))),
    )


labellings = st.builds(
    Labelling,
    index=st.sampled_from(Index),
    id=st.sampled_from(Id),
    name=st.sampled_from(Name),
    order=st.sampled_from(Order),
)


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """Recoverable streams, as the sweep makes them; it shrinks towards what OpenAI sends."""
    stream = make(draw(plans()), draw(labellings), 0)
    assume(stream is not None)
    assert stream is not None
    return stream
