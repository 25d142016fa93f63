"""Feeling calls to feeling: who is woken, who is weighed, and that nothing felt changes nothing."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Feeling, Scene
from rolememory.schema.settings import EmotionalSettings, TriggerSettings
from rolememory.text.affect import EMOTIONS, read_affect
from rolememory.text.affect_lexicon import felt_as
from rolememory.triggers.base import Parts
from rolememory.triggers.emotional import (
    MOST_WOKEN,
    STRONGEST,
    EmotionalTrigger,
    affect_of_entry,
    shared,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)
GRIEF = Memory(id="grief", content="The boat came back without her father.", emotions=("grief",))
DANCE = Memory(id="dance", content="They danced on the pier.", emotions=("joy",))
PLAIN = Memory(id="plain", content="The lamp burns whale oil.")
READ = Memory(id="read", content="She wept at the grave for three days.")
DEEP = Memory(id="deep", content="She wept at the grave for three days.", salience=0.95)
ASKING = Memory(
    id="asking", content="The blue scarf.", emotions=("sadness",), triggers=("emotional",)
)
KEYED = Memory(id="keyed", content="She wept.", emotions=("grief",), triggers=("keyword",))


def emotional(memories: Iterable[Memory], **settings: object) -> EmotionalTrigger:
    memories = list(memories)
    parts = Parts(
        TriggerSettings(emotional=EmotionalSettings.model_validate(settings)),
        feelings={each.id: affect_of_entry(each) for each in memories},
    )
    return EmotionalTrigger(memories, parts)


def scene(said: str = "", mood: Feeling | None = None) -> Scene:
    return Scene((), NOW, query=said, feeling=read_affect(said), mood=mood or read_affect(said))


def strengths(hits: Iterable[Hit]) -> dict[str, float]:
    return {hit.entry_id: hit.strength for hit in hits}


@pytest.mark.parametrize(
    ("said", "woken"),
    [
        pytest.param(
            "I'm so heartbroken, I can't stop crying.",
            {"grief", "read", "deep", "asking"},
            id="grief wakes grief",
        ),
        pytest.param(
            "我好难过，一直在哭。", {"grief", "read", "deep", "asking"}, id="中文的悲伤也唤醒悲伤"
        ),
        pytest.param("I'm a bit sad.", {"asking"}, id="faint sadness wakes only who asks for it"),
        pytest.param("This is the happiest day of my life!", {"dance"}, id="joy wakes joy"),
        pytest.param("Where is the lamp?", set(), id="nothing felt wakes nobody"),
        pytest.param("I'm furious with you!", set(), id="a feeling nobody shares wakes nobody"),
    ],
)
def test_waking(said: str, woken: set[str]) -> None:
    everybody = [GRIEF, DANCE, PLAIN, READ, DEEP, ASKING, KEYED]
    assert (
        set(
            strengths(
                emotional(everybody).fire(scene(said), frozenset(each.id for each in everybody))
            )
        )
        == woken
    )


def test_feeling_alone_wakes_only_clear_cases() -> None:
    everybody = [GRIEF, READ, DEEP, ASKING]
    found = strengths(
        emotional(everybody).fire(
            scene("I'm heartbroken."), frozenset(each.id for each in everybody)
        )
    )
    assert found["read"] < 0.3 < min(found["grief"], found["deep"], found["asking"])
    assert max(found.values()) <= STRONGEST


def test_waking_can_be_switched_off() -> None:
    assert not list(emotional([GRIEF], wakes=False).fire(scene("I'm heartbroken."), {"grief"}))


def test_a_mood_is_not_a_flood() -> None:
    many = [Memory(id=f"m{number:02}", content="told", emotions=("grief",)) for number in range(40)]
    woken = [
        hit.entry_id
        for hit in emotional(many).fire(
            scene("I'm heartbroken."), frozenset(each.id for each in many)
        )
    ]
    assert woken == [f"m{number:02}" for number in range(MOST_WOKEN)]


def test_the_mood_weighs() -> None:
    trigger = emotional([GRIEF, DANCE, PLAIN, KEYED])
    weighed = strengths(
        trigger.weigh(scene(mood=felt_as({"sadness": 0.9})), ["grief", "dance", "plain", "keyed"])
    )
    assert weighed["grief"] > 0 > weighed["dance"]
    assert "plain" not in weighed
    assert "keyed" in weighed, "`triggers` say who may wake a memory, not who may weigh it"


def test_contrast_comforts() -> None:
    weighed = strengths(
        emotional([GRIEF, DANCE], mood="contrast").weigh(
            scene(mood=felt_as({"sadness": 0.9})), ["grief", "dance"]
        )
    )
    assert weighed["dance"] > 0 > weighed["grief"]


def test_salience_is_how_much_it_matters() -> None:
    minor = GRIEF.model_copy(update={"id": "minor", "salience": 0.1})
    nothing = GRIEF.model_copy(update={"id": "nothing", "salience": 0.0})
    weighed = strengths(
        emotional([GRIEF, minor, nothing]).weigh(
            scene("I'm heartbroken."), ["grief", "minor", "nothing"]
        )
    )
    assert weighed["grief"] == pytest.approx(5 * weighed["minor"])
    assert "nothing" not in weighed


@pytest.mark.parametrize("mode", ["congruent", "contrast", "off"])
def test_neutral_is_exactly_nothing(mode: str) -> None:
    trigger = emotional([GRIEF, DANCE, PLAIN], mood=mode)
    assert not list(trigger.weigh(scene("Where is the lamp?"), ["grief", "dance", "plain"]))
    if mode == "off":
        assert not list(trigger.weigh(scene("I'm heartbroken."), ["grief", "dance", "plain"]))


def test_why() -> None:
    [woken] = emotional([GRIEF]).fire(scene("I'm heartbroken."), {"grief"})
    assert (woken.because.code, woken.because.get("emotion"), woken.because.get("words")) == (
        "feeling",
        "sadness",
        "heartbroken",
    )
    [weighed] = emotional([GRIEF]).weigh(scene("I'm heartbroken."), ["grief"])
    assert (weighed.because.code, weighed.because.get("emotion")) == ("mood", "sadness")


feelings = st.dictionaries(st.sampled_from(EMOTIONS), st.floats(0.05, 1.0), max_size=3).map(
    lambda told: felt_as(told) if told else Feeling()
)
memories = st.lists(
    st.builds(
        lambda emotions, salience, triggers: Memory(
            id="", content="told", emotions=tuple(emotions), salience=salience, triggers=triggers
        ),
        st.lists(st.sampled_from(EMOTIONS), max_size=2),
        st.floats(0, 1),
        st.sampled_from([(), ("emotional",), ("keyword",)]),
    ),
    max_size=12,
).map(lambda told: [each.model_copy(update={"id": f"m{place}"}) for place, each in enumerate(told)])


@given(
    memories,
    feelings,
    feelings,
    st.sampled_from(["congruent", "contrast", "off"]),
    st.randoms(use_true_random=False),
)
def test_bounded_neutral_and_without_order(
    told: list[Memory], message: Feeling, mood: Feeling, mode: str, chance: object
) -> None:
    ids = frozenset(each.id for each in told)
    now = Scene((), NOW, feeling=message, mood=mood)
    trigger = emotional(told, mood=mode)
    woken, weighed = strengths(trigger.fire(now, ids)), strengths(trigger.weigh(now, ids))
    assert all(0.0 < strength <= STRONGEST for strength in woken.values())
    assert all(-1.0 <= strength <= 1.0 and strength for strength in weighed.values())
    assert not (message.neutral and woken)
    assert not ((mood.neutral or mode == "off") and weighed)
    shuffled = told.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    again = emotional(shuffled, mood=mode)
    assert (strengths(again.fire(now, ids)), strengths(again.weigh(now, sorted(ids)))) == (
        woken,
        weighed,
    )


@given(feelings, feelings)
def test_shared_takes_no_sides(one: Feeling, other: Feeling) -> None:
    assert shared(one, other) == shared(other, one)
