"""What every registered strategy keeps to, whoever wrote it."""

import random
from collections.abc import Sequence
from importlib import import_module
from math import isfinite
from pkgutil import iter_modules

import pytest

import rolememory.triggers
from rolememory.errors import RegistrationError, UnknownTriggerError
from rolememory.schema.evidence import Hit
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Scene, TimeSpan
from rolememory.schema.settings import TriggerSettings
from rolememory.text.affect import affect_of_entry, read_affect
from rolememory.text.keys import KeyIndex
from rolememory.text.terms import TermIndex
from rolememory.triggers.base import TRIGGERS, Parts, Trigger, factory, may_wake, register
from rolememory.triggers.keyword import KeywordTrigger
from rolememory.triggers.pattern import PatternTrigger
from tests.builders import entry, memory, on_day, scene

for module in iter_modules(rolememory.triggers.__path__):
    import_module(f"rolememory.triggers.{module.name}")

MEMORIES = [
    memory(
        "lighthouse",
        "The beacon failed in the storm of 1887.",
        keys=["beacon", "lighthouse", "灯塔"],
        day=-3,
        source="summary",
    ),
    memory(
        "storm",
        "那场风暴毁了码头，我哭了一夜。",
        keys=["风暴", "/st[ou]rm/i"],
        day=-40,
        source="summary",
        emotions=["sadness"],
    ),
    memory("oath", "I swore to keep the lamp lit.", type="trait", constant=True, salience=0.9),
    memory(
        "quarrel",
        "We quarrelled bitterly and I was furious.",
        keys=["quarrel"],
        secondary_keys=["quay"],
        emotions=["anger"],
        day=-1,
    ),
    memory("picnic", "野餐那天大家都很开心。", day=-2, source="summary", topics=["picnic"]),
    memory("silent", "Nobody may wake me by key.", keys=["beacon"], triggers=["semantic"], day=0),
    memory("future", "A stamp from a broken clock.", day=4000, decay=0, source="summary"),
    memory("undated", "No date at all."),
]
IDS = frozenset(one.id for one in MEMORIES)
SETTINGS = TriggerSettings()
KEYS = KeywordTrigger.specs(MEMORIES, SETTINGS.keyword) | PatternTrigger.specs(
    MEMORIES, SETTINGS.keyword
)


def turn(*texts: str) -> Scene:
    """A turn with everything a strategy may read, but no vector."""
    said = texts[-1] if texts else ""
    times = (TimeSpan(on_day(-4), on_day(-2), "three days ago", 0),) if texts else ()
    return scene(
        *texts,
        keys=KEYS,
        turn=12,
        language="zh" if "风" in said else "en",
        feeling=read_affect(said),
        mood=read_affect(" ".join(texts)),
        times=times,
        seed=7,
    )


SCENES = {
    "nothing said": turn(),
    "an empty message": turn(""),
    "a plain question": turn("Good morning.", "Why is the beacon dark?"),
    "strong feeling": turn("I am so sad, I cried all night.", "I hate that storm, I am furious!"),
    "中文": turn("早上好。", "那场风暴之后灯塔怎么样了？"),
    "the whole chat": turn("quarrel at the quay", "sturm", "the lighthouse", "and three days ago?"),
}


def built(name: str, memories: Sequence[Memory]) -> Trigger:
    terms = TermIndex()
    for one in memories:
        terms.add(one.id, one.content)
    feelings = {one.id: affect_of_entry(one) for one in memories}
    return factory(name)(
        memories,
        Parts(
            SETTINGS,
            keys=KeyIndex(KEYS),
            terms=terms,
            feelings=feelings,
            told_at_turns=lambda at: 0.0 * at + 3.0,
        ),
    )


def fired(name: str, memories: Sequence[Memory], what: Scene) -> dict[str, Hit]:
    trigger = built(name, memories)
    hits = list(trigger.fire(what, frozenset(one.id for one in memories)))
    assert len({hit.entry_id for hit in hits}) == len(hits), "no entry twice"
    return {hit.entry_id: hit for hit in hits}


WAKING = [name for name in sorted(TRIGGERS) if built(name, []).activates]
every_trigger = pytest.mark.parametrize("name", sorted(TRIGGERS))
every_scene = pytest.mark.parametrize("what", SCENES.values(), ids=SCENES.keys())


@every_trigger
@every_scene
def test_strengths_are_bounded_and_hits_are_signed(name: str, what: Scene) -> None:
    trigger = built(name, MEMORIES)
    lowest = 0.0 if trigger.activates else -1.0
    for hit in trigger.fire(what, IDS):
        assert isfinite(hit.strength)
        assert lowest <= hit.strength <= 1.0
        assert hit.trigger == name == trigger.name
        assert hit.entry_id in IDS
        assert hit.because.code


@every_trigger
@every_scene
def test_the_same_input_gives_the_same_output(name: str, what: Scene) -> None:
    trigger = built(name, MEMORIES)
    first = list(trigger.fire(what, IDS))
    list(trigger.fire(SCENES["strong feeling"], IDS))
    assert list(trigger.fire(what, IDS)) == first


@every_trigger
@every_scene
def test_the_order_of_entries_does_not_matter(name: str, what: Scene) -> None:
    expected = fired(name, MEMORIES, what)
    for seed in range(3):
        shuffled = random.Random(seed).sample(MEMORIES, len(MEMORIES))
        found = fired(name, shuffled, what)
        assert found.keys() == expected.keys()
        assert all(
            found[one].strength == pytest.approx(expected[one].strength, abs=1e-6) for one in found
        )


@every_trigger
@every_scene
def test_only_asked_entries_fire(name: str, what: Scene) -> None:
    trigger = built(name, MEMORIES)
    assert {hit.entry_id for hit in trigger.fire(what, frozenset({"lighthouse", "stranger"}))} <= {
        "lighthouse"
    }
    assert list(trigger.fire(what, frozenset())) == []


@every_trigger
def test_no_entries_and_no_words_are_fine(name: str) -> None:
    assert list(factory(name)([], Parts()).fire(turn("Why is the beacon dark?"), frozenset())) == []
    bare = Scene(segments=(), now=on_day(0))
    assert all(
        0 <= abs(hit.strength) <= 1 for hit in factory(name)(MEMORIES, Parts()).fire(bare, IDS)
    )


@every_trigger
def test_lorebook_entries_are_fine(name: str) -> None:
    entries = [entry("harbour", keys=["quay"]), entry("rule", constant=True)]
    assert all(
        hit.entry_id in {"harbour", "rule"}
        for hit in factory(name)(entries, Parts()).fire(
            turn("the quay"), frozenset({"harbour", "rule"})
        )
    )


@pytest.mark.parametrize(
    "name", [name for name in WAKING if name not in ("constant", "semantic")]
)  # always; the one that is named
@every_scene
def test_a_memory_is_woken_only_by_the_strategies_it_names(name: str, what: Scene) -> None:
    assert "silent" not in fired(name, MEMORIES, what)


def test_a_memory_without_names_is_open_to_all() -> None:
    assert may_wake(memory("open"), "keyword")
    assert may_wake(entry("lore"), "keyword")
    assert not may_wake(memory("closed", triggers=["semantic"]), "keyword")


def test_a_name_is_registered_once_and_a_strange_one_gets_a_hint() -> None:
    with pytest.raises(RegistrationError, match="'keyword' is registered twice"):
        register("keyword")(lambda entries, parts: built("keyword", []))
    with pytest.raises(UnknownTriggerError, match="did you mean 'keyword'"):
        factory("keywrd")
