"""Anthropic's Messages and OpenAI's Responses through the proxy: what the model gets, and what is kept of its answer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.endpoint import Behaviour, replies
from tests.serve.proxy.test_proxy import ask, between, settled
from tests.serve.proxy.upstreams import plays

FACT = "Anna keeps bees in Riga."
HINT = {"role": "Asha", "user": "Lin", "chat": "one"}


def events(*rows: Mapping[str, Any]) -> Behaviour:
    """A stream whose events have names."""
    pieces = (
        f"event: {row['type']}\ndata: {json.dumps(row, ensure_ascii=False)}\n\n" for row in rows
    )
    return plays("".join(pieces).encode())


def delta(text: str) -> dict[str, Any]:
    return {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": text},
    }


THOUGHT = {
    "type": "content_block_delta",
    "index": 0,
    "delta": {"type": "thinking_delta", "thinking": "Hm."},
}
MESSAGE = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "她在里加养蜂。"},
    ],
    "stop_reason": "end_turn",
}
OUTPUT = [
    {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Hm."}]},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "她在里加养蜂。"}],
    },
]
RESPONSE = {"object": "response", "status": "completed", "error": None, "output": OUTPUT}
ANSWERS = {
    "messages": replies(json.dumps(MESSAGE).encode()),
    "messages, streamed": events(
        {"type": "message_start", "message": {**MESSAGE, "content": []}},
        *(THOUGHT, delta("她在里加"), delta("养蜂。")),
        *(
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ),
    ),
    "responses": replies(json.dumps(RESPONSE).encode()),
    "responses, streamed": events(
        {"type": "response.created", "response": {**RESPONSE, "output": []}},
        {"type": "response.reasoning_text.delta", "delta": "Hm."},
        *({"type": "response.output_text.delta", "delta": text} for text in ("她在里加", "养蜂。")),
        {"type": "response.completed", "response": RESPONSE},
    ),
}
TALK = [
    {"role": "user", "content": "我回来了。"},
    {"role": "assistant", "content": "Sit by the stove."},
    {"role": "user", "content": "What does my sister do in Riga?"},
]


def call(path: str, **fields: Any) -> dict[str, Any]:
    """The same chat in either form."""
    opening, said = ("system", "messages") if path == "messages" else ("instructions", "input")
    return {"model": "m", opening: "You are Asha.", said: TALK, "rolememory": HINT, **fields}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_chat_in_another_form_has_its_memory_and_is_kept(tmp_path: Path, answer: str) -> None:
    path = answer.partition(",")[0]
    with between(tmp_path, ANSWERS[answer]) as (house, model):
        house.home.create("Asha").remember(FACT, keys=["Riga"], user="Lin")
        came = ask(house, call(path, stream="," in answer), f"/v1/{path}")
        kept = [one.text for one in settled(house).chats.path("one")]
        sent = model.requests[-1]
    assert came.status_code == 200
    assert FACT in json.dumps(sent.json)
    assert kept == [*(one["content"] for one in TALK), "她在里加养蜂。"]
    assert sent.path == f"/v1/{path}"
    assert not {"rolememory", "opening"} & {*sent.json}


def test_memory_stands_with_the_instructions_where_no_message_may_be_of_the_system(
    tmp_path: Path,
) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "rain"}
    used = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "w", "input": {}}],
    }
    system = [{"type": "text", "text": "You are Asha.", "cache_control": {"type": "ephemeral"}}]
    told = [*TALK, used, {"role": "user", "content": [result]}]
    with between(tmp_path, ANSWERS["messages"]) as (house, model):
        role = house.home.create("Asha")
        role.remember(FACT, keys=["Riga"])
        role.remember("Asha never lies.", constant=True)
        for rows in (TALK, told):
            ask(house, call("messages", system=system, messages=rows), "/v1/messages")
        plain, with_tool = (one.json for one in model.requests)
    assert plain["system"][0] == system[0]
    assert "never lies" in plain["system"][1]["text"]
    assert FACT in plain["system"][2]["text"]
    assert plain["messages"] == TALK
    assert with_tool["messages"] == told


def test_an_input_of_responses_keeps_its_items(tmp_path: Path) -> None:
    text = {"type": "input_text", "text": TALK[-1]["content"]}
    first = {"role": "developer", "content": [{"type": "input_text", "text": "You are Asha."}]}
    used = {"type": "function_call", "call_id": "c1", "name": "w", "arguments": "{}"}
    given = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
    rows = [first, {"type": "message", "role": "user", "content": [text]}, used, given]
    with between(tmp_path, ANSWERS["responses"]) as (house, model):
        role = house.home.create("Asha")
        role.remember(FACT, keys=["Riga"])
        role.remember("Asha never lies.", constant=True)
        ask(house, {"model": "m", "input": rows, "rolememory": HINT}, "/v1/responses")
        ask(
            house, {"model": "m", "input": TALK[-1]["content"], "rolememory": HINT}, "/v1/responses"
        )
        sent, single = (one.json for one in model.requests)
    assert [one for one in sent["input"] if one in rows[1:]] == rows[1:]
    at = sent["input"].index(used)
    assert sent["input"][at + 1] == given
    assert {part["type"] for part in sent["input"][0]["content"]} == {"input_text"}
    assert FACT in json.dumps(sent)
    assert FACT in json.dumps(single)
    assert "instructions" not in sent


def test_a_response_that_goes_on_from_what_the_server_keeps_is_not_taken_for_the_whole_chat(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with between(tmp_path, ANSWERS["responses"]) as (house, model):
        house.home.create("Asha").remember(FACT, keys=["Riga"])
        ask(house, call("responses"), "/v1/responses")
        before = [one.text for one in settled(house).chats.path("one")]
        for _ in range(2):
            later = call("responses", input="And in Riga?", previous_response_id="r1")
            ask(house, later, "/v1/responses")
        after = [one.text for one in settled(house).chats.path("one")]
        assert FACT in json.dumps(model.requests[-1].json)
    assert after == before
    assert [row.message.count("previous_response_id") for row in caplog.records].count(1) == 1


@pytest.mark.parametrize("path", ["messages", "responses"])
def test_messages_of_any_shape_get_through(tmp_path: Path, path: str) -> None:
    odd = [
        "x",
        3,
        None,
        {"role": "assistant"},
        {"role": "user", "content": [None, "hi", {}]},
        {"content": {}},
        {"role": "system"},
    ]
    said = "messages" if path == "messages" else "input"
    with between(tmp_path, replies(b"{}")) as (house, model):
        house.home.create("Asha").remember(FACT, constant=True)
        for rows in (odd, odd[:4], [*odd, *TALK[:2]], TALK[1:2]):
            came = ask(house, call(path, **{said: rows}), f"/v1/{path}")
            assert came.status_code == 200
            assert len(model.requests[-1].json[said]) >= len(rows) - 1


@pytest.mark.parametrize("path", ["messages", "responses"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"model": "m", "messages": {}, "input": 3}', id="no messages"),
        pytest.param(
            b'{"model": "m", "messages": ["x"], "input": [null]}', id="messages of another shape"
        ),
        pytest.param(b"[]", id="no object"),
    ],
)
def test_what_is_no_chat_in_any_form_goes_up_as_it_came(
    tmp_path: Path, path: str, body: bytes
) -> None:
    with between(tmp_path, replies(b"{}")) as (house, model):
        house.home.create("Asha").remember(FACT, constant=True)
        url = f"{house.url}/r/Asha/v1/{path}"
        assert httpx.post(url, content=body, timeout=60, trust_env=False).status_code == 200
        assert model.requests[-1].body == body


def test_the_key_of_a_call_in_anthropics_form_is_told_from_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with between(tmp_path, ANSWERS["messages"]) as (house, model):
        for key in ("sk-ant-1", house.house.token):
            ask(house, call("messages"), "/v1/messages", **{"X-Api-Key": key})
        monkeypatch.setenv("ROLEMEMORY_UPSTREAM_KEY", "sk-own")
        ask(house, call("messages"), "/v1/messages", **{"X-Api-Key": "x"})
        keys = [
            (one.headers.get("x-api-key"), one.headers.get("authorization"))
            for one in model.requests
        ]
    assert keys == [("sk-ant-1", None), (None, None), ("sk-own", None)]
