"""Chapters over REST: ended, listed, edited, told again, deleted, and where they stand in a turn."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.server import until
from tests.endpoint import Endpoint, Line, status
from tests.learning.teller import CHAPTER, asked, step_of, tale, tells
from tests.serve.houses import Served, served
from tests.serve.proxy.requests import request
from tests.serve.proxy.upstreams import chunk, lines, plays
from tests.serve.rest.callers import Caller, caller, good


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint(tells()) as told:
        yield told


@contextmanager
def opened(folder: Path, model: Endpoint, **learning: Any) -> Iterator[tuple[Served, Caller]]:
    """A server that learns by this model, and a role over REST."""
    rows = {"endpoint": model.url, "model": "small", "batch_size": 1000, **learning}
    settings = {f"learn.{name}": value for name, value in rows.items()}
    with (
        served(folder, {"serve.upstream": model.url, **settings}) as house,
        httpx.Client(
            base_url=f"{house.url}/api", timeout=120, trust_env=False, verify=False
        ) as api,
    ):
        yield house, caller(api, "Mira")


@pytest.fixture
def role(tmp_path: Path, model: Endpoint) -> Iterator[Caller]:
    with opened(tmp_path, model) as (_, role):
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


@pytest.mark.parametrize(
    ("language", "told"),
    [
        pytest.param("en", "nothing to tell yet", id="English"),
        pytest.param("zh", "还没有可写的内容", id="Chinese"),
    ],
)
def test_where_there_is_no_chapter_it_is_said_why(role: Caller, language: str, told: str) -> None:
    def end(**chat: str) -> list[str]:
        made = good(role("POST", "/chapters", {"chat": "harbour"}, headers=headers))
        assert made["items"] == []
        notes: list[str] = made["notes"]
        return notes

    headers = {"Accept-Language": language}
    role.post("/chapters", {"chat": "harbour"})
    assert end() == [told]
    good(role("PATCH", "/chats/harbour", {"mode": "off"}))
    (off,) = end()
    assert (
        off
        == {
            "en": "nothing is learned from this chat, so no chapter is written",
            "zh": "这个对话不用于学习，所以不写章节",
        }[language]
    )


def test_chapters_of_a_chat_are_listed_and_told_anew_up_to_one(role: Caller) -> None:
    role.post("/chapters", {"chat": "harbour"})
    role.say(*(one.content for one in tale(4)))
    role.post("/chapters", {"chat": "harbour"})
    role.say("The tower is dark.", "It is.", chat="tower", user="tom")
    role.post("/chapters", {"chat": "tower"})
    of_tower, of_harbour, every = (
        role.get("/chapters", params=asked)["items"]
        for asked in ({"chat": "tower"}, {"chat": "harbour"}, {})
    )
    assert list(map(len, (of_tower, of_harbour, every))) == [1, 2, 3]
    first, last = (one["id"] for one in of_harbour)
    assert len(role.post("/chapters/retell", {"ids": [first], "through": last})["items"]) == 2


def test_what_was_refused_is_listed_and_may_be_accepted(tmp_path: Path) -> None:
    mine = "Lin owns a copper mine in Chile."
    fact = {"line": 1, "content": mine, "about": "Lin"}
    with (
        Endpoint(tells(extraction={"facts": [fact]})) as model,
        opened(tmp_path, model, batch_size=1) as (house, role),
    ):
        role.say(*(one.content for one in tale(2)))
        assert house.home.role(role.id).learner.worker.settle(60)
        assert role.get("/review")["items"] == []
        (one,) = role.get("/review", params={"refused": True})["items"]
        assert (mine in one["content"], one["reason"]["code"]) == (True, "not_said")
        made = role.post("/review/accept", {"id": one["id"]})
        assert made["content"] == one["content"]
        assert made["id"] in [row["id"] for row in role.get("/memories")["items"]]


def test_what_the_filter_refused_is_said_and_asked_for_again(role: Caller, model: Endpoint) -> None:
    refused = tells(rolling_summary={"title": "", "chapter": "As an AI language model, I cannot."})
    model.now(refused)
    for count in (1, 2):
        made = role.post("/chapters", {"chat": "harbour"})
        assert (made["items"], len(made["notes"])) == ([], 1)
        assert "was not kept" in made["notes"][0]
        assert len(asked(model)) == count
    model.now(tells())
    made = role.post("/chapters", {"chat": "harbour"})
    assert (len(made["items"]), made["notes"]) == (1, [])
    model.now(refused)
    again = role.post("/chapters/retell", {"ids": [made["items"][0]["id"]]})
    assert (again["items"], len(again["notes"])) == ([], 1)
    assert "was not kept" in again["notes"][0]
    assert role.get("/chapters")["items"] == made["items"]


def test_a_chapter_that_learning_tells_meanwhile_answers_who_ended_it(tmp_path: Path) -> None:
    """The background reads facts when two chapters are ended, and comes to both first: each is answered with its own."""
    reading, go_on = threading.Event(), threading.Event()

    def behave(line: Line) -> None:
        if step_of(line) != CHAPTER:
            reading.set()
            assert go_on.wait(60)
        tells()(line)

    with (
        Endpoint(behave) as model,
        ThreadPoolExecutor() as pool,
        opened(tmp_path, model, batch_size=1) as (house, role),
    ):
        for chat, first in (("harbour", 1), ("mill", 7)):
            role.say(*(one.content for one in tale(3, first=first)), chat=chat)
        assert reading.wait(60)
        ends = house.home.role("Mira").learner.worker.progress.ends
        ending = {
            chat: pool.submit(role.post, "/chapters", {"chat": chat, "title": chat})
            for chat in ("harbour", "mill")
        }
        until(lambda: all(map(ends, ending)), lambda: "they have not ended")
        go_on.set()
        for chat, answer in ending.items():
            (one,) = answer.result(60)["items"]
            assert one["chapter"]["title"] == chat
        assert len(asked(model)) == 2


def test_a_chapter_holds_the_turn_whose_answer_is_still_on_its_way(tmp_path: Path) -> None:
    """Asked too early, the model would tell the chapter while the answer is held back."""
    end, telling = threading.Event(), threading.Event()
    reply = [chunk(role="assistant", content="Lamp 3 burns."), chunk(finish="stop")]
    first, _, rest = lines(reply).partition(b"\n\n")

    def behave(line: Line) -> None:
        if line.request.json.get("stream"):
            plays(first + b"\n\n")(line)
            assert end.wait(60)
            line.send(rest)
        else:
            telling.set()
            tells()(line)

    said = [(one.role, one.content) for one in tale(3)[:5]]
    turn = request(said, char="Mira", hint={"role": "Mira", "user": "lin", "chat": "harbour"})
    with (
        Endpoint(behave) as model,
        ThreadPoolExecutor() as pool,
        opened(tmp_path, model) as (house, role),
        httpx.Client(base_url=house.url, timeout=120, trust_env=False, verify=False) as web,
    ):
        role.say(*(one.content for one in tale(2)))
        kept: Any = house.house._kept
        with web.stream("POST", "/v1/chat/completions", json=turn) as answer:
            pieces = answer.iter_bytes()
            assert b"Lamp 3" in next(pieces)
            ending = pool.submit(role.post, "/chapters", {"chat": "harbour"})
            until(lambda: telling.is_set() or bool(kept._waiters), lambda: "nobody asks")
            end.set()
            b"".join(pieces)
        (one,) = ending.result(60)["items"]
        assert one["content"] == "Lin and Mira trimmed the lamps from lamp 1 to lamp 3."
        assert len(one["evidence"][0]["version"].split("+")) == 6
