"""Chapters over REST: ended, listed, edited, told again, deleted, and where they stand in a turn."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.endpoint import Endpoint, status
from tests.learning.teller import tale, tells
from tests.serve.houses import served
from tests.serve.rest.callers import Caller, caller, good


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint(tells()) as told:
        yield told


@pytest.fixture
def role(tmp_path: Path, model: Endpoint) -> Iterator[Caller]:
    learning = {"learn.endpoint": model.url, "learn.model": "small", "learn.batch_size": 1000}
    with (
        served(tmp_path, learning) as house,
        httpx.Client(
            base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
        ) as api,
    ):
        role = caller(api, "Mira")
        role.say(*(one.content for one in tale(3)))
        yield role


def test_a_chapter_is_ended_listed_edited_told_anew_and_deleted(role: Caller) -> None:
    made = role.post("/chapters", {"chat": "harbour", "title": "First light"})
    (one,) = made["items"]
    assert (one["chapter"]["title"], one["tags"], one["source"]) == (
        "First light",
        ["chapter"],
        "summary",
    )
    assert role.get("/memories", params={"tag": "chapter"})["items"][0]["id"] == one["id"]
    detail = role.get(f"/memories/{one['id']}")
    assert [proof["text"] for proof in detail["evidence"]] == [
        each.content.strip() for each in tale(3)
    ]
    changed = good(role("PATCH", f"/memories/{one['id']}", {"chapter": {"title": "Dusk"}}))
    assert changed["chapter"] == {**one["chapter"], "title": "Dusk"}
    (again,) = role.post("/chapters/retell", {"ids": [one["id"]], "through": one["id"]})["items"]
    assert (again["content"], again["id"] != one["id"]) == (one["content"], True)
    assert [each["id"] for each in role.get("/chapters")["items"]] == [again["id"]]
    good(role("DELETE", f"/memories/{again['id']}"))
    assert role.get("/chapters", params={"chat": "harbour"})["items"] == []


def test_what_kept_the_model_is_told(role: Caller, model: Endpoint) -> None:
    model.now(status(500))
    made = role.post("/chapters", {"chat": "harbour"})
    assert (made["items"], len(made["notes"])) == ([], 1)
    assert role("POST", "/chapters", {"chat": "nowhere"}).json()["error"]["code"] == "unknown_chat"
    unknown = role("POST", "/chapters/retell", {"ids": ["nobody"]})
    assert unknown.json()["error"]["code"] == "unknown_memory"


def test_a_turn_tells_its_chapters_and_a_message_does_not_list_them(role: Caller) -> None:
    (one,) = role.post("/chapters", {"chat": "harbour"})["items"]
    asked = {"messages": [{"role": "user", "content": "Shall we go on?"}], "user": "lin"}
    turn = role.post("/recall", {**asked, "chat": "harbour"})
    assert one["content"] in turn["story"]
    assert one["content"] not in turn["text"]
    assert turn["scene"] == ""
    shown = role.get("/chats/harbour")["items"]
    assert [message["learned"] for message in shown] == [[]] * 6
