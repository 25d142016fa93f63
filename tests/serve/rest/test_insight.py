"""What stands out, over REST."""

from typing import Any

import pytest

from tests.serve.rest.callers import Caller, good

MEMORIES: list[dict[str, Any]] = [
    {"id": "tea", "content": "Lin likes jasmine tea.", "type": "semantic", "subject": "user", "user": "lin", "keys": ["tea"], "created": "2025-01-01"},
    {"id": "tea-too", "content": "Lin likes jasmine tea a lot.", "type": "semantic", "subject": "user", "user": "lin", "keys": ["jasmine"], "created": "2025-02-01"},
    {"id": "bergen", "content": "Tam lives in Bergen.", "type": "semantic", "subject": "Tam", "keys": ["Bergen"], "created": "2025-01-01"},
    {"id": "oslo", "content": "Tam lives in Oslo.", "type": "semantic", "subject": "Tam", "keys": ["Oslo"], "created": "2025-03-01"},
    {"id": "bare", "content": "The lighthouse keeper hid a violin in the cellar.", "created": "2025-01-01"},
    {"id": "cellar", "content": "灯塔的守护人把小提琴藏在地窖里。", "created": "2025-01-01"},
]  # fmt: skip


@pytest.fixture
def harbour(role: Caller) -> Caller:
    role.post("/memories/bulk", {"op": "add", "memories": MEMORIES})
    return role


@pytest.mark.parametrize(
    ("memory", "words"),
    [("bare", {"lighthouse", "violin", "cellar"}), ("cellar", {"灯塔", "小提琴", "地窖"})],
)
def test_a_memory_without_keys_is_offered_some_of_its_words(
    harbour: Caller, memory: str, words: set[str]
) -> None:
    offered = next(
        one["keys"] for one in harbour.get("/insight")["lacking"] if one["memory"]["id"] == memory
    )
    assert any(word in key.casefold() for key in offered for word in words)
    good(harbour("PATCH", f"/memories/{memory}", {"keys": offered[:1]}))
    assert memory not in [one["memory"]["id"] for one in harbour.get("/insight")["lacking"]]


@pytest.mark.parametrize(
    ("memory", "language", "says"),
    [
        pytest.param("coat", "en", "its keys were not said", id="its key was never said"),
        pytest.param("coat", "zh", "它的关键词近来", id="the same in Chinese"),
        pytest.param("bare", "en", "it has no key", id="it has none"),
        pytest.param("bare", "zh", "没有关键词", id="it has none, in Chinese"),
    ],
)
def test_what_never_fires_is_told_with_its_reason_and_a_key(
    role: Caller, memory: str, language: str, says: str
) -> None:
    role.remember("A red coat hangs in the attic.", id="coat", keys=["coat"], created="2025-01-01")
    role.remember("Wolves howled behind the chapel.", id="bare", created="2025-01-01")
    for turn in range(21):
        role.post(
            "/recall",
            {
                "messages": [{"role": "user", "content": f"What is the weather on night {turn}?"}],
                "chat": f"c{turn}",
            },
        )
    rows = role.get("/insight", headers={"Accept-Language": language})["quiet"]
    row = next(one for one in rows if one["memory"]["id"] == memory)
    assert says in row["why"]["text"]
    assert row["turns"] >= 20
    assert row["keys"]
    assert not set(row["keys"]) & {"coat"}


def test_an_empty_role_has_nothing_that_stands_out(role: Caller) -> None:
    found = role.get("/insight")
    assert (
        found["looked"],
        found["alone"],
        [found[name] for name in ("themes", "quiet", "lacking")],
    ) == (0, 0, [[]] * 3)
