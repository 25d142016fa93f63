"""Memories over REST."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks, good

HARBOUR: list[dict[str, Any]] = [
    {
        "id": "beacon",
        "content": "The beacon failed in the storm.",
        "keys": ["beacon"],
        "tags": ["storm", "sea"],
        "created": "2025-01-01",
    },
    {
        "id": "tea",
        "content": "Lin likes jasmine tea.",
        "type": "semantic",
        "subject": "user",
        "user": "lin",
        "created": "2025-02-01",
    },
    {
        "id": "grief",
        "content": "She mourned her brother.",
        "emotions": ["sadness"],
        "weight": 1.5,
        "created": "2025-03-01",
    },
    {"id": "sea", "content": "我想去看海。", "type": "goal", "topics": ["旅行"], "constant": True},
    {
        "id": "old",
        "content": "An old tale of the storm.",
        "archived": True,
        "source": "summary",
        "locked": True,
    },
]


@pytest.fixture
def harbour(role: Caller) -> Caller:
    role.post("/memories/bulk", {"op": "add", "memories": HARBOUR})
    return role


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        pytest.param(
            "",
            ["beacon", "grief", "tea", "sea"],
            id="all that are not archived, as the file has them",
        ),
        pytest.param(
            "archived=all", ["beacon", "grief", "old", "tea", "sea"], id="the archived ones too"
        ),
        pytest.param("archived=yes", ["old"], id="only the archived ones"),
        pytest.param("type=goal&type=semantic", ["tea", "sea"], id="of two types"),
        pytest.param("tag=storm&tag=sea", ["beacon"], id="with both tags"),
        pytest.param("source=summary&archived=all", ["old"], id="of one source"),
        pytest.param("feeling=sadness", ["grief"], id="of a feeling"),
        pytest.param("user=lin", ["tea"], id="of one user"),
        pytest.param("user=", ["beacon", "grief", "sea"], id="shared by all"),
        pytest.param("from=2025-02-01&to=2025-02-28", ["tea"], id="of one month"),
        pytest.param("q=STORM beacon", ["beacon"], id="in which all words stand, in any case"),
        pytest.param("q=看海", ["sea"], id="in which Chinese words stand"),
        pytest.param("q=nothing like it", [], id="none"),
        pytest.param("sort=-created", ["sea", "grief", "tea", "beacon"], id="the newest first"),
        pytest.param("sort=-weight&limit=1", ["grief"], id="the heaviest"),
        pytest.param("sort=id", ["beacon", "grief", "sea", "tea"], id="by name"),
        pytest.param("chat=harbour", [], id="learned from a chat where none was"),
    ],
)
def test_a_list_shows_what_is_asked_for(harbour: Caller, query: str, ids: list[str]) -> None:
    assert [row["id"] for row in harbour.get(f"/memories?{query}")["items"]] == ids


def test_a_list_is_paged(harbour: Caller) -> None:
    answer = harbour("GET", "/memories", params={"limit": 2, "offset": 2, "q": ""})
    found = answer.json()
    assert (
        [row["id"] for row in found["items"]],
        found["total"],
        found["limit"],
        found["offset"],
    ) == (["tea", "sea"], 4, 2, 2)


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "offset=-1",
        "offset=1e9",
        "type=story",
        "sort=colour",
        "from=yesterday",
        "archived=maybe",
        f"q={'x' * 501}",
    ],
)
def test_a_list_asked_for_wrongly_says_so(role: Caller, query: str) -> None:
    answer = role("GET", f"/memories?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "request")
    assert answer.json()["error"]["where"].startswith("query.")


def test_a_memory_is_written_with_every_field(role: Caller) -> None:
    fields = {
        "type": "semantic", "keys": ["beacon"], "secondary_keys": ["dark"], "selective_logic": "and_all", "triggers": ["keyword"],
        "constant": True, "priority": 70, "weight": 1.25, "salience": 0.75, "decay": 0.5, "topics": ["sea"], "emotions": ["fear"],
        "tags": ["storm"], "source": "summary", "subject": "Tam", "user": "lin", "confidence": 0.5, "archived": True, "locked": True,
        "supersedes": ["other"],
    }  # fmt: skip
    made = role.remember(
        "The beacon failed.",
        id="beacon",
        created="2025-01-01T00:00:00Z",
        expires="2030-01-01",
        **fields,
    )
    assert {name: made[name] for name in fields} == fields
    assert (made["created"], made["expires"], made["content"]) == (
        "2025-01-01T00:00:00Z",
        "2030-01-01T00:00:00Z",
        "The beacon failed.",
    )


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        pytest.param({}, "body.content", id="nothing to remember"),
        pytest.param({"content": ""}, "body.content", id="an empty text"),
        pytest.param({"content": "x", "weight": 3}, "body.weight", id="heavier than can be"),
        pytest.param({"content": "x", "salience": -0.1}, "body.salience", id="less than no matter"),
        pytest.param({"content": "x", "type": "story"}, "body.type", id="of no type"),
        pytest.param({"content": "x", "keys": "storm"}, "body.keys", id="a text for a list"),
        pytest.param({"content": "x", "keys": ["a"] * 201}, "body.keys", id="too many keys"),
        pytest.param({"content": "x", "keys": ["a" * 501]}, "body.keys.0", id="a key without end"),
        pytest.param({"content": "x", "created": "soon"}, "body.created", id="at no time"),
        pytest.param({"content": "x", "mood": "calm"}, "body.mood", id="a field nobody knows"),
        pytest.param({"content": "x" * 100_001}, "body.content", id="a whole novel"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_no_memory_is_refused_with_its_place(
    role: Caller, fields: dict[str, Any], where: str, language: str
) -> None:
    answer = role("POST", "/memories", fields, headers={"Accept-Language": language})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["where"]) == (422, "request", where)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in error["message"]) is (language == "zh")


def test_a_memory_is_changed_archived_and_deleted(role: Caller) -> None:
    role.remember("The beacon failed.", id="beacon", user="lin", subject="user")
    changed = good(
        role(
            "PATCH",
            "/memories/beacon",
            {
                "content": "The beacon shines again.",
                "type": "semantic",
                "user": None,
                "tags": ["new"],
            },
        )
    )
    assert (changed["content"], changed["type"], changed["user"], changed["subject"], changed["tags"]) == (
        "The beacon shines again.", "semantic", None, "user", ["new"],
    )  # fmt: skip
    assert good(role("PATCH", "/memories/beacon", {"archived": True}))["archived"] is True
    assert good(role("DELETE", "/memories/beacon"))["changed"] == 1
    assert role("GET", "/memories/beacon").status_code == 404
    assert (
        role("PATCH", "/memories/beacon", {"weight": 1}).json()["error"]["code"] == "unknown_memory"
    )


def test_a_change_names_the_memory_it_saw(role: Caller) -> None:
    seen = role.remember("The beacon failed.", id="beacon")["etag"]
    good(role("PATCH", "/memories/beacon", {"weight": 1.5}, headers={"If-Match": seen}))
    late = role("PATCH", "/memories/beacon", {"weight": 0.5}, headers={"If-Match": seen})
    assert (late.status_code, late.json()["current"]["weight"]) == (412, 1.5)
    assert role("DELETE", "/memories/beacon", headers={"If-Match": seen}).status_code == 412
    assert good(role("DELETE", "/memories/beacon", headers={"If-Match": "*"}))["changed"] == 1


def test_an_edit_from_outside_moves_the_tag(role: Caller, house: Served) -> None:
    seen = role.remember("The beacon failed.", id="beacon")["etag"]
    mind = house.home.role(role.id)
    mind.store.checkpoint(force=True)
    file = mind.folder / "memory.json"
    file.write_text(file.read_text("utf-8").replace("failed", "fell"), "utf-8")
    late = role("PATCH", "/memories/beacon", {"weight": 0.5}, headers={"If-Match": seen})
    assert (late.status_code, late.json()["current"]["content"]) == (412, "The beacon fell.")


def test_ids_may_be_written_in_any_way(role: Caller) -> None:
    for memory_id in ("a/b", "灯塔", "with blank", "100%", "a?b#c", "..", "bulk"):
        role.remember("Something.", id=memory_id)
        path = "".join(f"%{byte:02X}" for byte in memory_id.encode())
        assert role.get(f"/memories/{path}")["memory"]["id"] == memory_id


def test_the_detail_tells_where_it_comes_from_and_what_it_replaced(role: Caller) -> None:
    role.say(
        "Remember that I live in Bergen.",
        "A rainy town.",
        "Correction: I live in Oslo.",
        "Oh!",
        "Yes.",
    )
    rows = {
        row["content"]: row for row in role.get("/memories", params={"archived": "all"})["items"]
    }
    newer = next(row for text, row in rows.items() if "Oslo" in text and row["supersedes"])
    detail = role.get(f"/memories/{newer['id']}")
    assert [one["stands"] for one in detail["evidence"]] == [True]
    assert detail["evidence"][0]["text"] == "Correction: I live in Oslo."
    assert detail["evidence"][0]["quote"] in detail["evidence"][0]["text"]
    older = next(row for row in rows.values() if row["id"] in newer["supersedes"])
    assert [one["id"] for one in detail["replaced"]] == [older["id"]] or older["id"] in [
        one["id"] for one in detail["replaced"]
    ]
    assert older["superseded_by"] == newer["id"]
    assert [one["id"] for one in role.get(f"/memories/{older['id']}")["replaced_by"]] == [
        newer["id"]
    ]
    assert older["id"] not in [
        row["id"] for row in role.get("/memories", params={"counts": "yes"})["items"]
    ]


def test_the_detail_tells_of_injections_uses_and_fading(role: Caller) -> None:
    role.say("Hello.", "Good morning.")
    role.remember(
        "The harbour beacon failed in the great storm of 1887.",
        id="beacon",
        keys=["beacon"],
        created=datetime.now(UTC).isoformat(),
        source="summary",
    )
    role.post(
        "/recall", {"messages": asks("Why is the beacon dark?"), "chat": "harbour", "user": "lin"}
    )
    role.say(
        "Why is the beacon dark?",
        "The beacon failed in the great storm of 1887.",
        "I see.",
        chat="second",
    )
    detail = role.get("/memories/beacon")
    assert (detail["injections"][0]["chat"], detail["injections"][0]["why"][0]["by"]) == (
        "harbour",
        "keyword",
    )
    curve = detail["fading"]
    assert (curve["fades"], curve["points"][0], curve["points"] == sorted(curve["points"])) == (
        True,
        [0.0, 1.0],
        True,
    )
    assert all(0.0 <= left <= 1.0 for _, left in curve["points"])
    assert [left for _, left in curve["points"]] == sorted(
        (left for _, left in curve["points"]), reverse=True
    )


def test_a_use_stands_on_the_curve_where_it_was(role: Caller) -> None:
    role.remember("The beacon failed.", id="beacon", keys=["beacon"], source="summary")
    role.say("Why is the beacon dark?")
    role.post(
        "/recall", {"messages": asks("Why is the beacon dark?"), "chat": "harbour", "user": "lin"}
    )
    role.say("Why is the beacon dark?", "The beacon failed.", "I see.", "Yes.", "And now?")
    detail = role.get("/memories/beacon")
    assert detail["uses"]
    assert all(0.0 <= use["age"] <= detail["fading"]["age"] for use in detail["uses"])


def test_how_fresh_all_are_now_then_and_later(role: Caller) -> None:
    role.remember(
        "The beacon failed.", id="beacon", source="summary", created="2024-01-01T10:00:00Z"
    )
    role.remember("Mira keeps the light.", id="light", type="trait")
    role("PATCH", "", {"settings": {"triggers.recency.clock": "wall"}})
    now = role.get("/fading")
    then = role.get("/fading", params={"at": "2024-01-15T10:00:00Z"})
    later = role.get("/fading", params={"ahead": 1})
    assert (then["unit"], then["half_life"], then["values"]) == ("days", 14.0, {"beacon": 0.5})
    assert later["values"]["beacon"] <= now["values"]["beacon"] < 0.5
    assert "light" not in now["values"]


def test_what_an_author_wrote_does_not_fade(role: Caller) -> None:
    role.remember("The beacon failed.", id="beacon")
    curve = role.get("/memories/beacon")["fading"]
    assert (curve["fades"], {left for _, left in curve["points"]}) == (False, {1.0})


@pytest.mark.parametrize(
    ("op", "field", "value"),
    [
        pytest.param("archive", "archived", True, id="archived"),
        pytest.param("pin", "constant", True, id="always in the prompt"),
        pytest.param("lock", "locked", True, id="locked"),
    ],
)
def test_many_are_changed_at_once_and_back(
    harbour: Caller, op: str, field: str, value: bool
) -> None:
    back = {"archive": "restore", "pin": "unpin", "lock": "unlock"}[op]
    done = harbour.post("/memories/bulk", {"op": op, "ids": ["beacon", "tea", "beacon"]})
    assert (done["changed"], done["ids"]) == (2, ["beacon", "tea"])
    assert {harbour.get(f"/memories/{one}")["memory"][field] for one in ("beacon", "tea")} == {
        value
    }
    harbour.post("/memories/bulk", {"op": back, "ids": ["beacon", "tea"]})
    assert {harbour.get(f"/memories/{one}")["memory"][field] for one in ("beacon", "tea")} == {
        not value
    }


def test_many_are_one_change_that_one_undo_takes_back(harbour: Caller) -> None:
    done = harbour.post(
        "/memories/bulk",
        {"op": "edit", "ids": ["beacon", "tea"], "fields": {"weight": 2.0, "tags": ["all"]}},
    )
    assert harbour.get("/memories", params={"tag": "all"})["total"] == 2
    undone = harbour.post("/undo", {"txn": done["txn"]})
    assert sorted(row["id"] for row in undone["changed"]) == ["beacon", "tea"]
    assert harbour.get("/memories", params={"tag": "all"})["total"] == 0
    gone = harbour.post("/memories/bulk", {"op": "delete", "ids": ["beacon", "tea"]})
    assert harbour.get("/memories")["total"] == 2
    harbour.post("/undo", {"txn": gone["txn"]})
    assert harbour.get("/memories")["total"] == 4


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param(
            {"op": "archive", "ids": ["beacon", "nobody"]}, 404, id="one of them is not there"
        ),
        pytest.param({"op": "edit", "ids": ["beacon"]}, 422, id="an edit that names no field"),
        pytest.param({"op": "burn", "ids": ["beacon"]}, 422, id="what nobody can do"),
        pytest.param(
            {"op": "add", "memories": [{"content": "x"}, {"content": ""}]},
            422,
            id="one of the new ones is none",
        ),
    ],
)
def test_many_at_once_are_all_or_none(harbour: Caller, body: dict[str, Any], status: int) -> None:
    before = harbour.get("/memories")
    assert harbour("POST", "/memories/bulk", body).status_code == status
    assert harbour.get("/memories") == before


def test_nothing_to_do_is_done(harbour: Caller) -> None:
    assert harbour.post("/memories/bulk", {"op": "delete", "ids": []})["changed"] == 0


def test_every_change_is_on_record(harbour: Caller) -> None:
    good(harbour("PATCH", "/memories/beacon", {"weight": 1.5}, params={"reason": "it matters"}))
    line = harbour.get("/history", params={"memory": "beacon", "limit": 1})["items"][0]
    assert (line["op"], line["actor"], line["reason"], line["fields"]["weight"]) == (
        "set",
        "author",
        "it matters",
        [1.0, 1.5],
    )
    assert harbour.get("/history")["total"] == len(HARBOUR) + 1
    assert harbour("POST", "/undo", {"txn": "no such change"}).status_code == 422
    assert [row["did"] for row in harbour.post("/undo")["changed"]] == ["changed"]


def test_what_was_said_is_shown_like_a_memory(role: Caller) -> None:
    role.say("The vault opens at noon.", "So it does.", "Yes.", chat="harbour")
    asked = {"messages": asks("When does the vault open?"), "chat": "elsewhere", "user": "lin"}
    ids = [item["id"] for item in role.post("/recall", asked)["items"]]
    said = next(one for one in ids if one.startswith("p-"))
    detail = role.get(f"/memories/{said}")
    assert detail["evidence"][0]["text"] == detail["memory"]["content"]
    assert role("GET", "/memories/p-000000000000").status_code == 404
