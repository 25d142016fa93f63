"""Which memories a reply used: precision first, in both languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from rolememory.learn.references import ENOUGH, referenced
from rolememory.schema.memory import Memory
from rolememory.schema.wording import word
from tests.builders import memory

HERE = Path(__file__).parent
SPEAKERS = ("Mira", "Lin", "米拉", "林", "Tom", "Elena", "阿涛", "艾琳")


def rows(name: str) -> list[dict[str, Any]]:
    return [row for language in ("en", "zh") for row in json.loads((HERE / f"{name}.{language}.json").read_text(encoding="utf-8"))]


def used(row: dict[str, Any]) -> set[str]:
    keys = row.get("keys", {})
    known = [memory(name, content, keys=tuple(keys.get(name, ()))) for name, content in row["memories"].items()]
    return {one.id for one in referenced(row["reply"], known, query=row["query"], names=SPEAKERS)}


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in rows("references")])
def test_what_a_reply_used(row: dict[str, Any]) -> None:
    assert used(row) == set(row["used"])


def test_rows_that_nothing_was_tuned_to() -> None:
    found = [(used(row), set(row["used"])) for row in rows("references_held_out")]
    right = sum(len(said & wanted) for said, wanted in found)
    assert right / sum(len(said) for said, _ in found) >= 0.95, "precision"
    assert right / sum(len(wanted) for _, wanted in found) >= 0.85, "recall"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_memories_of_another_story_are_hardly_ever_used(language: str) -> None:
    probes = json.loads((HERE.parent / "bench" / "data" / f"probes.{language}.json").read_text(encoding="utf-8"))["roles"][0]
    others = [memory(one["id"], one["text"]) for one in probes["memories"]]
    replies = [row for row in rows("references") if row["reply"]]
    found = [referenced(row["reply"], others, query=row["query"], names=(*SPEAKERS, probes["role"], probes["user"])) for row in replies]
    assert sum(map(len, found)) <= 0.001 * len(replies) * len(others)


NUTS = memory("nuts", "Lin is allergic to peanuts.")
SISTER = memory("sister", "Lin's sister is called Marta.")


@pytest.mark.parametrize(
    ("reply", "told", "zh"),
    [
        pytest.param("Marta sends her love.", "the reply says 'marta'", "回复里说到“marta”", id="a name"),
        pytest.param("小雨问候你。", "the reply says '小雨'", "回复里说到“小雨”", id="Chinese characters as they stand"),
    ],
)
def test_why(reply: str, told: str, zh: str) -> None:
    (found,) = referenced(reply, [SISTER, memory("zh", "林的妹妹叫小雨。")], names=SPEAKERS)
    assert (word(found.because), word(found.because, "zh")) == (told, zh)


def test_strongest_first_and_a_half_is_just_enough() -> None:
    found = referenced(
        "Marta has no peanuts, and Marta keeps a compass of brass.", [NUTS, SISTER, memory("c", "Marta has a brass compass.")]
    )
    assert found[0].id == "c"
    assert all(0.0 < one.strength <= 1.0 for one in found)
    assert referenced("How is Marta?", [SISTER])[0].strength == pytest.approx(1 - 2**-ENOUGH)


def test_names_that_nobody_said_change_nothing() -> None:
    assert [one.id for one in referenced("How is Marta?", [SISTER], names=("", " "))] == ["sister"]


def test_our_own_block_in_the_reply_proves_nothing() -> None:
    assert not referenced("<rolememory>\n- Lin is allergic to peanuts.\n</rolememory>\nGood evening.", [NUTS], names=SPEAKERS)


def test_words_of_earlier_messages_prove_nothing_either() -> None:
    said = "Shall I cook?\nYou may, but remember my trouble with peanuts."
    assert not referenced("No peanuts, I promise.", [NUTS], query=said, names=SPEAKERS)


ALIKE = {
    ("Nothing with groundnuts for you.", "is allergic to peanuts."): 0.8,
    ("Cook something!", "is allergic to peanuts."): 0.1,
    ("What about groundnuts?", "is allergic to peanuts."): 0.7,
}


def alike(one: str, other: str) -> float | None:
    return ALIKE.get((one, other))


@pytest.mark.parametrize(
    ("query", "reply", "wanted"),
    [
        pytest.param("Cook something!", "Sit down. Nothing with groundnuts for you.", [("nuts", 0.8)], id="said in other words"),
        pytest.param(
            "What about groundnuts?", "Sit down. Nothing with groundnuts for you.", [], id="hardly nearer than what the user said"
        ),
        pytest.param("Cook something!", "Sit down and wait.", [], id="a sentence that no model can tell"),
        pytest.param("Cook something!", "No peanuts for you.", [("nuts", None)], id="words suffice: no model is asked"),
    ],
)
def test_meaning_helps_where_words_prove_nothing(query: str, reply: str, wanted: list[tuple[str, float | None]]) -> None:
    found = referenced(reply, [NUTS], query=query, names=SPEAKERS, vectors=alike)
    assert [(one.id, one.because.get("cosine", None)) for one in found] == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["", "   ", "{{user}}", "Mira", "的了", "茶", "🙂", "-"])
def test_a_memory_that_says_nothing_is_never_used(content: str) -> None:
    assert referenced("Mira drinks tea, 喝茶的。 🙂", [Memory(id="a", content=content)], names=SPEAKERS) == []
