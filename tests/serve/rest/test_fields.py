"""Fields and parameters by what they change: the same call without one, and with it."""

import json
from typing import Any

import httpx

from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good

ASK = {"messages": asks("Is the lamp lit?")}


def furnish(house: Served, role: Caller, *contents: str, **fields: Any) -> str:
    """A lorebook of the role whose entries say these texts on every turn; its address."""
    entries = {
        str(uid): {"uid": uid, "comment": text.split()[0], "key": [], "constant": True}
        | {"content": text, **fields}
        for uid, text in enumerate(contents)
    }
    folder = house.home.role(role.id).folder / "worldbooks"
    folder.mkdir(exist_ok=True)
    (folder / "sea.json").write_text(json.dumps({"entries": entries}), "utf-8")
    return f"/books/{role.id}/sea"


def lore(role: Caller, **asked: Any) -> list[str]:
    """The texts of lore on a turn."""
    return [one["title"] for one in role.post("/recall", {**ASK, "lore": True, **asked})["lore"]]


def ids(found: Any) -> list[str]:
    return [one["id"] for one in found["items"]]


def test_what_a_turn_tells_lore(role: Caller, house: Served) -> None:
    furnish(house, role, "@@is_greeting 1\nGreeting", "@@is_user_icon hat\nIcon")
    told = {"greeting": 1}, {"user_icon": "hat"}, {}
    assert [len(lore(role, generation=one)) for one in told] == [1, 1, 0]
    furnish(house, role, "Fog comes.", constant=False, key=["fog"])
    note = {"author_note": "The fog is near."}
    rows = [
        ({}, []),
        (note, []),
        ({**note, "note_scanned": True}, ["Fog"]),
        ({"injected": ["A fog."]}, ["Fog"]),
        ({"outside": ["sea.0"]}, ["Fog"]),
    ]
    assert [(told, lore(role, generation=told)) for told, _ in rows] == rows
    furnish(house, role, "word " * 200)
    assert [lore(role, generation={"context_tokens": size}) for size in (400, 4000)] == [
        [],
        ["word"],
    ]
    furnish(house, role, "Swiped.", triggers=["swipe"])
    assert [lore(role, kind=kind) for kind in ("normal", "swipe")] == [[], ["Swiped."]]
    furnish(house, role, "Later.", delay=5)
    assert [lore(role, unseen=count) for count in (0, 10)] == [[], ["Later."]]
    furnish(house, role, "{{char}} waits.")
    seen = {**ASK, "lore": True, "with_messages": True, "character": {"name": "Asha"}}
    assert "Asha waits." in [one["content"] for one in role.post("/recall", seen)["messages"]]


def test_what_a_turn_tells_recall(role: Caller) -> None:
    role.remember("The beacon failed.", id="beacon", created="2031-03-04", keys=["beacon"])
    yesterday = {"messages": asks("What happened yesterday?")}
    days = ("2031-03-05T12:00:00Z", "2031-06-05T12:00:00Z")
    assert [ids(role.post("/recall", {**yesterday, "now": now})) for now in days] == [
        ["beacon"],
        [],
    ]
    asked = {"messages": asks("The beacon?"), "ids": ["beacon"]}
    assert [
        role.post("/explain", {**asked, "budget": {"max_items": 0}, **more})["rows"][0]["remedy"]
        is not None
        for more in ({}, {"remedies": False, "ids": []})
    ] == [True, False]
    role.remember("The beacon burns oil.", id="oil")
    assert [len(ids(role.post("/search", {"query": "beacon", "limit": n}))) for n in (1, 2)] == [
        1,
        2,
    ]


def test_what_is_told_of_what_was_said(role: Caller, api: httpx.Client) -> None:
    secret = "I hid the silver heron in the boathouse."
    told = {"present": ["lin", "tom"], "members": ["Bo"], "title": "At sea"}
    at = "2024-05-01T10:00:00Z"
    role.say(secret, "I see.", chat="one", now=at, **told)
    (chat,) = role.get("/chats")["items"]
    assert (chat["title"], chat["created"]) == ("At sea", at)
    heard = {"messages": asks("Where is the silver heron?"), "user": "lin", "chat": "two"}
    rows = [
        ({"members": ["Bo"]}, True),
        ({"members": ["Bo", "Ada"]}, False),
        ({"present": ["lin", "tom"]}, True),
        ({"present": ["lin", "ann"]}, False),
    ]
    assert [
        (row, secret in role.post("/recall", {**heard, **row})["text"]) for row, _ in rows
    ] == rows
    sent = {"role": "user", "content": "Good night.", "sent": "2024-06-01T10:00:00Z"}
    role.post("/observe", {"messages": [sent], "chat": "three", "user": "lin"})
    assert role.get("/chats/three")["items"][0]["at"] == sent["sent"]
    role.post("/observe", {"messages": asks("Draw it."), "chat": "four", "kind": "quiet"})
    assert "four" not in ids(role.get("/chats"))
    mine = {"role": "user", "content": "My boat is green.", "name": "Tom", "owner": "tom"}
    role.post("/observe", {"messages": [mine, *asks("Aye.")], "chat": "five", "user": "lin"})
    green = {"messages": asks("Which boat is green?"), "chat": "six"}
    assert [
        mine["content"] in role.post("/recall", {**green, "user": who, "present": [who]})["text"]
        for who in ("tom", "ann")
    ] == [True, False]
    stories = {"user": "lin", "stories": "each"}
    good(role("PUT", "/stories/default", stories))
    assert [
        role.get("/stories/default", params=who)["stories"] for who in ({"user": "lin"}, {})
    ] == ["each", "one"]
    role.post("/stories", {"name": "sea", "at": at, "of": ""})
    role.post("/stories", {"name": "land"})
    role.post("/stories/merge", {"name": "sea", "into": "land"})
    rows = {row["name"]: row for row in role.get("/stories")["items"]}
    assert (rows["sea"]["at"], rows["land"]["merged"]) == (at, ["sea"])
    shown = role.get("/chats/one", params={"newest": True})["items"]
    assert [one["text"] for one in shown] == ["I see.", secret]
    good(role("PATCH", "/chats/one", {"archived": True}))
    assert [
        ("one" in ids(role.get("/chats", params={"archived": how}))) for how in ("no", "yes")
    ] == [
        False,
        True,
    ]


def test_what_is_told_of_memories(role: Caller, api: httpx.Client) -> None:
    proof = {"chat": "one", "version": "v", "quote": "The beacon failed.", "answers": "Why?"}
    chapter = {"until": "2024-05-02T00:00:00Z", "time": "dusk", "place": "pier", "people": ["Lin"]}
    made = good(
        role(
            "POST",
            "/memories?reason=heard",
            {"content": "It failed.", "id": "a", "evidence": [proof]},
        )
    )
    assert made["evidence"] == [proof]
    shown = good(role("PATCH", "/memories/a", {"chapter": chapter}))["chapter"]
    assert {name: shown[name] for name in chapter} == chapter
    role.remember("Another.", id="b", created="2020-01-01")
    assert [ids(role.get("/memories", params={"chat": chat})) for chat in ("one", "two")] == [
        ["a"],
        [],
    ]
    good(role("PATCH", "", {"settings": {"triggers.recency.spares_lasting": False}}))
    left = [role.get("/fading", params={"ahead": ahead})["values"]["b"] for ahead in (0, 1)]
    assert left[1] < left[0]
    role.post("/memories/bulk", {"op": "lock", "ids": ["b"], "reason": "mine"})
    good(role("DELETE", "/memories/b?reason=old"))
    rows = role.get("/history", params={"memory": "b"})["items"]
    assert [row["reason"] for row in rows] == ["old", "mine", ""]
    first = role.get("/history", params={"memory": "a"})["items"]
    assert [row["reason"] for row in first] == ["", "heard"]
    role.post("/undo", {"txn": first[0]["txn"]})
    assert role.get("/memories/a")["memory"]["chapter"] is None
    assert ids(role.get("/memories")) == ["a"]


def test_what_is_told_of_books(role: Caller, house: Served, api: httpx.Client) -> None:
    address = furnish(
        house, role, "Coin.", constant=False, key=["lamp"], probability=50, useProbability=True
    )

    def fired(**asked: Any) -> list[str]:
        answer = good(api.post(f"{address}/scan", json={**ASK, **asked}))
        return [one["title"] for one in answer["fired"]]

    thrown = [fired(seed=seed) for seed in range(8)]
    assert [fired(seed=seed) for seed in range(8)] == thrown
    assert {len(one) for one in thrown} == {0, 1}
    furnish(house, role, "Swiped.", triggers=["swipe"])
    assert [fired(trigger=kind) for kind in ("normal", "swipe")] == [[], ["Swiped."]]
    furnish(house, role, "Asha.", constant=False, key=["{{char}} waits"])
    waits = {"messages": asks("Asha waits.")}
    assert [fired(**waits, character={"name": name}) for name in ("Bo", "Asha")] == [[], ["Asha."]]
    file = json.dumps({"entries": {}}).encode()
    kind = {"content-type": "application/octet-stream"}
    codes = [
        api.post(f"/books/{role.id}/import?name=sea{more}", content=file, headers=kind).status_code
        for more in ("", "&replace=true")
    ]
    assert codes == [422, 201]
    assert good(api.get(f"{address}/entries"))["items"] == []


def test_where_a_setting_is_changed_and_whose_memories_win(
    role: Caller, house: Served, api: httpx.Client
) -> None:
    change = {"target": "settings", "field": "recall.near_duplicate", "value": 0.9}
    role.post("/apply", {**change, "scope": "home"})
    assert house.home.settings.recall.near_duplicate == 0.9
    assert role.get()["settings"] == {}
    good(api.patch("/settings", json={"values": {"recall.near_duplicate": None}}))
    role.remember("Ours.", id="a")
    document = role.get("/export")
    for one in document["memory"]["episodic"]:
        one["content"] = "Theirs."
    for prefer, content in (("ours", "Ours."), ("theirs", "Theirs.")):
        good(api.post("/roles/import", params={"into": role.id, "prefer": prefer}, json=document))
        assert role.get("/memories/a")["memory"]["content"] == content
