"""Turns over REST: recalled, explained, tried, observed, searched."""

import json
from typing import Any

import httpx
import pytest

from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good

QUESTION = asks("Good evening.", "Why is the beacon dark?")


@pytest.fixture
def keeper(role: Caller) -> Caller:
    role.remember("The beacon failed in the storm of 1887.", id="beacon", keys=["beacon"])
    role.remember(
        "Lin is afraid of thunder.",
        id="thunder",
        type="semantic",
        subject="user",
        user="lin",
        keys=["beacon"],
    )
    role.remember("The mayor sells bad bread.", id="bread")
    return role


def test_a_turn_gives_words_places_and_reasons(keeper: Caller) -> None:
    turn = keeper.post("/recall", {"messages": QUESTION, "user": "lin", "with_messages": True})
    assert [item["id"] for item in turn["items"]] == ["beacon", "thunder"]
    first = turn["items"][0]
    assert (first["type"], first["why"][0]["by"], first["why"][0]["values"]["key"]) == (
        "episodic",
        "keyword",
        "beacon",
    )
    assert 0 < first["relevance"] <= 1
    assert first["content"] in turn["text"]
    assert turn["position"] == {"position": "depth", "depth": 1, "role": "system"}
    told = [message["content"] for message in turn["messages"]]
    assert told == [
        *(one["content"] for one in QUESTION[:-1]),
        turn["text"],
        QUESTION[-1]["content"],
    ]
    assert (turn["characters"], turn["meaning"], turn["lore"], turn["near"]) == (
        len(turn["text"]),
        "absent",
        [],
        [],
    )


def test_what_is_another_user_s_is_not_told(keeper: Caller) -> None:
    turn = keeper.post("/recall", {"messages": QUESTION, "user": "ann"})
    assert [item["id"] for item in turn["items"]] == ["beacon"]


@pytest.mark.parametrize(
    ("budget", "ids"),
    [
        pytest.param({"max_items": 1}, ["beacon"], id="one memory"),
        pytest.param({"max_items": 0}, [], id="none"),
        pytest.param({"max_total_length": 10}, [], id="no room"),
        pytest.param(
            {"max_total_length": 500, "unit": "tokens"},
            ["beacon", "thunder"],
            id="room enough, in tokens",
        ),
    ],
)
def test_a_turn_may_have_a_budget_of_its_own(
    keeper: Caller, budget: dict[str, Any], ids: list[str]
) -> None:
    assert [
        item["id"]
        for item in keeper.post("/recall", {"messages": QUESTION, "user": "lin", "budget": budget})[
            "items"
        ]
    ] == ids
    assert len(keeper.post("/recall", {"messages": QUESTION, "user": "lin"})["items"]) == 2


def test_a_look_does_not_count_and_a_turn_does(keeper: Caller) -> None:
    keeper.post("/recall", {"messages": QUESTION, "chat": "harbour", "dry_run": True})
    assert (keeper.get("/stats")["turns"], keeper.get("/turns")["total"]) == (0, 0)
    keeper.post("/recall", {"messages": QUESTION, "chat": "harbour", "kind": "swipe"})
    assert keeper.get("/stats")["turns"] == 1
    note = keeper.get("/turns")["items"][0]
    assert (
        note["chat"],
        note["kind"],
        note["recalled"],
        [item["id"] for item in note["items"]],
    ) == ("harbour", "swipe", 1, ["beacon"])


def test_messages_come_as_clients_send_them(keeper: Caller) -> None:
    parts = [
        {"type": "text", "text": "Why is the"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "text", "text": "beacon dark?"},
    ]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": parts, "name": "Lin", "extra": {"a": [1]}},
    ]
    assert [item["id"] for item in keeper.post("/recall", {"messages": messages})["items"]] == [
        "beacon"
    ]


def test_a_message_may_call_its_words_text(keeper: Caller) -> None:
    keeper.post("/observe", {"messages": [{"role": "user", "text": "My aunt keeps bees."}]})
    asked = {"messages": [{"role": "user", "text": "Who keeps bees?"}], "chat": "another"}
    assert "My aunt keeps bees." in keeper.post("/recall", asked)["text"]


def test_no_messages_recall_nothing(keeper: Caller) -> None:
    assert keeper.post("/recall", {"messages": []})["items"] == []


@pytest.mark.parametrize(
    ("body", "where"),
    [
        pytest.param({}, "body.messages", id="no messages at all"),
        pytest.param(
            {"messages": [{"content": "x"}]}, "body.messages.0.role", id="a message of nobody"
        ),
        pytest.param(
            {"messages": [{"role": "ghost", "content": "x"}]},
            "body.messages.0.role",
            id="a message of a ghost",
        ),
        pytest.param(
            {"messages": [], "budget": {"max_items": -1}},
            "body.budget.max_items",
            id="less than nothing",
        ),
        pytest.param({"messages": [], "now": "never"}, "body.now", id="at no time"),
        pytest.param(
            {"messages": [], "unseen": 10**9}, "body.unseen", id="more unseen than there can be"
        ),
        pytest.param(
            {"messages": [{"role": "user", "content": "x"}] * 50_001},
            "body.messages",
            id="more messages than a chat has",
        ),
    ],
)
def test_what_is_no_turn_is_refused(keeper: Caller, body: dict[str, Any], where: str) -> None:
    answer = keeper("POST", "/recall", body)
    assert (answer.status_code, answer.json()["error"]["where"]) == (422, where)


def test_a_message_without_content_is_refused(keeper: Caller) -> None:
    body = {"messages": [{"role": "user", "message": "你好"}], "chat": "slip"}
    for path in ("/observe", "/recall"):
        answer = keeper("POST", path, body, headers={"Accept-Language": "zh"})
        assert answer.status_code == 422
        assert answer.json()["error"]["hint"] == "请把“message”改成“content”"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_memory_can_say_why_it_is_not_there_and_the_change_lets_it_in(
    keeper: Caller, language: str
) -> None:
    speaks = {"Accept-Language": f"{language}-XX,fr;q=0.5"}
    body = {"messages": asks("Tell me of the mayor's hat."), "ids": ["bread", "beacon"]}
    told = {
        row["id"]: row for row in good(keeper("POST", "/explain", body, headers=speaks))["rows"]
    }
    assert not told["beacon"]["injected"]
    row = told["beacon"]
    assert row["remedy"]["target"] == "memory"
    assert (
        "可" in row["remedy"]["text"]
        or "给" in row["remedy"]["text"]
        or "把" in row["remedy"]["text"]
    ) is (language == "zh")
    applied = keeper.post("/apply", row["remedy"])
    assert (applied["target"], applied["field"]) == (
        row["remedy"]["target"],
        row["remedy"]["field"],
    )
    after = keeper.post("/explain", body)
    assert "beacon" in [item["id"] for item in after["items"]]
    keeper.post("/undo", {"txn": applied["txn"]})
    assert "beacon" not in [item["id"] for item in keeper.post("/explain", body)["items"]]


def test_a_setting_that_keeps_something_out_is_tried_for_the_role_alone(keeper: Caller) -> None:
    good(keeper("PATCH", "", {"settings": {"recall.max_items": 1}}))
    body = {"messages": QUESTION, "user": "lin"}
    row = keeper.post("/explain", body)["rows"][0]
    assert (row["id"], row["gate"], row["remedy"]["field"], row["remedy"]["value"]) == (
        "thunder",
        "max_items",
        "recall.max_items",
        2,
    )
    applied = keeper.post("/apply", row["remedy"])
    assert (applied["before"], applied["after"], keeper.get()["settings"]) == (
        1,
        2,
        {"recall": {"max_items": 2}},
    )
    assert len(keeper.post("/explain", body)["items"]) == 2


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        pytest.param(
            {"target": "memory", "field": "weight", "value": 1, "id": "nobody"},
            404,
            "unknown_memory",
            id="of a memory that is not there",
        ),
        pytest.param(
            {"target": "memory", "field": "mood", "value": 1, "id": "beacon"},
            404,
            "unknown_name",
            id="of a field that is none",
        ),
        pytest.param(
            {"target": "memory", "field": "id", "value": "x", "id": "beacon"},
            404,
            "unknown_name",
            id="of the id",
        ),
        pytest.param(
            {"target": "memory", "field": "weight", "value": 99, "id": "beacon"},
            422,
            "invalid",
            id="to a weight that cannot be",
        ),
        pytest.param(
            {"target": "settings", "field": "recall.nothing", "value": 1},
            422,
            "invalid",
            id="of a setting that is none",
        ),
        pytest.param(
            {"target": "settings", "field": "serve.upstream", "value": "http://evil"},
            200,
            "",
            id="of a setting a role may override",
        ),
        pytest.param(
            {"target": "settings", "field": "embedding.endpoint", "value": "http://evil"},
            422,
            "settings",
            id="of one that only the home may",
        ),
        pytest.param(
            {"target": "message", "field": "content", "value": "x"},
            422,
            "request",
            id="of the message: that is the user's",
        ),
        pytest.param(
            {"target": "memory", "field": "content", "value": {"a": 1}, "id": "beacon"},
            422,
            "request",
            id="to an object",
        ),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(
    keeper: Caller, change: dict[str, Any], status: int, code: str
) -> None:
    answer = keeper("POST", "/apply", change)
    assert (answer.status_code, answer.json().get("error", {}).get("code", "")) == (status, code)


def test_an_explanation_tells_every_strategy_s_part(keeper: Caller) -> None:
    good(keeper("PATCH", "/memories/beacon", {"weight": 2.0, "priority": 100}))
    told = keeper.post("/explain", {"messages": QUESTION, "user": "lin", "all": True})
    item = next(item for item in told["items"] if item["id"] == "beacon")
    assert {one["by"] for one in item["why"]} == {"keyword", "semantic"}
    assert {part["name"] for part in item["parts"]} == {"weight", "priority"}
    assert item["score"] == pytest.approx(
        min(item["relevance"] + sum(part["amount"] for part in item["parts"]), 1.0), abs=1e-3
    )
    assert {row["id"] for row in told["rows"]} == {"beacon", "thunder", "bread"}
    assert told["budget"]["limit"] == 2000
    assert told["budget"]["characters"] == len(told["text"])
    assert [
        row["id"]
        for row in keeper.post("/explain", {"messages": QUESTION, "remedies": False})["rows"]
        if row["remedy"]
    ] == []


def test_lore_is_recalled_and_explained_where_it_is_ours(keeper: Caller, house: Served) -> None:
    folder = house.home.role(keeper.id).folder / "worldbooks"
    folder.mkdir()
    entries = {
        "0": {
            "uid": 0,
            "comment": "The lighthouse",
            "key": ["beacon"],
            "content": "It has a hundred steps.",
            "order": 10,
        },
        "1": {
            "uid": 1,
            "comment": "Chance",
            "key": ["beacon"],
            "content": "Never.",
            "order": 20,
            "probability": 0,
            "useProbability": True,
        },
    }
    (folder / "harbour.json").write_text(json.dumps({"entries": entries}), "utf-8")
    turn = keeper.post("/recall", {"messages": QUESTION, "lore": True, "with_messages": True})
    assert [(one["title"], one["why"]["code"]) for one in turn["lore"]] == [
        ("The lighthouse", "key")
    ]
    assert any("It has a hundred steps." in message["content"] for message in turn["messages"])
    told = keeper.post("/explain", {"messages": QUESTION, "lore": True})["lore"]
    assert ([one["title"] for one in told["awake"]], [one["gate"] for one in told["refused"]]) == (
        ["The lighthouse"],
        ["chance"],
    )
    assert told["passes"][0]["admitted"]
    assert keeper.post("/recall", {"messages": QUESTION})["lore"] == []


def test_what_was_said_is_kept_learned_and_recalled(role: Caller) -> None:
    seen = role.say("My sister is called Anna.", "A fine name.")
    assert (seen["chat"], len(seen["entered"]), seen["left"], seen["learned"]) == (
        "harbour",
        2,
        [],
        True,
    )
    again = role.say("My sister is called Anna.", "A fine name.")
    assert (again["entered"], again["returned"], again["left"]) == ([], [], [])
    turn = role.post(
        "/recall", {"messages": asks("What is my sister called?"), "user": "lin", "chat": "second"}
    )
    assert any("Anna" in item["content"] for item in turn["items"])
    swiped = role.post(
        "/observe",
        {
            "messages": asks("My brother is called Tam."),
            "chat": "harbour",
            "user": "lin",
            "reply": "Oh.",
            "wait_s": 10,
        },
    )
    assert len(swiped["entered"]) == 2


def test_a_reply_comes_apart_or_last(role: Caller) -> None:
    for number, reply in enumerate(
        ["Good evening.", {"role": "assistant", "content": "Good evening.", "name": "Mira"}]
    ):
        seen = role.post(
            "/observe",
            {
                "messages": asks("Hello."),
                "reply": reply,
                "chat": f"chat {number}",
                "title": "An evening",
            },
        )
        assert [one["role"] for one in seen["entered"]] == ["user", "assistant"]


def test_a_search_ranks_by_what_is_meant(keeper: Caller) -> None:
    found = keeper.post("/search", {"query": "which storm broke the beacon", "limit": 2})
    assert found["items"][0]["id"] == "beacon"
    assert keeper("POST", "/search", {"query": ""}).status_code == 422


def test_a_role_that_is_not_there_says_so(api: httpx.Client) -> None:
    for path in ("/recall", "/explain", "/observe", "/search", "/apply"):
        answer = api.post(
            f"/roles/nobody-at-all{path}",
            json={"messages": [], "query": "x", "target": "memory", "field": "x", "value": 1},
        )
        assert answer.status_code in (404, 422)
    assert (
        api.post("/roles/nobody-at-all/recall", json={"messages": []}).json()["error"]["code"]
        == "unknown_role"
    )
