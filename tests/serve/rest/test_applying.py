"""A refusal's change made over REST: of an entry in the book where it stands."""

import json

import pytest

from tests.serve.houses import Served
from tests.serve.rest.callers import Caller, asks

BOOK = {
    "entries": {
        "0": {"uid": 0, "key": ["beacon"], "comment": "The beacon", "content": "The beacon stands above the chapel."},
        "1": {"uid": 1, "key": ["beacon"], "comment": "The keeper", "content": "Keeper Tom has one eye.", "probability": 0, "useProbability": True},
        "2": {"uid": 2, "key": ["chapel"], "comment": "The chapel", "content": "Under it lies a bell.", "disable": True},
        "3": {"uid": 3, "key": ["dog"], "comment": "The dog", "content": "The dog sleeps."},
    },
    "of nobody's business": [1, 2],
}  # fmt: skip
QUESTION = {"messages": asks("Who keeps the beacon?"), "lore": True, "asleep": True}


@pytest.fixture
def harbour(role: Caller) -> Caller:
    role.api.post(
        f"/books/{role.id}/import", params={"filename": "har.bour.json"}, json=BOOK
    ).raise_for_status()
    return role


def entries(harbour: Caller) -> dict[str, dict[str, object]]:
    return harbour.get("/export")["worldbooks"]["har.bour.json"]["entries"]  # type: ignore[no-any-return]


def test_every_entry_that_is_not_there_says_why(harbour: Caller) -> None:
    lore = harbour.post("/explain", QUESTION)["lore"]
    told = {
        one["title"]: (one["gate"], (one["remedy"] or {}).get("target")) for one in lore["refused"]
    }
    assert told == {
        "The keeper": ("chance", "entry"),
        "The chapel": ("disabled", "entry"),
        "The dog": ("key", "message"),
    }
    assert [len(one["admitted"]) for one in lore["passes"]][:1] == [1]
    assert [
        one["title"]
        for one in harbour.post("/explain", {**QUESTION, "asleep": False})["lore"]["refused"]
    ] == ["The keeper"]


@pytest.mark.parametrize(
    ("title", "field", "before"),
    [("The keeper", "probability", 0), ("The chapel", "enabled", False)],
)
def test_the_change_of_an_entry_lets_it_in_and_is_taken_back(
    harbour: Caller, title: str, field: str, before: object
) -> None:
    remedy = next(
        one["remedy"]
        for one in harbour.post("/explain", QUESTION)["lore"]["refused"]
        if one["title"] == title
    )
    done = harbour.post("/apply", remedy)
    assert (done["target"], done["field"], done["before"]) == ("entry", field, before)
    assert title in [one["title"] for one in harbour.post("/explain", QUESTION)["lore"]["awake"]]
    harbour.post(
        "/apply", {"target": "entry", "id": remedy["id"], "field": field, "value": done["before"]}
    )
    assert title not in [
        one["title"] for one in harbour.post("/explain", QUESTION)["lore"]["awake"]
    ]
    assert entries(harbour)["3"] == BOOK["entries"]["3"]  # type: ignore[index]


def test_an_entry_of_a_shared_book_is_changed_where_it_is_linked(
    role: Caller, house: Served
) -> None:
    role.api.post(
        "/books/shared/import", params={"name": f"far {role.id}"}, json=BOOK
    ).raise_for_status()
    change = {"target": "entry", "id": f"far {role.id}.1", "field": "probability", "value": 100}
    assert role("POST", "/apply", change).status_code == 404
    role("PATCH", "", {"worldbooks": [f"far {role.id}.json"]})
    role.post("/apply", change)
    assert (
        json.loads((house.home.path / "worldbooks" / f"far {role.id}.json").read_text("utf-8"))[
            "entries"
        ]["1"]["probability"]
        == 100
    )


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param(
            {"id": "har.bour.9", "field": "enabled", "value": True},
            404,
            id="an entry that is not there",
        ),
        pytest.param(
            {"id": "har.bour.1", "field": "mood", "value": True}, 404, id="a field that is none"
        ),
        pytest.param(
            {"id": "har.bour.1", "field": "probability", "value": 900},
            422,
            id="a chance that cannot be",
        ),
    ],
)
def test_what_cannot_be_is_refused(harbour: Caller, change: dict[str, object], status: int) -> None:
    assert harbour("POST", "/apply", {"target": "entry", **change}).status_code == status
    assert entries(harbour)["1"]["probability"] == 0
