"""Time reorders: fresh memories are neutral, old ones lose up to their share, clocks may say what they like."""

from datetime import UTC, datetime, timedelta
from math import isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.schema.scene import Scene
from rolememory.schema.settings import RecencySettings, TriggerSettings
from rolememory.triggers.base import Parts
from rolememory.triggers.recency import RecencyTrigger, freshness

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def memory(memory_id: str = "m", days: float = 0.0, **fields: object) -> Memory:
    return Memory.model_validate(
        {
            "id": memory_id,
            "content": "told",
            "source": Source.SUMMARY,
            "created": NOW - timedelta(days=days),
            **fields,
        }
    )


def strengths(
    *memories: Memory,
    now: datetime = NOW,
    turn: int = 0,
    told_at: int | None = None,
    **settings: object,
) -> dict[str, float]:
    recency = RecencySettings.model_validate({"clock": "wall", **settings})

    def told_at_turns(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full(len(seconds), told_at)

    counted = None if told_at is None else told_at_turns
    trigger = RecencyTrigger(
        memories, Parts(TriggerSettings(recency=recency), told_at_turns=counted)
    )
    return {
        hit.entry_id: hit.strength
        for hit in trigger.fire(Scene((), now, turn), [each.id for each in memories])
    }


@pytest.mark.parametrize(
    ("days", "settings", "strength"),
    [
        pytest.param(14, {}, -0.5, id="after one half-life a half is taken"),
        pytest.param(28, {}, -0.75, id="after two, three quarters"),
        pytest.param(7, {"half_life_days": 7}, -0.5, id="the half-life is a setting"),
        pytest.param(14, {"curve": "exponential"}, -0.6321, id="the exponential curve leaves 0.37"),
        pytest.param(
            14, {"clock": "turns"}, -0.5, id="turns nobody counted fall back to the calendar"
        ),
    ],
)
def test_wall_clock(days: float, settings: dict[str, object], strength: float) -> None:
    assert strengths(memory(days=days), **settings) == {"m": pytest.approx(strength, abs=1e-4)}


@pytest.mark.parametrize(
    ("said", "settings", "strength"),
    [
        pytest.param("The brass key is cold.", {}, -0.5, id="in talk age counts in full"),
        pytest.param("Where is the brass key?", {}, 0.0, id="a question that names its matter"),
        pytest.param("And then?", {}, -0.5, id="a question that lives by the talk before it"),
        pytest.param("黄铜钥匙放在哪个抽屉里？", {}, 0.0, id="the same in Chinese"),
        pytest.param("Where is the brass key?", {"questions": 1}, -0.5, id="as the settings say"),
        pytest.param("Where is the brass key?", {"questions": 0.25}, -0.125, id="... in part"),
    ],
)
def test_a_question_is_asked_for_what_it_is_however_old(
    said: str, settings: dict[str, object], strength: float
) -> None:
    recency = RecencySettings.model_validate({"clock": "wall", **settings})
    trigger = RecencyTrigger([memory(days=14)], Parts(TriggerSettings(recency=recency)))
    hits = trigger.fire(Scene((), NOW, query=said), ["m"])
    assert [hit.strength for hit in hits] == [pytest.approx(strength)]


def test_a_story_that_rests_does_not_age() -> None:
    old = memory(days=900)
    assert strengths(old, turn=10, told_at=10, clock="turns") == {}
    assert strengths(old, turn=210, told_at=10, clock="turns") == {"m": -0.5}
    assert strengths(old, turn=5, told_at=10, clock="turns") == {}, (
        "a turn ahead of the scene counts as now"
    )


@pytest.mark.parametrize(
    "lasting",
    [
        pytest.param(memory(days=99, type=MemoryType.TRAIT), id="traits do not fade"),
        pytest.param(memory(days=99, type=MemoryType.GOAL), id="goals do not fade"),
        pytest.param(memory(days=99, constant=True), id="constant memories do not fade"),
        pytest.param(
            memory(days=99, source=Source.MANUAL), id="what an author wrote does not fade"
        ),
        pytest.param(memory(days=99, decay=0.0), id="decay 0 never fades"),
        pytest.param(memory(days=99, created=None), id="no date, no age"),
        pytest.param(memory(days=0), id="brand new is neutral"),
        pytest.param(memory(days=-3), id="the future counts as now"),
    ],
)
def test_neutral(lasting: Memory) -> None:
    assert strengths(lasting) == {}


def test_decay_multiplies_the_age() -> None:
    faded = strengths(memory("slow", days=14, decay=0.5), memory("fast", days=14, decay=2.0))
    assert faded == {"slow": pytest.approx(0.5**0.5 - 1), "fast": pytest.approx(-0.75)}


def test_only_who_is_asked_for_answers() -> None:
    trigger = RecencyTrigger([memory("a", 3), memory("b", 3)], Parts())
    assert {hit.entry_id for hit in trigger.fire(Scene((), NOW), {"b", "stranger"})} == {"b"}


@given(
    st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)), st.floats(0, 1e6)
)
def test_any_stamp_gives_a_finite_share(created: datetime, now: datetime, decay: float) -> None:
    faded = strengths(memory(created=created, decay=decay), now=now)
    assert all(isfinite(strength) and -1.0 <= strength < 0.0 for strength in faded.values())


@given(st.floats(), st.floats(1e-3, 1e6), st.sampled_from(["half_life", "exponential"]))
def test_freshness_is_a_share_whatever_the_age(age: float, half_life: float, curve: str) -> None:
    assert 0.0 <= freshness(age, half_life, curve) <= 1.0  # type: ignore[arg-type]


def test_why() -> None:
    trigger = RecencyTrigger([memory(days=14)], Parts())
    [hit] = trigger.fire(Scene((), NOW), ["m"])
    assert (hit.because.code, hit.because.get("days"), hit.because.get("freshness")) == (
        "age",
        14,
        0.5,
    )
