"""Use changes weight: up when replies use a memory, a little down when they never do, and what matters never sinks."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.usage import UsageTally
from rolememory.usage.weights import (
    GAIN,
    LOSS,
    adjusted,
    archived,
    core,
    effect,
    effects,
    sinks,
    weight,
)
from tests.builders import memory

SAID = (Evidence(chat="harbour", version="v1", quote="I like tea."),)
turns = st.floats(0, 5000, allow_nan=False)


def learned(memory_id: str = "a", **fields: Any) -> Memory:
    return memory(
        memory_id, **{"source": "user_input", "evidence": SAID, "type": "semantic", **fields}
    )


@pytest.mark.parametrize(
    ("referenced", "vain", "low", "high"),
    [
        pytest.param(0, 0, 0.0, 0.0, id="never in a prompt: as the file says"),
        pytest.param(1, 0, 0.05, 0.1, id="used once: a little heavier"),
        pytest.param(4, 0, 0.25, 0.25, id="used four times: half of what use can add"),
        pytest.param(
            1000, 0, 0.499, 0.5, id="used in a thousand turns: no more than half a weight"
        ),
        pytest.param(0, 3, 0.0, 0.0, id="passed over three times: nothing yet"),
        pytest.param(0, 30, -0.15, -0.05, id="passed over thirty times: a little lighter"),
        pytest.param(
            0,
            1000,
            -0.3,
            -0.29,
            id="passed over in a thousand turns: still two thirds of its weight",
        ),
        pytest.param(10, 90, 0.3, 0.5, id="used in one of ten turns: that is use"),
        pytest.param(100, 900, 0.2, 0.3, id="... over a chat of a thousand turns as well"),
        pytest.param(
            2, 998, -0.2, -0.1, id="used twice in a thousand turns: lighter, less than never used"
        ),
    ],
)
def test_effect(referenced: float, vain: float, low: float, high: float) -> None:
    assert low <= effect(UsageTally(referenced, vain)) <= high


@settings(deadline=None)
@given(turns, turns, turns)
def test_use_never_makes_lighter_and_vain_turns_never_heavier(
    referenced: float, vain: float, more: float
) -> None:
    now = effect(UsageTally(referenced, vain))
    assert -LOSS <= now <= GAIN
    assert effect(UsageTally(referenced + more, vain)) >= now
    assert effect(UsageTally(referenced, vain + more)) <= now


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        pytest.param({}, True, id="what was learned from a chat"),
        pytest.param({"type": "episodic"}, True, id="a learned event"),
        pytest.param({"constant": True}, False, id="constant"),
        pytest.param({"locked": True}, False, id="locked"),
        pytest.param({"source": "manual", "evidence": ()}, False, id="written by an author"),
        pytest.param({"type": "trait"}, False, id="what one is like"),
        pytest.param({"type": "goal"}, False, id="what one wants"),
    ],
)
def test_what_may_sink(fields: dict[str, Any], wanted: bool) -> None:
    one = learned(**fields)
    assert sinks(one) is wanted
    assert ("a" in effects({"a": UsageTally(0, 1000)}, {"a": one})) is wanted
    assert effects({"a": UsageTally(8, 0)}, {"a": one}) == {"a": 0.375}, "everything may rise"


def test_only_memories_that_are_there_have_effects() -> None:
    assert effects({"gone": UsageTally(5), "a": UsageTally(0, 2)}, {"a": learned()}) == {}


@pytest.mark.parametrize(
    ("base", "delta", "wanted"),
    [
        pytest.param(1.0, 0.25, 1.25, id="heavier"),
        pytest.param(1.0, -0.25, 0.75, id="lighter"),
        pytest.param(1.9, 1.0, 2.0, id="never above 2"),
        pytest.param(0.1, -1.0, 0.0, id="never below 0"),
        pytest.param(0.1, 0.2, 0.3, id="no dust of binary fractions in the file"),
    ],
)
def test_a_weight_changed_for_good(base: float, delta: float, wanted: float) -> None:
    assert adjusted(learned(weight=base), delta).fields == {"weight": wanted}


def test_core_memories_heaviest_first_with_what_use_added() -> None:
    known = [
        learned("used"),
        learned("heavy", weight=1.4),
        learned("light"),
        learned("away", weight=2.0, archived=True),
    ]
    assert [one.id for one in core(known, 1.3)] == ["heavy"]
    assert [one.id for one in core(known, 1.3, {"used": 0.5})] == ["used", "heavy"]
    assert weight(known[0], {"used": 0.5}) == 1.5


def test_archived_newest_first() -> None:
    known = [
        learned("b", archived=True, day=1),
        learned("a", archived=True, day=1),
        learned("new", archived=True, day=2),
        learned("live"),
    ]
    assert [one.id for one in archived(known)] == ["new", "a", "b"]
