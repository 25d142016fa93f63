"""Chats, stories, the review queue and users over REST."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from rolememory import Home, Message
from tests.serve.houses import Served, served
from tests.serve.rest.callers import Caller, asks, good


def test_a_chat_is_listed_and_shown_with_what_was_learned(role: Caller) -> None:
    role.say("Remember that my sister is called Anna.", "A fine name.", chat="harbour 1/2")
    role.say("Hello.", chat="other", user="ann")
    listed = role.get("/chats", params={"user": "lin"})["items"]
    assert [(one["id"], one["user"], one["messages"], one["mode"]) for one in listed] == [
        ("harbour 1/2", "lin", 2, "on")
    ]
    shown = role.get(f"/chats/{quote('harbour 1/2', safe='')}")
    assert [one["text"] for one in shown["items"]] == [
        "Remember that my sister is called Anna.",
        "A fine name.",
    ]
    assert [memory["content"] for memory in shown["items"][0]["learned"]] == [
        "my sister is called Anna"
    ]
    assert (shown["items"][1]["learned"], shown["total"], shown["chat"]["id"]) == (
        [],
        2,
        "harbour 1/2",
    )


def test_a_member_that_was_muted_does_not_know_what_was_said_meanwhile(
    another: Callable[[str], Caller],
) -> None:
    asha, bo = another("Asha of the inn"), another("Bo of the inn")
    before = [*asks("My sister Anna keeps bees in Riga."), *said("How nice.", asha.name)]
    after = [*asks("My brother Karl brews beer in Graz."), *said("Cheers.", asha.name)]
    place = {"chat": "inn", "user": "lin"}
    asha.post("/observe", {"messages": before, "members": [], **place})
    for role, other in ((asha, bo), (bo, asha)):
        told = {"messages": [*before, *after], "members": [other.name], **place}
        role.post("/observe", told)
    asked = {"messages": asks("What do Anna and Karl do?"), "user": "lin", "chat": "later"}
    known = [
        [word in role.post("/recall", asked)["text"] for word in ("bees", "beer")]
        for role in (asha, bo)
    ]
    assert known == [[True, True], [False, True]]


def said(text: str, name: str) -> list[dict[str, str]]:
    """A reply of that member of a group."""
    return [{"role": "assistant", "content": text, "name": name}]


def test_other_versions_of_a_message_are_shown(role: Caller) -> None:
    messages = asks("Hello.")
    for reply in ("Good morning.", "Go away."):
        role.post("/observe", {"messages": messages, "reply": reply, "chat": "harbour"})
    found = role.get("/chats/harbour", params={"newest": True, "limit": 1})["items"][0]
    assert (found["text"], [one["text"] for one in found["others"]]) == (
        "Go away.",
        ["Good morning."],
    )


def test_a_chat_is_renamed_put_away_and_kept_apart(role: Caller) -> None:
    role.say("Hello.", "Good evening.")
    changed = good(
        role(
            "PATCH", "/chats/harbour", {"title": "An evening <b>", "archived": True, "story": "own"}
        )
    )
    told = [changed[name] for name in ("title", "archived", "mode", "story", "chosen")]
    assert told == ["An evening <b>", True, "on", "own", True]
    assert role.get("/chats")["items"] == []
    assert [one["id"] for one in role.get("/chats", params={"archived": "yes"})["items"]] == [
        "harbour"
    ]
    assert (
        role("PATCH", "/chats/harbour", {"title": "x"}, headers={"If-Match": '"old"'}).status_code
        == 412
    )
    assert (
        role("PATCH", "/chats/harbour", {"story": "nowhere"}).json()["error"]["code"]
        == "unknown_name"
    )
    assert role("PATCH", "/chats/harbour", {"mode": "loud"}).status_code == 422
    assert role("PATCH", "/chats/nowhere", {"title": "x"}).json()["error"]["code"] == "unknown_chat"


@pytest.mark.parametrize(
    ("memories", "left"),
    [
        pytest.param("keep", 1, id="what it taught stays"),
        pytest.param("delete", 0, id="what it taught goes too"),
    ],
)
def test_a_chat_is_removed(role: Caller, memories: str, left: int) -> None:
    role.say("Remember that my sister is called Anna.", "A fine name.")
    assert role.get("/memories")["total"] == 1
    good(role("DELETE", "/chats/harbour", params={"memories": memories}))
    assert (role.get("/chats")["total"], role.get("/memories")["total"]) == (0, left)
    assert role("GET", "/chats/harbour").json()["error"]["code"] == "unknown_chat"


@pytest.mark.parametrize(
    "chat", ["../../role", "..%2f..%2frole.json", "%00", "C:\\\\windows", "a" * 3000]
)
def test_no_chat_is_a_path(role: Caller, chat: str) -> None:
    for method in ("GET", "DELETE", "PATCH"):
        assert role(method, f"/chats/{chat}", {} if method == "PATCH" else None).status_code in (
            404,
            405,
            422,
        )
    assert role.get()["name"]


def test_stories_are_begun_merged_and_listed(role: Caller) -> None:
    role.say("My sister is called Anna.", "A fine name.")
    forked = role.post("/stories", {"name": "what if", "of": ""})
    assert (forked["name"], forked["of"]) == ("what if", "")
    alone = role.post("/stories", {"name": "alone"})
    assert (alone["of"], alone["at"]) == (None, None)
    merged = role.post("/stories/merge", {"name": "what if", "into": "alone"})["merged"]
    assert merged == ["what if"]
    assert [one["name"] for one in role.get("/stories")["items"]] == ["", "what if", "alone"]
    assert role("POST", "/stories", {"name": "alone"}).status_code == 422
    assert role("POST", "/stories/merge", {"name": "alone", "into": "alone"}).status_code == 422
    assert role("POST", "/stories/merge", {"name": "never told"}).status_code == 404


def test_what_is_told_in_a_story_is_recalled_there_alone(role: Caller) -> None:
    role.say("I hid the map in the mill.", "I see.", chat="old", user="lin")
    ask = {"messages": [{"role": "user", "content": "Where is the map hidden?"}], "user": "lin"}

    def told(chat: str) -> bool:
        return "mill" in role.post("/recall", {**ask, "chat": chat})["text"]

    assert (told("old"), told("new")) == (True, True)
    role.post("/stories", {"name": "what if"})
    good(role("PATCH", "/chats/old", {"story": "what if"}))
    assert not told("new")
    assert role.get("/chats/old")["chat"]["story"] == "what if"
    found = role.post("/search", {"query": "map", "user": "lin"})["items"]
    assert any("mill" in one["content"] for one in found), "a person finds it"
    good(role("PATCH", "/chats/old", {"story": "default"}))
    assert told("new")
    chosen = role("PUT", "/stories/default", {"user": "lin", "stories": "each"}).json()
    assert chosen == {"user": "lin", "stories": "each"}
    assert not told("new")
    assert (
        role.get("/chats/old")["chat"] | {"story": "own", "chosen": False}
        == (role.get("/chats/old")["chat"])
    )
    asked = {"query": "map", "user": "lin", "chat": "new"}
    assert not role.post("/search", asked)["items"]
    assert role.post("/search", {**asked, "chat": "old"})["items"]
    assert role.get("/stories/default", params={"user": "wu"})["stories"] == "one"
    good(role("PUT", "/stories/default", {"user": "lin", "stories": None}))
    assert told("new")
    assert role("PUT", "/stories/default", {"user": "lin", "stories": "many"}).status_code == 422


@pytest.fixture
def doubtful(role: Caller) -> Caller:
    """A correction of what an author wrote waits for a person."""
    role.remember("I live in Bergen.", id="home", type="semantic", subject="user", user="lin")
    role.say("Correction: I live in Oslo.", "A fine town.", "Yes.")
    return role


def test_what_waits_is_told_with_its_reason(doubtful: Caller) -> None:
    one = doubtful.get("/review")["items"][0]
    assert (one["content"], one["user"], one["subject"], one["against"]) == (
        "I live in Oslo",
        "lin",
        "user",
        ["home"],
    )
    assert (one["reason"]["code"], one["evidence"][0]["quote"]) == (
        "against_author",
        "Correction: I live in Oslo.",
    )
    assert doubtful.get()["waiting"] == 1


def test_what_waits_is_accepted_as_it_is(doubtful: Caller) -> None:
    made = doubtful.post("/review/accept", {"id": doubtful.get("/review")["items"][0]["id"]})
    assert (made["content"], made["supersedes"], doubtful.get("/review")["total"]) == (
        "I live in Oslo",
        ["home"],
        0,
    )


def test_what_waits_is_mended(doubtful: Caller) -> None:
    waiting = doubtful.get("/review")["items"][0]["id"]
    made = doubtful.post(
        "/review/accept",
        {
            "id": waiting,
            "fields": {"content": "I moved to Oslo.", "tags": ["home"], "type": "trait"},
        },
    )
    assert (made["content"], made["tags"], made["type"]) == (
        "I moved to Oslo.",
        ["home"],
        "semantic",
    )
    assert doubtful("POST", "/review/accept", {"id": waiting}).status_code == 404


def test_what_waits_is_sent_away(doubtful: Caller) -> None:
    waiting = doubtful.get("/review")["items"][0]["id"]
    assert doubtful.post("/review/reject", {"ids": [waiting, waiting]})["changed"] == 1
    assert (doubtful.get("/review")["total"], doubtful.get("/memories")["total"]) == (0, 1)
    assert doubtful("POST", "/review/reject", {"ids": [waiting]}).status_code == 404


def test_a_person_is_listed_and_forgotten_everywhere(
    another: Any, api: httpx.Client, house: Served
) -> None:
    name = "Zacharias/<b>"
    first, second = another("Forgets First"), another("Forgets Second")
    for role in (first, second):
        role.say(
            "Remember that my sister is called Wilhelmina.",
            "A fine name.",
            chat=f"chat of {role.name}",
            user=name,
        )
        role.post(
            "/recall",
            {"messages": asks("Who is my sister?"), "user": name, "chat": f"chat of {role.name}"},
        )
    first.remember("The beacon failed.", id="beacon")
    path = f"/users/{quote(name, safe='')}"
    listed = {one["user"]: one for one in good(api.get("/users", params={"limit": 500}))["items"]}
    assert (listed[name]["memories"], listed[name]["chats"], len(listed[name]["roles"])) == (
        2,
        2,
        2,
    )
    assert good(api.get(path))["memories"] == 2
    done = good(api.delete(path))
    mine = {one["role"]: one for one in done["roles"]}
    assert [
        (mine[role.id]["memories"], len(mine[role.id]["chats"])) for role in (first, second)
    ] == [(1, 1), (1, 1)]
    assert api.get(path).status_code == 404
    assert [row["id"] for row in first.get("/memories", params={"archived": "all"})["items"]] == [
        "beacon"
    ]
    assert (first.get("/turns")["total"], second.get("/turns")["total"]) == (0, 0)
    for role in (first, second):
        folder = house.home.role(role.id).folder
        words = [
            file.name
            for file in folder.rglob("*")
            if file.is_file() and b"Wilhelmina" in file.read_bytes()
        ]
        assert words == []


def test_who_only_spoke_in_a_chat_with_others_is_listed_and_forgotten_too(
    another: Any, api: httpx.Client, house: Served
) -> None:
    role = another("A Channel")
    lines = [Message.user("Geese fly low.", user="Agatha"), Message.user("Hm.", user="Bertram")]
    house.home.role(role.id).observe(lines, "So they do.", chat="shore", user="Bertram")
    listed = {one["user"]: one for one in good(api.get("/users", params={"limit": 500}))["items"]}
    assert (listed["Agatha"]["chats"], listed["Bertram"]["chats"]) == (1, 1)
    done = good(api.delete("/users/Agatha"))["roles"]
    mine = next(one for one in done if one["role"] == role.id)
    assert (mine["messages"], mine["chats"]) == (1, [])
    shown = role.get("/chats/shore")["items"]
    assert [one["text"] for one in shown] == ["Hm.", "So they do."]
    assert api.get("/users/Agatha").status_code == 404


def test_names_of_one_person_are_linked_shown_and_unlinked(another: Any, api: httpx.Client) -> None:
    role = another("Of Two Names")
    for name in ("Quentin", "Quill"):
        role.say("The geese are back.", "So soon.", chat=f"of {name}", user=name)
    made = good(api.post("/links", json={"names": ["Quentin", "Quill"]}))
    assert ["Quentin", "Quill"] in made["linked"]
    role.remember("Quill mends nets.", user="Quill")
    for name in ("Quentin", "Quill"):
        assert good(api.get(f"/users/{name}"))["names"] == ["Quentin", "Quill"]
        assert len(role.get(f"/chats?user={name}")["items"]) == 2
        found = role.get(f"/memories?user={name}")["items"]
        assert [one["content"] for one in found] == ["Quill mends nets."]
    listed = good(api.get("/users", params={"limit": 500}))
    mine = [one for one in listed["items"] if "Quill" in one["names"]]
    assert [(one["user"], one["chats"]) for one in mine] == [("Quentin", 2)]
    assert listed["unasked"] == []
    left = good(api.delete("/links/Quill"))
    assert ["Quentin", "Quill"] not in left["linked"]
    assert "Quill" in left["apart"]
    assert [one["user"] for one in role.get("/chats?user=Quill")["items"]] == ["Quill"]
    assert role.get("/memories?user=Quentin")["items"] == []
    assert good(api.get("/users/Quill"))["names"] == ["Quill"]
    assert api.post("/links", json={"names": ["Quentin"]}).status_code == 422
    for name in ("Quentin", "Quill"):
        assert api.delete(f"/users/{name}").status_code == 200
    assert good(api.get("/links"))["apart"].count("Quill") == 0


@pytest.mark.parametrize("name", ["links", "links/Quentin", "链接"])
def test_somebody_may_be_called_like_a_path(another: Any, api: httpx.Client, name: str) -> None:
    role = another(f"Odd {name}")
    role.say("The geese are back.", "So soon.", chat="odd", user=name)
    path = f"/users/{quote(name, safe='')}"
    assert good(api.get(path))["user"] == name
    assert name in good(api.delete(f"/links/{quote(name, safe='')}"))["apart"]
    assert good(api.delete(path))["user"] == name
    assert api.get(path).status_code == 404


def test_a_new_name_is_asked_about_once(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira")
        for name in ("Lin", "Traveller"):
            mira.observe([Message.user("Hello.")], "Hi.", chat=f"of {name}", user=name)
    with (
        served(tmp_path) as house,
        httpx.Client(base_url=f"{house.url}/api", timeout=60, verify=False) as running,
    ):
        unasked = [{"name": "Traveller", "person": "Lin"}]
        for path in ("/users", "/links"):
            assert good(running.get(path))["unasked"] == unasked
        assert good(running.delete("/links/Traveller"))["unasked"] == []
        assert good(running.get("/users"))["unasked"] == []


def test_nobody_is_forgotten_by_a_name_that_nobody_has(api: httpx.Client) -> None:
    for name in ("nobody at all", "..", "%2e%2e", "a/b"):
        assert api.delete(f"/users/{quote(name, safe='')}").status_code == 404
