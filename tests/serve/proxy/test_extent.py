"""Calls that are longer than the settings let memory read: they go on, byte for byte, without it."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.endpoint import Endpoint, answers
from tests.serve.houses import served
from tests.serve.proxy.requests import request

FACT = "The beacon failed in the storm of 1887."
BOUNDS = {"serve.max_messages": 12, "serve.max_characters": 3_000, "serve.recall_timeout_s": 60.0}


def call(messages: int, characters: int) -> dict[str, Any]:
    """A chat of so many messages and characters in all, with the card and what stands around it."""
    bare = request([("user", "Why is the beacon dark?")])
    chat = [("assistant" if place % 2 else "user", "") for place in range(messages - 5)]
    lack = characters - sum(len(one["content"]) for one in bare["messages"])
    said = [(who, "x" * (lack if place == 0 else 0)) for place, (who, _) in enumerate(chat)]
    return request(
        [*said, ("user", "Why is the beacon dark?")], hint={"role": "Asha", "user": "lin"}
    )


@pytest.mark.parametrize(
    ("messages", "characters", "remembers"),
    [
        pytest.param(12, 3_000, True, id="as much as the settings allow"),
        pytest.param(13, 3_000, False, id="one message more"),
        pytest.param(12, 3_001, False, id="one character more"),
    ],
)
def test_a_longer_call_passes_without_memory(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    messages: int,
    characters: int,
    remembers: bool,
) -> None:
    with (
        Endpoint(answers("Hm.")) as model,
        served(tmp_path, {"serve.upstream": model.url, **BOUNDS}) as house,
    ):
        house.home.create("Asha").remember(FACT, keys=["beacon"], created="1887-10-27")
        body = call(messages, characters)
        told = [one["content"] for one in body["messages"]]
        assert (len(told), sum(map(len, told))) == (messages, characters)
        url = f"{house.url}/v1/chat/completions"
        assert (
            httpx.post(url, json=body, timeout=60, trust_env=False, verify=False).status_code == 200
        )
        sent = json.loads(model.requests[-1].body)
    assert (FACT in json.dumps(sent)) is remembers
    assert "rolememory" not in sent
    assert ("serve.max_messages" in caplog.text) is not remembers
    if not remembers:
        assert sent["messages"] == body["messages"]
