"""Hybrid mode: highly relevant memories go into the prompt, the model can search the rest with a tool."""

import json
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SEARCH_MEMORY = {
    "type": "function",
    "function": {
        "name": "search_memory",
        "description": "Look something up in your own memory.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
}

settings = {
    "embedding.backend": "off",
    "recall.mode": "hybrid",
    "recall.high_relevance_threshold": 0.7,
}
with TemporaryDirectory() as folder, Home.open(folder, settings) as home:
    mira = home.role("Mira", create=True)
    mira.remember(
        "The beacon burns whale oil and is lit at dusk.",
        "semantic",
        id="lighthouse",
        keys=["beacon"],
    )
    mira.remember(
        "A brig was lost the night the lamp went dark.",
        id="brig",
        keys=["dark"],
        created="1887-11-02",
    )
    mira.remember("The mail boat brings the oil on Thursdays.", "semantic", id="mail-boat")

    turn = mira.recall("Why is the beacon dark? Who brings the oil?", now=NOW)
    print("in the prompt: ", [one.memory.id for one in turn.recalled])
    print("near, by tool: ", [one.memory.id for one in turn.near])
    print("tools to offer:", [SEARCH_MEMORY["function"]["name"]] if turn.near else [])

    # The model calls the tool; this is all your handler does.
    call = {"name": "search_memory", "arguments": json.dumps({"query": "mail boat oil"})}
    found = mira.search(json.loads(call["arguments"])["query"], limit=3, now=NOW)
    print("tool answers:  ", json.dumps([one.memory.content for one in found]))
