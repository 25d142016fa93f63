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


def test_what_is_alike_is_one_theme_named_by_words_of_its_memories(planted: Caller) -> None:
    found = planted.get("/map")
    theme = {one: theme for theme in found["themes"] for one in theme["ids"]}
    assert found["by"] == "words"
    assert theme["sea0"] == theme["sea1"] != theme["tea0"] == theme["tea1"]
    named = {word.casefold() for word in theme["tea0"]["name"]}
    assert named & {"jasmine", "tea", "jasmine tea"}
    assert set(theme["sea0"]["ids"]) <= {"sea0", "sea1", "sea2", "sea3"}


def test_the_same_memories_have_the_same_map(planted: Caller, another: Any) -> None:
    twin = another(f"twin-{planted.id}")
    rows = [
        {name: one[name] for name in ("id", "content", "created")}
        for one in planted.get("/memories")["items"]
    ]
    twin.post("/memories/bulk", {"op": "add", "memories": rows})
    assert twin.get("/map") == planted.get("/map")


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
def test_strange_texts_change_no_theme(planted: Caller, content: str) -> None:
    before = planted.get("/map")["themes"]
    planted.remember(content, id="strange")
    assert planted.get("/map")["themes"] == before


def test_an_empty_role_has_an_empty_map(role: Caller) -> None:
    found = role.get("/map")
    assert (found["themes"], found["edges"]) == ([], [])


def test_archived_memories_are_not_on_it(planted: Caller) -> None:
    planted.remember(f"{SEA[0][:-1]}!", id="doubled")
    assert on_it(planted) >= {"sea0", "doubled"}
    planted.post("/memories/bulk", {"op": "archive", "ids": ["sea0"]})
    assert "sea0" not in on_it(planted)


def on_it(role: Caller) -> set[str]:
    found = role.get("/map")
    joined = {one[end] for one in found["edges"] for end in ("from", "to")}
    return joined.union(*(one["ids"] for one in found["themes"]))
