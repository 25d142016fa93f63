"""Evidence becomes relevance, relevance a score."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.recall.weigh import MOST_RANKED, MOST_SHARE, Strategy, shares, weigh
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene
from rolememory.schema.settings import WeighSettings
from rolememory.schema.wording import word
from rolememory.triggers.table import Table

SCENE = Scene((), datetime(2026, 5, 1, tzinfo=UTC))
unit = st.floats(0, 1, allow_nan=False)


class Says:
    """A strategy that says what it was told to say."""

    name: ClassVar[str] = "says"
    activates: ClassVar[bool] = True

    def __init__(self, name: str, strengths: dict[str, float]) -> None:
        self.name = name  # type: ignore[misc]
        self._strengths = strengths

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        for entry_id, strength in self._strengths.items():
            if entry_id in among:
                yield Hit(entry_id, self.name, strength, Reason("says"))


class Breaks(Says):
    """A strategy whose model is gone."""

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        raise RuntimeError("no model")


def wakes(name: str, weight: float = 1.0, **strengths: float) -> Strategy:
    return Strategy(Says(name, strengths), weight, 0.0, wakes=True, weighs=False)


def weighs(name: str, share: float = 0.2, **strengths: float) -> Strategy:
    return Strategy(Says(name, strengths), 1.0, share, wakes=False, weighs=True)


def memories(*given: Memory | str) -> dict[str, Memory]:
    made = [
        Memory(id=one, content=f"about {one}") if isinstance(one, str) else one for one in given
    ]
    return {memory.id: memory for memory in made}


def ranked(
    known: dict[str, Memory], *strategies: Strategy, multiply: bool = False
) -> list[tuple[str, float]]:
    found = weigh(
        Table(known.values()),
        strategies,
        SCENE,
        frozenset(known),
        WeighSettings(),
        multiply=multiply,
    )
    return [(one.memory.id, round(one.score, 3)) for one in found]


def test_two_independent_reasons_beat_one() -> None:
    assert ranked(memories("a", "b"), wakes("keyword", a=0.6, b=0.6), wakes("semantic", a=0.3)) == [
        ("a", 0.72),
        ("b", 0.6),
    ]


def test_a_weak_leg_never_drags_a_strong_one() -> None:
    alone = ranked(memories("a"), wakes("keyword", a=0.8))
    joined = ranked(memories("a"), wakes("keyword", a=0.8), wakes("semantic", a=0.01))
    assert joined[0][1] >= alone[0][1]


def test_only_what_was_woken_is_weighed() -> None:
    assert ranked(
        memories("a", "b"), wakes("keyword", a=0.6), weighs("recency", a=-1.0, b=0.0)
    ) == [("a", 0.48)]


def test_time_reorders_and_does_not_erase() -> None:
    assert ranked(
        memories("old", "new"), wakes("keyword", old=0.6, new=0.59), weighs("recency", old=-1.0)
    ) == [
        ("new", 0.59),
        ("old", 0.48),
    ]


def test_a_strategy_weight_is_a_factor_on_its_evidence() -> None:
    assert ranked(memories("a"), wakes("keyword", 0.5, a=0.8)) == [("a", 0.4)]


def test_multiply_is_relevance_times_freshness() -> None:
    assert ranked(
        memories("a"),
        wakes("semantic", a=0.8),
        weighs("recency", a=-0.5),
        weighs("emotional", a=1.0),
        multiply=True,
    ) == [("a", 0.4)]


@pytest.mark.parametrize(
    ("memory", "score"),
    [
        pytest.param(Memory(id="a", content="x"), 0.6, id="defaults are neutral"),
        pytest.param(
            Memory(id="a", content="x", weight=2.0), 0.63, id="twice the weight adds its share"
        ),
        pytest.param(
            Memory(id="a", content="x", weight=0.0), 0.57, id="no weight takes its share away"
        ),
        pytest.param(
            Memory(id="a", content="x", salience=1.0), 0.63, id="what mattered most adds its share"
        ),
        pytest.param(
            Memory(id="a", content="x", priority=0), 0.57, id="lowest priority takes its share away"
        ),
        pytest.param(
            Memory(id="a", content="x", weight=2.0, salience=1.0, priority=100),
            0.69,
            id="all shares add up",
        ),
    ],
)
def test_standing_parts(memory: Memory, score: float) -> None:
    assert ranked(memories(memory), wakes("keyword", a=0.6)) == [("a", score)]


def test_ties_are_total_newer_first_then_id() -> None:
    day = datetime(2026, 1, 1, tzinfo=UTC)
    known = memories(
        Memory(id="c", content="x", created=day),
        Memory(id="b", content="x"),
        Memory(id="a", content="x"),
    )
    assert [one for one, _ in ranked(known, wakes("keyword", a=0.6, b=0.6, c=0.6))] == [
        "c",
        "a",
        "b",
    ]


def test_of_a_crowd_the_most_relevant_and_then_the_newest_are_ranked() -> None:
    count = 3 * MOST_RANKED
    crowd = [
        Memory(id=f"m{at:05}", content="x", created=SCENE.now - timedelta(minutes=at // 2))
        for at in range(count)
    ]
    faint, oldest = {one.id: 0.05 for one in crowd}, crowd[-1].id
    strategies = [wakes("dates", **faint), wakes("keyword", **{oldest: 0.1})]
    for entries in (crowd, crowd[::-1]):
        table = Table(entries)
        found = weigh(table, strategies, SCENE, [one.id for one in crowd], WeighSettings())
        assert len(found) == MOST_RANKED + 1, "two that came at once are both there or both not"
        ids = [one.id for one in found.memories]
        assert ids == [oldest, *(one.id for one in crowd[:MOST_RANKED])]
        assert [hit.trigger for hit in found[0].hits] == ["keyword", "dates"]
        wanted = weigh(
            table,
            strategies,
            replace(SCENE, wanted=count),
            [one.id for one in crowd],
            WeighSettings(),
        )
        assert len(wanted) == count, "as many as are asked for"


def test_a_failing_strategy_leaves_a_note_and_the_turn_goes_on() -> None:
    notes: list[str] = []
    broken = Strategy(Breaks("semantic", {}), 1.0, 0.0, wakes=True, weighs=False)
    known = memories("a")
    found = weigh(
        Table(known.values()),
        [broken, wakes("keyword", a=0.6)],
        SCENE,
        frozenset(known),
        WeighSettings(),
        note=lambda name, e: notes.append(f"{name}: {e}"),
    )
    assert [one.memory.id for one in found] == ["a"]
    assert notes == ["semantic: no model"]


def test_the_contributions_are_the_whole_difference() -> None:
    known = memories(Memory(id="a", content="x", weight=1.4))
    one = weigh(
        Table(known.values()),
        [wakes("keyword", a=0.5), weighs("recency", a=-0.5)],
        SCENE,
        frozenset(known),
        WeighSettings(),
    )[0]
    assert {part.name for part in one.contributions} == {"recency", "weight"}
    assert one.score == pytest.approx(
        one.relevance + sum(part.amount for part in one.contributions)
    )


@given(st.lists(unit, max_size=8))
def test_relevance_is_bounded_and_never_below_its_best_reason(strengths: list[float]) -> None:
    says = [wakes(f"reason {number}", a=strength) for number, strength in enumerate(strengths)]
    fused = max((score for _, score in ranked(memories("a"), *says)), default=0.0)
    assert 0.0 <= fused <= 1.0
    assert fused >= round(max(strengths, default=0.0), 3)


@given(st.lists(unit, min_size=1, max_size=8))
def test_all_parts_together_move_a_score_by_at_most_half(weights: list[float]) -> None:
    assert sum(shares(weights)) <= MOST_SHARE + 1e-9


@given(unit, st.floats(-5, 5), st.floats(0, 2), unit, st.integers(0, 100))
def test_scores_stay_in_bounds_whatever_a_strategy_says(
    strength: float, said: float, weight: float, salience: float, priority: int
) -> None:
    known = memories(
        Memory(id="a", content="x", weight=weight, salience=salience, priority=priority)
    )
    for one in weigh(
        Table(known.values()),
        [wakes("keyword", a=strength), weighs("odd", a=said)],
        SCENE,
        frozenset(known),
        WeighSettings(),
    ):
        assert 0.0 <= one.score <= 1.0
        assert abs(one.score - one.relevance) <= MOST_SHARE * one.relevance + 1e-5


@pytest.mark.parametrize(
    ("weight", "use", "score", "told"),
    [
        pytest.param(1.0, 0.0, 0.6, None, id="never used: neutral"),
        pytest.param(
            1.0,
            0.4,
            0.612,
            {"weight": 1.4, "base": 1.0, "use": 0.4},
            id="what replies use speaks louder",
        ),
        pytest.param(
            1.0,
            -0.3,
            0.591,
            {"weight": 0.7, "base": 1.0, "use": -0.3},
            id="what they pass over speaks more softly",
        ),
        pytest.param(
            1.8, 0.5, 0.63, {"weight": 2.0, "base": 1.8, "use": 0.5}, id="never heavier than 2"
        ),
        pytest.param(
            0.1, -0.3, 0.57, {"weight": 0.0, "base": 0.1, "use": -0.3}, id="never lighter than 0"
        ),
        pytest.param(
            1.3,
            0.0,
            0.609,
            {"weight": 1.3},
            id="set by hand and never used: its own weight alone is told",
        ),
        pytest.param(1.25, -0.25, 0.6, None, id="use may bring it back to neutral"),
    ],
)
def test_use_weighs(weight: float, use: float, score: float, told: dict[str, float] | None) -> None:
    known = memories(Memory(id="a", content="about a", weight=weight))
    (found,) = weigh(
        Table(known.values()),
        [wakes("keyword", a=0.6)],
        SCENE,
        frozenset("a"),
        WeighSettings(),
        effects={"a": use, "gone": 0.5},
    )
    assert round(found.score, 6) == score
    assert (
        next(
            (dict(part.because.values) for part in found.contributions if part.name == "weight"),
            None,
        )
        == told
    )


def test_use_is_told_in_both_languages() -> None:
    reason = Reason("weight", (("weight", 1.4), ("base", 1.0), ("use", 0.4)))
    assert word(reason) == "weight 1.40 (1.00 and 0.40 by use)"
    assert word(reason, "zh") == "权重 1.40（原为 1.00，使用所致 0.40）"
