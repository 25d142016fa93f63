"""What stands out among memories."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rolememory.authoring.insight import Insight, InsightContext, insight
from rolememory.authoring.similarity import likeness
from rolememory.schema.memory import Memory
from rolememory.text.arrays import np
from rolememory.text.vectors import VectorTable

START = datetime(2025, 1, 1, tzinfo=UTC)


def told(*texts: str, **fields: Any) -> dict[str, Memory]:
    return {
        f"m{at}": Memory(id=f"m{at}", content=text, created=START + timedelta(days=at), **fields)
        for at, text in enumerate(texts)
    }


def found(memories: dict[str, Memory], known: InsightContext | None = None) -> Insight:
    return insight(memories, likeness(list(memories.values())), known)


def test_a_theme_is_named_by_what_its_memories_share() -> None:
    memories = told(
        "The beacon failed in the storm.", "A storm broke the beacon.", "The keeper lit the beacon in the storm.",
        "她喜欢茉莉茶。", "茉莉茶让她平静。", "他带来了茉莉茶。",
    )  # fmt: skip
    groups = found(memories).themes
    assert {frozenset(one.ids) for one in groups} == {
        frozenset({"m0", "m1", "m2"}),
        frozenset({"m3", "m4", "m5"}),
    }
    names = [" ".join(one.name) for one in groups]
    assert any("beacon" in name.casefold() for name in names)
    assert any("茉莉" in name for name in names)


@pytest.mark.parametrize(
    ("keys", "said", "why"),
    [
        pytest.param((), "", "quiet_no_keys", id="it has none"),
        pytest.param(("violin",), "the rain goes on", "quiet_unsaid", id="they were not said"),
        pytest.param(
            ("oil",), "the boiler boils", "quiet_unsaid", id="part of another word is not the word"
        ),
        pytest.param(("violin",), "play the violin", "quiet_outdone", id="they were said"),
        pytest.param(("小提琴",), "请拉小提琴", "quiet_outdone", id="they were said, in Chinese"),
        pytest.param(("/viol.n/",), "play the violin", "quiet_patterns", id="they are patterns"),
    ],
)
def test_why_a_memory_is_silent(keys: tuple[str, ...], said: str, why: str) -> None:
    memory = Memory(id="m", content="The keeper hid a violin.", keys=keys, created=START)
    (row,) = found({"m": memory}, InsightContext(turns_since=lambda _: 30, said=said)).quiet
    assert (row.turns, row.because.code) == (30, why)


@pytest.mark.parametrize(
    ("known", "fields"),
    [
        pytest.param(InsightContext(turns_since=lambda _: 3), {}, id="told lately"),
        pytest.param(InsightContext(turns_since=lambda _: None), {}, id="told nobody knows when"),
        pytest.param(
            InsightContext(turns_since=lambda _: 30, prompted={"m"}), {}, id="was in a prompt"
        ),
        pytest.param(
            InsightContext(turns_since=lambda _: 30), {"constant": True}, id="is always there"
        ),
    ],
)
def test_who_is_not_called_silent(known: InsightContext, fields: dict[str, Any]) -> None:
    assert (
        found({"m": Memory(id="m", content="A coat.", created=START, **fields)}, known).quiet == ()
    )


def test_keys_that_were_said_are_offered_first() -> None:
    memory = {"m": Memory(id="m", content="The lighthouse keeper hid a violin in the cellar.")}
    said = found(memory, InsightContext(said="she went down to the cellar")).lacking[0].keys
    assert "cellar" in said[0].casefold()
    assert not any(key.casefold() in ("the", "a", "in") for key in said)


def test_a_memory_that_is_not_embedded_yet_is_near_none() -> None:
    memories = list(told(*(f"The beacon failed on night {at}." for at in range(6))).values())
    table = VectorTable(2)
    for one in memories[:-1]:
        table.set(one.id, np.array([[0.6, 0.8]], np.float32), (one.id.encode(),))
    like = likeness(memories, table)
    assert like.by == "meaning"
    assert not like.rows[-1].any()
    assert [
        len(theme.ids) for theme in insight({one.id: one for one in memories}, like).themes
    ] == [5]
    table.remove(memories[0].id)
    assert likeness(memories, table).by == "words"
