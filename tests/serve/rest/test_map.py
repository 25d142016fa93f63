"""The garden's map over REST."""

from typing import Any

import pytest

from tests.serve.rest.callers import Caller

SEA = [
    "The beacon failed in the storm.",
    "A storm broke the beacon's lens.",
    "The keeper lit the beacon before the storm.",
    "灯塔在风暴里灭了。",
]
TEA = [
    "Jasmine tea calms her.",
    "She drinks jasmine tea at dawn.",
    "Lin brought jasmine tea from the market.",
    "她早上喝茉莉茶。",
]


@pytest.fixture
def planted(role: Caller) -> Caller:
    role.post(
        "/memories/bulk",
        {
            "op": "add",
            "memories": [
                {"id": f"{name}{at}", "content": text}
                for name, texts in (("sea", SEA), ("tea", TEA))
                for at, text in enumerate(texts)
            ],
        },
    )
    return role


def places(found: Any) -> dict[str, tuple[float, float]]:
    return {one["id"]: (one["x"], one["y"]) for one in found["points"]}


def test_every_memory_has_a_place_and_what_is_alike_stands_together(planted: Caller) -> None:
    found = planted.get("/map")
    spots = places(found)
    assert (found["by"], len(spots)) == ("words", 8)
    assert all(-1 <= x <= 1 and -1 <= y <= 1 for x, y in spots.values())

    def apart(one: str, other: str) -> float:
        return float(
            ((spots[one][0] - spots[other][0]) ** 2 + (spots[one][1] - spots[other][1]) ** 2) ** 0.5
        )

    for at in (0, 1, 2):
        assert max(apart(f"sea{at}", f"sea{other}") for other in (0, 1, 2)) < min(
            apart(f"sea{at}", f"tea{other}") for other in (0, 1, 2)
        )


def test_themes_are_named_by_words_of_their_memories(planted: Caller) -> None:
    found = planted.get("/map")
    theme = {one["id"]: one["theme"] for one in found["points"]}
    assert theme["sea0"] == theme["sea1"] != theme["tea0"] == theme["tea1"]
    named = {word.casefold() for word in found["themes"][theme["tea0"]]["name"]}
    assert named & {"jasmine", "tea", "jasmine tea"}
    assert set(found["themes"][theme["sea0"]]["ids"]) <= {"sea0", "sea1", "sea2", "sea3"}


def test_a_memory_more_moves_no_other(planted: Caller) -> None:
    before = places(planted.get("/map"))
    planted.remember("The storm took the beacon's roof.", id="roof")
    after = places(planted.get("/map"))
    assert {one: spot for one, spot in after.items() if one != "roof"} == before
    near = min(
        before,
        key=lambda one: (
            (before[one][0] - after["roof"][0]) ** 2 + (before[one][1] - after["roof"][1]) ** 2
        ),
    )
    assert near.startswith("sea")


def test_the_same_memories_have_the_same_map(planted: Caller, another: Any) -> None:
    twin = another(f"twin-{planted.id}")
    rows = [
        {name: one[name] for name in ("id", "content", "created")}
        for one in planted.get("/memories")["items"]
    ]
    twin.post("/memories/bulk", {"op": "add", "memories": rows})
    assert twin.get("/map") == planted.get("/map")


def test_who_has_seen_the_map_is_told_so(planted: Caller) -> None:
    first = planted("GET", "/map")
    again = planted("GET", "/map", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    planted.remember("The harbour froze.", id="ice")
    changed = planted("GET", "/map", headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200
    assert changed.json()["revision"] != first.json()["revision"]


def test_edges_tell_what_replaced_what_and_what_is_alike(planted: Caller) -> None:
    planted.remember(
        "The beacon burns again after the storm.", id="again", supersedes=["sea0", "gone"]
    )
    edges = {(one["from"], one["to"], one["kind"]) for one in planted.get("/map")["edges"]}
    assert ("again", "sea0", "supersedes") in edges
    assert not any("gone" in edge for edge in edges)
    assert any(kind == "alike" and one[:3] == other[:3] for one, other, kind in edges)


def test_memories_that_replies_use_together_are_joined(planted: Caller) -> None:
    for turn in range(3):
        asked = f"Is the beacon lit in the storm, night {turn}?"
        planted.post(
            "/recall",
            {"messages": [{"role": "user", "content": asked}], "chat": "night", "user": "lin"},
        )
        planted.say(
            asked,
            "The keeper lit the beacon before the storm; the storm broke the beacon's lens, and the beacon failed.",
            chat="night",
        )
    edges = planted.get("/map")["edges"]
    assert all(set(one) == {"from", "to", "kind"} for one in edges)
    assert any(one["kind"] in ("together", "alike") for one in edges)


@pytest.mark.parametrize(
    "content", ["<img src=x onerror=alert(1)>", "\u202e\u0000", "😀" * 40, "的", "   x   ", "1"]
)
def test_strange_texts_have_a_place(planted: Caller, content: str) -> None:
    planted.remember(content, id="strange")
    assert "strange" in places(planted.get("/map"))


def test_an_empty_role_has_an_empty_map(role: Caller) -> None:
    found = role.get("/map")
    assert (found["points"], found["themes"], found["edges"]) == ([], [], [])


def test_archived_memories_are_not_on_it(planted: Caller) -> None:
    planted.post("/memories/bulk", {"op": "archive", "ids": ["sea0"]})
    assert "sea0" not in places(planted.get("/map"))
