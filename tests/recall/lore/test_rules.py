"""Where the default rules repair what the exact ones do to the letter: each row says both answers."""

from typing import Any

import pytest

from rolememory.errors import UnknownNameError
from rolememory.recall.lore.rules import rules_named
from rolememory.schema.lorebook import LorePosition
from rolememory.schema.role import Character
from tests.recall.lore.books import awake, lore, told

MIRA = Character(name="Mira")
WORDS = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("entries", "message", "asked", "default", "exact"),
    [
        pytest.param(
            [lore("a", "red dragon")],
            "scared dragons",
            {},
            [],
            ["a"],
            id="a key of two words must stand alone too",
        ),
        pytest.param(
            [lore("a", "caf")], "un café", {}, [], ["a"], id="accented letters are letters"
        ),
        pytest.param(
            [lore("a", "Ｎ２")], "room n2", {}, ["a"], [], id="full width is the same text"
        ),
        pytest.param(
            [lore("a", "ガラス")],
            "カ\u3099ラスの靴",
            {},
            ["a"],
            [],
            id="composition is the same text",
        ),
        pytest.param([lore("a", "strasse")], "die Straße", {}, ["a"], [], id="sharp s is ss"),
        pytest.param([lore("a", "  ")], "anything", {}, [], ["a"], id="a blank key finds nothing"),
        pytest.param(
            [lore("a", "女王")],
            "昨夜女王离开了",
            {},
            ["a"],
            ["a"],
            id="Chinese keys need no blanks around them",
        ),
        pytest.param(
            [lore("a", "龙")],
            "恐龙化石",
            {"cjk_words": True},
            [],
            ["a"],
            id="one character must be a word, by setting",
        ),
        pytest.param(
            [lore("a", "龙")],
            "恐龙化石",
            {},
            ["a"],
            ["a"],
            id="one character is found anywhere else",
        ),
        pytest.param(
            [
                lore("a", constant=True, content=WORDS, insertion_order=3),
                lore("b", constant=True, insertion_order=2),
            ],
            "hm",
            {"budget_cap": 5},
            ["b"],
            [],
            id="a smaller entry may still fit",
        ),
        pytest.param(
            [lore("a", constant=True)],
            "hm",
            {"budget_cap": 1},
            ["a"],
            [],
            id="reaching the budget is not too much",
        ),
        pytest.param(
            [lore("a", "hm", delay_until_recursion=1)],
            "hm",
            {"recursive": False},
            ["a"],
            [],
            id="one level of delay is looked at",
        ),
        pytest.param(
            [lore("a", "old")],
            "hm",
            {"scan_depth": 0, "injected": ["an old note"]},
            ["a"],
            [],
            id="depth 0 still sees the note",
        ),
        pytest.param(
            [lore("a", "hm", probability=0)],
            "hm",
            {"chance": [0.0]},
            [],
            ["a"],
            id="no chance is no chance, even when 0 is thrown",
        ),
        pytest.param(
            [
                lore("a", "hm", group="g,h", insertion_order=9),
                lore("b", "a", group="h", group_override=True),
            ],
            "hm",
            {},
            ["a"],
            ["a", "b"],
            id="an active entry blocks each of its groups",
        ),
        pytest.param(
            [
                lore("a", "hm", group="g", group_override=True, probability=10),
                lore("b", "hm", group="g"),
            ],
            "hm",
            {"chance": [0.5]},
            ["b"],
            [],
            id="who fails by chance does not empty the group",
        ),
        pytest.param(
            [lore("a", "x", constant=True, use_regex=True)],
            "hm",
            {},
            [],
            ["a"],
            id="V3: patterns ignore constant",
        ),
        pytest.param(
            [lore("a", "h.m", use_regex=True)],
            "ham",
            {},
            ["a"],
            [],
            id="V3: every key is a pattern",
        ),
        pytest.param(
            [lore("a", "/h.m/", use_regex=False)],
            "ham /h.m/",
            {},
            ["a"],
            ["a"],
            id="V3: no key is a pattern",
        ),
        pytest.param(
            [lore("a", "h(", use_regex=True)],
            "h(",
            {},
            [],
            ["a"],
            id="V3: a broken pattern matches nothing",
        ),
        pytest.param(
            [lore("a", "Hm", card_case_sensitive=True)],
            "hm",
            {},
            [],
            ["a"],
            id="the card's own case_sensitive counts",
        ),
        pytest.param(
            [lore("a", "{{char}}")],
            "so, Mira",
            {"card": MIRA},
            ["a"],
            ["a"],
            id="macros in keys are said",
        ),
    ],
)
def test_rules(
    entries: list[Any], message: str, asked: dict[str, Any], default: list[str], exact: list[str]
) -> None:
    assert awake(told(entries, message, rules="default", **asked)) == default
    assert awake(told(entries, message, rules="sillytavern", **asked)) == exact


@pytest.mark.parametrize(
    ("entry", "default", "exact"),
    [
        pytest.param(lore("a", "hm", position=None), "a", "", id="no position: before"),
        pytest.param(
            lore("a", "hm", position=LorePosition.OUTLET),
            "a",
            "",
            id="an outlet without a name: before",
        ),
    ],
)
def test_nothing_active_is_lost(entry: Any, default: str, exact: str) -> None:
    assert told([entry], "hm", rules="default").placement.before_text == default
    assert told([entry], "hm", rules="sillytavern").placement.before_text == exact


def test_texts_around_a_note_that_does_not_exist_make_one() -> None:
    entries = [lore("above", "hm", position="an_top"), lore("below", "hm", position="an_bottom")]
    assert told(entries, "hm").placement.author_note == "above\nbelow"
    assert told(entries, "hm", rules="sillytavern").placement.author_note is None


def test_equal_order_stands_as_the_file_has_it() -> None:
    entries = [lore("first", "hm"), lore("second", "hm"), lore("last", "hm", insertion_order=200)]
    assert told(entries, "hm").placement.before == ("first", "second", "last")
    assert told(entries, "hm", rules="sillytavern").placement.before == ("second", "first", "last")


def test_priority_of_a_card_decides_who_is_dropped() -> None:
    entries = [
        lore("late", "hm", insertion_order=1, priority=9),
        lore("early", "hm", insertion_order=9, priority=1),
    ]
    assert awake(told(entries, "hm", budget_cap=1)) == ["late"]


def test_the_budget_of_a_card_s_book_holds_for_its_entries() -> None:
    entries = [lore("a", "hm", insertion_order=3), lore("b", "hm", insertion_order=2)]
    assert awake(told(entries, "hm", book={"token_budget": 1})) == ["a"]


def test_a_book_that_does_not_recurse_neither_wakes_nor_is_woken() -> None:
    entries = [lore("one", "hm", content="two"), lore("two", "two")]
    assert awake(told(entries, "hm", book={"recursive_scanning": False})) == ["one"]
    assert awake(told(entries, "hm")) == ["one", "two"]


def test_hidden_keys_wake_others_and_are_not_said() -> None:
    entries = [lore("one", "hm", content="a door{{hidden_key: cellar}}"), lore("two", "cellar")]
    given = told(entries, "hm")
    assert (awake(given), given.placement.before) == (["one", "two"], ("a door", "two"))


def test_widening_stops_at_its_limit() -> None:
    entries = [lore("old", "alpha")]
    chat = ["alpha", "beta", "gamma", "delta"]
    assert awake(told(entries, *chat, scan_depth=1, min_activations=9, max_depth=3)) == []
    assert awake(told(entries, *chat, scan_depth=1, min_activations=9, max_depth=4)) == ["old"]
    assert awake(
        told(entries, *chat, scan_depth=1, min_activations=9, max_depth=3, rules="sillytavern")
    ) == ["old"]


def test_unknown_rules_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'sillytavern'"):
        rules_named("silytavern")
