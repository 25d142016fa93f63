"""Entries woken by their keys: which, how strongly, and why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.entry import Entry
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.role import Character
from rolememory.schema.scene import Span
from rolememory.schema.settings import KeywordSettings, TriggerSettings
from rolememory.triggers.base import Parts
from rolememory.triggers.keyword import KeywordTrigger, strength
from tests.builders import entry, memory, scene

THRESHOLD = 0.30  # the usual relevance threshold


def hits(
    entries: list[Entry],
    *texts: str,
    depth: int = 4,
    **settings: object,
) -> dict[str, Hit]:
    """What fires when these texts were said, by entry."""
    keyword = KeywordSettings.model_validate(settings)
    trigger = KeywordTrigger(entries, Parts(TriggerSettings(keyword=keyword)))
    turn = scene(*texts, keys=KeywordTrigger.specs(entries, keyword), depth=depth)
    found = list(trigger.fire(turn, frozenset(one.id for one in entries)))
    assert len({hit.entry_id for hit in found}) == len(found)
    return {hit.entry_id: hit for hit in found}


@pytest.mark.parametrize(
    ("fields", "texts", "fires"),
    [
        pytest.param(
            {"keys": ["beacon"]}, ["The Beacon went dark."], True, id="a key in the newest message"
        ),
        pytest.param(
            {"keys": ["beacon"]},
            ["The beacon!", "What now?"],
            True,
            id="a key in the message before",
        ),
        pytest.param(
            {"keys": ["beacon"]},
            ["beacon", "a", "b", "c", "d"],
            False,
            id="a key beyond the scan depth",
        ),
        pytest.param({"keys": ["beacon", "lamp"]}, ["the lamp"], True, id="any key is enough"),
        pytest.param({"keys": ["灯塔"]}, ["旧灯塔灭了。"], True, id="中文关键词"),
        pytest.param({"keys": ["灯塔"]}, ["旧燈塔滅了。"], False, id="简体关键词不等于繁体"),
        pytest.param({"keys": []}, ["anything"], False, id="no keys, no hit"),
        pytest.param({"keys": [" ", ""]}, ["any thing"], False, id="blank keys say nothing"),
        pytest.param(
            {"keys": ["/beac.n/i"]},
            ["beacon /beac.n/i"],
            False,
            id="a pattern is another strategy's",
        ),
        pytest.param(
            {"keys": ["/beac.n/i", "lamp"]}, ["the lamp"], True, id="a word beside a pattern counts"
        ),
        pytest.param(
            {"keys": ["beacon"], "secondary_keys": ["/st.rm/"]},
            ["beacon storm"],
            False,
            id="a secondary pattern is another strategy's",
        ),
        pytest.param(
            {"keys": ["beacon"], "secondary_keys": ["storm"]},
            ["the beacon"],
            False,
            id="a secondary key is missing",
        ),
        pytest.param(
            {"keys": ["beacon"], "secondary_keys": ["storm"]},
            ["a storm", "the beacon"],
            True,
            id="a secondary key in another message",
        ),
        pytest.param(
            {"secondary_keys": ["storm"]},
            ["a storm"],
            False,
            id="a secondary key alone wakes nothing",
        ),
        pytest.param(
            {"keys": ["beacon"], "triggers": ["semantic"]},
            ["beacon"],
            False,
            id="only another strategy may wake it",
        ),
        pytest.param(
            {"keys": ["beacon"], "triggers": ["semantic", "keyword"]},
            ["beacon"],
            True,
            id="this strategy may wake it too",
        ),
    ],
)
def test_an_entry_fires_by_its_keys(
    fields: dict[str, object], texts: list[str], fires: bool
) -> None:
    assert bool(hits([memory("lighthouse", **fields)], *texts)) is fires


@pytest.mark.parametrize(
    ("logic", "text", "fires"),
    [
        pytest.param("and_any", "beacon storm", True, id="and_any: one of two"),
        pytest.param("and_all", "beacon storm", False, id="and_all: one of two"),
        pytest.param("and_all", "beacon storm night", True, id="and_all: both"),
        pytest.param("not_any", "beacon", True, id="not_any: none"),
        pytest.param("not_any", "beacon night", False, id="not_any: one"),
        pytest.param("not_all", "beacon night", True, id="not_all: one"),
        pytest.param("not_all", "beacon night storm", False, id="not_all: both"),
    ],
)
def test_secondary_keys_decide(logic: str, text: str, fires: bool) -> None:
    lamp = entry(
        "lighthouse", keys=["beacon"], secondary_keys=["storm", "night"], selective_logic=logic
    )
    assert bool(hits([lamp], text)) is fires


def test_the_reason_names_key_message_and_place() -> None:
    hit = hits([memory("lighthouse", keys=["beacon"])], "Hello.", "The Beacon!")["lighthouse"]
    assert hit == Hit(
        "lighthouse",
        "keyword",
        0.6,
        Reason("key", (("key", "beacon"), ("message", 1)), Span(0, 4, 10)),
    )


def test_two_independent_keys_beat_one() -> None:
    lamp = [memory("lighthouse", keys=["beacon", "storm"]), memory("harbour", keys=["quay"])]
    both = hits(lamp, "the beacon in the storm")["lighthouse"]
    assert both.strength > hits(lamp, "the beacon in the fog")["lighthouse"].strength
    assert both.because.get("keys") == 2


def test_a_key_inside_another_is_no_second_reason() -> None:
    nest = [memory("nest", keys=["red dragon", "dragon"])]
    assert (
        hits(nest, "the red dragon")["nest"].strength == hits(nest, "the dragon")["nest"].strength
    )
    assert hits(nest, "the red dragon")["nest"].because.get("key") == "red dragon"


def test_a_fresh_key_says_more_than_an_old_one() -> None:
    lamp = [memory("lighthouse", keys=["beacon"])]
    strengths = [
        hits(lamp, *(["beacon"] + ["..."] * back))["lighthouse"].strength for back in range(4)
    ]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == 4


def test_a_rare_key_says_more_than_a_common_one() -> None:
    many = [memory(f"m{number}", keys=["Mira"]) for number in range(20)] + [
        memory("rare", keys=["sextant"])
    ]
    found = hits(many, "Mira lost her sextant")
    assert found["rare"].strength > found["m0"].strength
    assert len({hit.strength for name, hit in found.items() if name != "rare"}) == 1


def test_an_entry_with_a_pattern_among_its_secondary_keys_is_another_strategys() -> None:
    unless = {"secondary_keys": ["/s.a/"], "selective_logic": "not_any"}
    assert not hits([memory("a", keys=["storm"], **unless)], "a storm at sea")


def test_even_a_common_key_in_an_old_message_reaches_the_usual_threshold() -> None:
    many = [memory(f"m{number}", keys=["Mira"]) for number in range(200)]
    assert min(hit.strength for hit in hits(many, "Mira", "a", "b", "c").values()) > THRESHOLD


def test_after_the_reply_the_newest_user_message_is_still_fresh() -> None:
    lamp = [memory("lighthouse", keys=["beacon"])]
    keys = KeywordTrigger.specs(lamp, KeywordSettings())
    turn = scene("A storm.", "The beacon?", keys=keys)
    assert next(KeywordTrigger(lamp, Parts()).fire(turn, {"lighthouse"})).strength == pytest.approx(
        0.6
    )


def test_a_text_of_the_card_counts_where_the_window_holds_it() -> None:
    lamp = [memory("lighthouse", keys=["beacon"])]
    turn = scene(
        "Hello.",
        keys=KeywordTrigger.specs(lamp, KeywordSettings()),
        character=Character(description="the beacon"),
        window=0b10,
    )
    hit = next(KeywordTrigger(lamp, Parts()).fire(turn, {"lighthouse"}))
    assert hit.because.get("message") == -1
    assert hit.because.span == Span(1, 4, 10)


@pytest.mark.parametrize(
    ("key", "text", "settings", "fires"),
    [
        pytest.param("art", "a party", {}, False, id="whole words by default"),
        pytest.param(
            "art", "a party", {"whole_words": False}, True, id="parts of words where asked"
        ),
        pytest.param("Rose", "a rose", {}, True, id="case does not count by default"),
        pytest.param(
            "Rose", "a rose", {"case_sensitive": True}, False, id="case counts where asked"
        ),
        pytest.param(
            " Rose ",
            "a Rose",
            {"case_sensitive": True},
            True,
            id="case counts, blanks around a key do not",
        ),
        pytest.param("龙", "恐龙化石", {}, True, id="单字默认是子串"),
        pytest.param("龙", "恐龙化石", {"cjk_words": True}, False, id="单字可以要求独立成词"),
        pytest.param("beacon", "the beacn", {}, False, id="mistakes are not guessed by default"),
        pytest.param(
            "beacon", "the beacn", {"fuzzy": True}, True, id="mistakes are guessed where asked"
        ),
        pytest.param("art", "arts", {"fuzzy": True}, False, id="short keys are never guessed"),
    ],
)
def test_settings_say_how_keys_are_looked_for(
    key: str, text: str, settings: dict[str, object], fires: bool
) -> None:
    assert bool(hits([memory("one", keys=[key])], text, **settings)) is fires


def test_a_mistyped_key_says_less_and_says_so() -> None:
    lamp = [memory("lighthouse", keys=["beacon"])]
    right, wrong = (hits(lamp, text, fuzzy=True)["lighthouse"] for text in ("beacon", "a beacn"))
    assert THRESHOLD < wrong.strength < right.strength
    assert wrong.because.get("likeness") == 90.9
    assert wrong.because.span == Span(0, 2, 7)


def test_only_asked_entries_fire_and_no_reading_is_no_hit() -> None:
    entries = [memory("one", keys=["beacon"]), memory("two", keys=["beacon"])]
    turn = scene("beacon", keys=KeywordTrigger.specs(entries, KeywordSettings()))
    assert [hit.entry_id for hit in KeywordTrigger(entries, Parts()).fire(turn, {"two"})] == ["two"]
    assert (
        list(KeywordTrigger(entries, Parts()).fire(scene("beacon", reading=None), {"one", "two"}))
        == []
    )


def test_specs_are_all_keys_that_are_asked_for() -> None:
    entries = [
        memory("one", keys=["beacon", "/x/"], secondary_keys=["storm"]),
        memory("two", keys=["lamp"], triggers=["semantic"]),
    ]
    assert {spec.text for spec in KeywordTrigger.specs(entries, KeywordSettings())} == {
        "beacon",
        "storm",
    }


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_strength_is_bounded_and_another_key_never_weakens(
    keys: list[tuple[float, float]], another: tuple[float, float]
) -> None:
    assert 0 <= strength(keys) <= strength([*keys, another]) <= 1
