"""Every fault is found where it is, and not where it is not."""

import gc
import re
import sys
from dataclasses import replace
from typing import Any

import pytest

from rolememory.authoring.books import BookFile, read_book_file
from rolememory.authoring.lint.check import RULES, check, worded_findings
from rolememory.authoring.lint.finding import Severity, written
from rolememory.authoring.lint.words import WORDS, severity, why, write
from rolememory.locales import languages
from rolememory.schema.lorebook import CharacterFilter
from rolememory.schema.scene import Language
from rolememory.shipped import shipped
from tests.authoring.books import BEACON, STORM, card_book, codes, findings, world
from tests.authoring.books import written as as_file

EXACT = {"rules": "sillytavern"}
ALL = {"key": ["all"], "content": "k0 k1 k2 k3 k4 k5"}
SIX = [{"key": [f"k{at}"], "content": f"word{at}"} for at in range(6)]

# code, entries (the first one has the fault), settings, sentence
FAULTS: list[tuple[str, list[dict[str, Any]], dict[str, Any], str]] = [
    ("no_keys", [{"key": []}], {}, "nothing wakes an entry without keys"),
    ("no_keys", [{"key": ["", " "]}], {}, "blank keys are none"),
    ("only_secondary", [{"key": [], "keysecondary": ["lamp"]}], {}, "keys in the wrong field"),
    ("text_for_list", [{"key": "lamp, beacon"}], {}, "keys as one text"),
    ("no_key_works", [{"key": ["/a{100000}/"]}], {}, "a key that is never run is the only one"),
    ("luckless", [{**BEACON, "probability": 0}], {}, "never lucky"),
    ("empty", [{**BEACON, "content": " "}], {}, "says nothing"),
    ("long_delay", [{**BEACON, "delay": 5000}], {}, "longer than any chat"),
    ("blind", [{**BEACON, "scanDepth": 0}], EXACT, "depth 0 sees nothing under exact rules"),
    (
        "blind",
        [{**BEACON, "scanDepth": 0, "excludeRecursion": True}],
        {},
        "depth 0, and no other texts",
    ),
    (
        "for_nobody",
        [{**BEACON, "characterFilter": {"names": [""], "tags": []}}],
        {},
        "a filter with no name",
    ),
    ("no_known_trigger", [{**BEACON, "triggers": ["nightly"]}], {}, "no such generation"),
    (
        "unknown_trigger",
        [{**BEACON, "triggers": ["nightly", "swipe"]}],
        {},
        "one of two generations is unknown",
    ),
    (
        "forbidden",
        [{**BEACON, "content": "@@dont_activate\nThe beacon."}],
        {},
        "forbidden by a decorator",
    ),
    (
        "waits_excluded",
        [{**BEACON, "delayUntilRecursion": 1, "excludeRecursion": True}],
        {},
        "waits for what it is kept out of",
    ),
    (
        "waits_in_vain",
        [{**BEACON, "delayUntilRecursion": 1}],
        {**EXACT, "recursive": False},
        "recursion never comes",
    ),
    ("blank_key", [{"key": ["beacon", "  "]}], EXACT, "a blank key matches everything there"),
    ("idle_blank_key", [{"key": ["beacon", "  "]}], {}, "a blank key matches nothing here"),
    ("listed_key", [{"key": ["beacon, lamp"]}], {}, "two keys in one"),
    (
        "listed_key",
        [{"key": ["灯塔、灯火"], "content": "灯塔在雾里灭了。"}],
        {},
        "两个词写成了一个",
    ),
    ("quoted_key", [{"key": ["“灯塔”"], "content": "灯塔在雾里灭了。"}], {}, "引号也被当成关键词"),
    (
        "long_key",
        [{"key": ["what happened on the night when the beacon of the harbour went dark"]}],
        {},
        "a sentence for a key",
    ),
    (
        "wide_key",
        [{"key": ["ｂｅａｃｏｎ"]}],
        EXACT,
        "full-width letters are letters of their own there",
    ),
    ("broad_key", [{"key": ["the"]}], {}, "a word of grammar"),
    ("broad_key", [{"key": ["a"]}], {}, "one letter"),
    ("broad_key", [{"key": ["的"], "content": "灯塔在雾里灭了。"}], {}, "虚词"),
    (
        "one_character",
        [{"key": ["龙"], "content": "山里住着一条老龙。"}],
        {},
        "单字也会在恐龙里匹配到",
    ),
    ("name_key", [{"key": ["{{char}}"]}], {}, "the name before every message"),
    ("repeated_key", [{"key": ["Beacon", "beacon"]}], {}, "the same key twice"),
    ("same_keys", [BEACON, {**BEACON, "content": "It is dark."}], {}, "two entries for one"),
    (
        "ignored_secondary",
        [{**BEACON, "keysecondary": ["oil"], "selective": False}],
        {},
        "secondary keys that nobody asks",
    ),
    (
        "contradiction",
        [{"key": ["dark beacon"], "keysecondary": ["beacon"], "selectiveLogic": 2}],
        {},
        "its key shuts it out",
    ),
    (
        "contradiction",
        [{"key": ["beacon"], "content": "@@exclude_keys beacon\nx"}],
        {},
        "so does its decorator",
    ),
    (
        "idle_secondary",
        [{"key": ["dark beacon"], "keysecondary": ["beacon"]}],
        {},
        "a secondary key that is always there",
    ),
    ("broken_pattern", [{"key": ["/be(acon/"]}], {}, "a bracket is open"),
    ("broken_pattern", [{"key": ["/(?i)beacon/"]}], {}, "a construct of another language"),
    ("costly_pattern", [{"key": ["/a{100000}/"]}], {}, "a count too high"),
    ("slow_pattern", [{"key": ["/(?=x)(a+)+$/", "/(a+)+$/"]}], {}, "a loop inside a loop"),
    ("slow_pattern", [{"key": ["/(?:lamp|lam.|la..)*!/"]}], {}, "choices that overlap"),
    ("empty_pattern", [{"key": ["/(?:beacon)?/"]}], {}, "fits everything"),
    ("sticky_flag", [{"key": ["/beacon/y"]}], {}, "pinned to the start"),
    ("anchored_pattern", [{"key": ["/^beacon/"]}], {}, "the start of the whole text"),
    ("wakes_many", [ALL, *SIX], {}, "one text wakes all"),
    ("too_dear", [{**BEACON, "content": "long " * 3000}], {}, "no budget pays for it"),
    (
        "constants_too_dear",
        [{"constant": True, "content": f"{at} " + "long " * 1000} for at in range(3)],
        {},
        "constants beyond the budget",
    ),
    (
        "constants_greedy",
        [{"constant": True, "content": f"{at} " + "long " * 400} for at in range(3)],
        {},
        "constants take half",
    ),
    ("lone_group", [{**BEACON, "group": "weather"}, STORM], {}, "nobody to choose from"),
    (
        "group_alike",
        [{**BEACON, "group": "Weather"}, {**STORM, "group": "weather"}],
        {},
        "two groups by a capital",
    ),
    (
        "no_weight",
        [{**BEACON, "group": "w", "groupWeight": 0}, {**STORM, "group": "w"}],
        {},
        "no odds",
    ),
    (
        "outranked",
        [{**BEACON, "group": "w"}, {**BEACON, "group": "w", "groupOverride": True}],
        {},
        "always outranked",
    ),
    ("short_sticky", [{**BEACON, "sticky": 1}], {}, "sticky for no turn"),
    ("short_cooldown", [{**BEACON, "cooldown": 2}], {}, "a rest of no turn"),
    (
        "nameless_outlet",
        [{**BEACON, "position": 7}],
        EXACT,
        "an outlet without a name is nowhere there",
    ),
    ("default_outlet", [{**BEACON, "position": 7}], {}, "and before the character here"),
    ("no_position", [{**BEACON, "position": 12}], EXACT, "no such place"),
    (
        "idle_probability",
        [{**BEACON, "probability": 20, "useProbability": False}],
        {},
        "odds that are not rolled",
    ),
    (
        "unknown_macro",
        [{**BEACON, "content": "{{mood_of::beacon}} is the mood."}],
        {},
        "a macro nobody says",
    ),
    ("open_macro", [{**BEACON, "content": "{{user} came."}], {}, "a macro that is not closed"),
    ("lone_brace", [{**BEACON, "content": "{user} came."}], {}, "one brace"),
    (
        "foreign_keys",
        [{"key": ["lighthouse"], "content": "灯塔在雾里灭了三夜，没有人去修。"}],
        {},
        "正文是中文，关键词是英文",
    ),
    (
        "foreign_keys",
        [{"key": ["灯塔"], "content": "The lighthouse has been dark for three nights."}],
        {},
        "Chinese keys, English text",
    ),
    ("same_text", [BEACON, {**BEACON, "key": ["oil"]}], {}, "one text twice"),
    ("misspelled", [{**BEACON, "keysecondry": ["oil"]}], {}, "a field nobody knows"),
    (
        "unknown_decorator",
        [{**BEACON, "content": "@@shimmer\nThe beacon."}],
        {},
        "no such decorator",
    ),
    (
        "decorator_value",
        [{**BEACON, "content": "@@depth deep\nThe beacon."}],
        {},
        "a depth that is no number",
    ),
    (
        "idle_decorator",
        [{**BEACON, "content": "@@depth 3\nThe beacon."}],
        EXACT,
        "SillyTavern cuts it off",
    ),
    ("same_id", [{**BEACON, "uid": 7}, {**STORM, "uid": 7}], {}, "two with one uid"),
    (
        "lost_id",
        [{**BEACON, "uid": 7}, {**STORM, "uid": 7}],
        EXACT,
        "of two with one uid one is lost",
    ),
]


@pytest.mark.parametrize(
    ("code", "entries", "settings", "sentence"),
    [pytest.param(*row, id=f"{row[0]}: {row[3]}") for row in FAULTS],
)
def test_a_fault_is_found(
    code: str, entries: list[dict[str, Any]], settings: dict[str, Any], sentence: str
) -> None:
    assert code in codes(world(*entries), **settings)


# code, entries, settings, why not
SOUND: list[tuple[str, list[dict[str, Any]], dict[str, Any], str]] = [
    ("no_keys", [{"constant": True}], {}, "constants need none"),
    ("no_keys", [{"content": "@@activate\nx"}], {}, "a decorator wakes it"),
    ("luckless", [{**BEACON, "probability": 0, "useProbability": False}], {}, "not rolled"),
    ("empty", [{**BEACON, "content": "", "group": "w"}, {**STORM, "group": "w"}], {}, "nothing happens, as one choice of a group"),
    ("blind", [{**BEACON, "scanDepth": 0}], {}, "other entries may wake it"),
    ("blind", [{**BEACON, "scanDepth": 0, "excludeRecursion": True, "matchScenario": True}], {}, "it reads the scenario"),
    ("blind", [{"key": [" "], "scanDepth": 0}], EXACT, "a blank key is found in nothing, too"),
    ("blind", [BEACON], {**EXACT, "scan_depth": 0, "min_activations": 3}, "the window widens"),
    ("contradiction", [{"key": ["beacon"], "keysecondary": ["beacon"], "selectiveLogic": 2, "constant": True}], {}, "a constant is not asked"),
    ("for_nobody", [{**BEACON, "characterFilter": {"names": ["Mira"], "tags": []}}], {}, "for somebody"),
    ("waits_in_vain", [{**BEACON, "delayUntilRecursion": 1}], {**EXACT, "recursive": True}, "recursion is on"),
    ("listed_key", [{"key": ["/a{1,2}/"]}], {}, "a comma of a pattern"),
    ("listed_key", [{"key": ["beacon"]}], {}, "no comma"),
    ("wide_key", [{"key": ["ｂｅａｃｏｎ"]}], {}, "ours fold the width"),
    ("broad_key", [BEACON], {}, "a telling word"),
    ("broad_key", [{"key": ["IT"], "caseSensitive": True}], {}, "capitals that count"),
    ("one_character", [{"key": ["龙"], "content": "山里住着一条老龙。"}], {"cjk_words": True}, "only as a word"),
    ("name_key", [{"key": ["{{char}}"]}], {"include_names": False}, "names are not read"),
    ("repeated_key", [{"key": ["Beacon", "beacon"], "caseSensitive": True}], {}, "capitals count"),
    ("same_keys", [{**BEACON, "group": "w"}, {**BEACON, "group": "w"}], {}, "rivals"),
    ("same_keys", [BEACON, {**BEACON, "position": 4, "depth": 1}], {}, "in two places"),
    ("contradiction", [{"key": ["dark beacon", "oil"], "keysecondary": ["beacon"], "selectiveLogic": 2}], {}, "another key lets it in"),
    ("slow_pattern", [{"key": ["/(?:oil|whale)\\s+lamps?/i", "/灯塔.{0,20}[灭暗]/", "/(?<=old )beacon/"]}], {}, "honest patterns"),
    ("anchored_pattern", [{"key": ["/\\x01beacon/", "/^\\x01beacon/", "/^beacon/m"]}], {}, "starts that are met"),
    ("sticky_flag", [{"key": ["/\\x01beacon/y"]}], {}, "it takes the mark of the start"),
    ("wakes_many", [{**ALL, "preventRecursion": True}, *SIX], {}, "it keeps quiet"),
    ("wakes_many", [ALL, *({**one, "excludeRecursion": True} for one in SIX)], {}, "nobody listens"),
    ("wakes_many", [{**one, "group": "w"} for one in (ALL, *SIX)], {}, "rivals do not meet"),
    ("wakes_many", [ALL, *SIX], {"recursive": False}, "no recursion"),
    ("broken_pattern", [{"key": ["/usr/bin/"]}], {}, "a path"),
    ("too_dear", [{**BEACON, "content": "long " * 3000, "ignoreBudget": True}], {}, "it ignores the budget"),
    ("lone_group", [{**BEACON, "group": "w"}, {**STORM, "group": "w"}], {}, "two of them"),
    ("outranked", [{**BEACON, "group": "w"}, {**STORM, "group": "w", "groupOverride": True}], {}, "other keys"),
    ("short_sticky", [{**BEACON, "sticky": 3}], {}, "one turn more"),
    ("unknown_macro", [{**BEACON, "content": "{{char}}, {{user}}, {{random::a::b}}, {{// x}}"}], {}, "known ones"),
    ("foreign_keys", [{"key": ["Vell"], "content": "Vell是一座夜里做买卖的水城，白天谁也不出门。"}], {}, "a name that stands in the text"),
    ("foreign_keys", [{"key": ["lighthouse", "灯塔"], "content": "灯塔在雾里灭了三夜，没有人去修。"}], {}, "both languages"),
    ("misspelled", [{**BEACON, "myOwnField": 1}], {}, "somebody else's data"),
    ("unknown_decorator", [{**BEACON, "content": "@@shimmer\n@@@depth 2\nThe beacon."}], {}, "a fallback stands below"),
    ("decorator_value", [{**BEACON, "content": "@@instruct_depth 3\nx"}], {}, "one that counts tokens, for others"),
    ("same_id", [BEACON, STORM], {}, "each its own"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "entries", "settings", "because"),
    [pytest.param(*row, id=f"{row[0]}: {row[3]}") for row in SOUND],
)
def test_what_is_sound_is_left_alone(
    code: str, entries: list[dict[str, Any]], settings: dict[str, Any], because: str
) -> None:
    assert code not in codes(world(*entries), **settings)


def _shut_out(name: str) -> BookFile:
    """A card whose book has an entry for all but its own character."""
    file = card_book({"keys": ["beacon"]}, spec="chara_card_v3")
    shut = CharacterFilter(names=(name,), exclude=True)
    entries = tuple(
        entry.model_copy(update={"character_filter": shut}) for entry in file.book.entries
    )
    return replace(file, book=file.book.model_copy(update={"entries": entries}))


@pytest.mark.parametrize(
    ("code", "file", "settings"),
    [
        pytest.param(
            "unreadable",
            world({"key": ["x"], "order": "soon"}),
            {},
            id="an entry that cannot be read",
        ),
        pytest.param(
            "doubled_name",
            read_book_file(b'{"entries": {"0": {"key": ["a1"]}, "0": {"key": ["b1"]}}}', "x"),
            {},
            id="one name twice",
        ),
        pytest.param(
            "no_probability",
            as_file(
                {"entries": {"0": {"key": ["beacon"], "content": "x", "useProbability": True}}}
            ),
            {},
            id="no odds",
        ),
        pytest.param(
            "not_its_character", _shut_out("Mira"), {}, id="a filter against its own card"
        ),
        pytest.param(
            "name_key",
            card_book({"keys": ["Mira"]}, spec="chara_card_v3"),
            {},
            id="the card's own name",
        ),
        pytest.param(
            "regex_ignores",
            card_book({"keys": ["beacon"], "use_regex": True, "constant": True}),
            {},
            id="use_regex has no constant",
        ),
        pytest.param(
            "broken_regex",
            card_book({"keys": ["be(acon"], "use_regex": True}),
            {},
            id="a V3 pattern that is none",
        ),
        pytest.param(
            "v2_decorator",
            card_book({"keys": ["b1"], "content": "@@depth 2\nx"}, spec="chara_card_v2"),
            {},
            id="V3 lines in V2",
        ),
        pytest.param(
            "lost_field",
            card_book({"keys": ["b1"], "priority": 3}),
            EXACT,
            id="a field that SillyTavern leaves behind",
        ),
        pytest.param(
            "lost_field",
            card_book({"keys": ["b1"]}, token_budget=300),
            EXACT,
            id="the book's own budget too",
        ),
        pytest.param(
            "too_dear",
            card_book({"keys": ["b1"], "content": "long " * 50}, token_budget=20),
            {},
            id="the book's own budget",
        ),
        pytest.param(
            "same_id",
            card_book({"keys": ["b1"], "id": 1}, {"keys": ["c1"], "id": 1}),
            {},
            id="two ids in a card",
        ),
        pytest.param(
            "misspelled",
            card_book({"keys": ["b1"], "secondary_key": ["x"]}),
            {},
            id="a card's field",
        ),
    ],
)
def test_faults_of_files_and_cards(code: str, file: Any, settings: dict[str, Any]) -> None:
    assert code in codes(file, **settings)


def test_an_entry_that_cannot_be_read_is_told_with_its_field_and_hides_no_other() -> None:
    named = {"keys": ["a1"], "comment": "塔", "insertion_order": "七"}
    file = card_book({"keys": ["b1"], "kyes": ["x"]}, named, {"keys": ["c1"], "key": ["y"]})
    found = {(one.code, one.title): one for one in worded_findings(file, None, "zh")}
    assert found["unreadable", ""].why == (
        "有条目照这样写读不出来：条目“塔”：insertion_order：应为数字，却是 '七'；请用数字写，例如 100"
    )
    assert found["unreadable", ""].values["problem"] in found["unreadable", ""].why
    assert found["misspelled", "b1"].write == "是不是 keys？"
    assert found["misspelled", "c1"].write == "是不是 keys？"
    assert [code for code, _ in found].count("misspelled") == 2


def test_every_fault_is_shown_by_a_row() -> None:
    told = {row[0] for row in FAULTS}
    beyond = {
        "unreadable", "doubled_name", "no_probability", "not_its_character", "regex_ignores", "broken_regex",
        "v2_decorator", "lost_field", "odd", "v3_field", "copy_differs",
    }  # fmt: skip
    assert told | beyond == set(WORDS)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row[0]}: {row[3]}") for row in FAULTS])
def test_it_is_told_with_all_its_values(
    row: tuple[str, list[dict[str, Any]], dict[str, Any], str], language: Language
) -> None:
    for one in findings(world(*row[1]), **row[2]):
        for sentence, told in (
            (WORDS[one.code].why, why(one, language)),
            (WORDS[one.code].write, write(one, language)),
        ):
            holes = set(re.findall(r"(?<!\{)\{(\w+)\}(?!\})", sentence[language == "zh"]))
            assert holes <= dict(one.values).keys()
            assert all(str(dict(one.values)[hole]) in told for hole in holes)


def test_the_worst_comes_first_and_nothing_twice() -> None:
    found = findings(world({"key": ["the"]}, {"key": []}, BEACON))
    levels = [severity(one) for one in found]
    assert levels == sorted(levels, key=list(Severity).index)
    assert len(found) == len(set(found))


def test_fields_are_called_as_the_file_calls_them() -> None:
    assert [
        written("secondary_keys", form) for form in ("sillytavern", "character_book", "novelai")
    ] == [
        "keysecondary",
        "secondary_keys",
        "secondary_keys",
    ]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("lantern-market", "default"),
        ("lantern-market", "sillytavern"),
        ("qinglan-town", "default"),
        ("qinglan-town", "sillytavern"),
        ("midnight-line", "default"),  # SillyTavern does not know its decorators
    ],
)
def test_the_shipped_books_have_neither_errors_nor_warnings(name: str, rules: str) -> None:
    path = shipped("worldbook_rules", "worldbooks", f"{name}.json")
    found = findings(read_book_file(path.read_bytes(), path.name), rules=rules)
    assert found == []


def test_sillytavern_is_said_to_cut_decorators_off() -> None:
    path = shipped("worldbook_rules", "worldbooks", "midnight-line.json")
    found = findings(read_book_file(path.read_bytes(), path.name), **EXACT)
    assert {one.code for one in found} == {"idle_decorator"}


def test_the_javascript_construct_is_named() -> None:
    found = [
        one for one in findings(world({"key": ["/(?P<n>x)y/"]})) if one.code == "broken_pattern"
    ]
    assert "JavaScript writes a named group (?<name>...)" in why(found[0])
    assert why(found[0], "zh").endswith("JavaScript 的命名分组写作 (?<name>...)")


def test_rules_are_small_functions_with_a_sentence() -> None:
    assert all(rule.__doc__ for rule in RULES)
    assert check(world()) == []


def test_a_book_twice_as_long_takes_twice_the_work() -> None:
    """It is looked through again at every key that the author presses."""
    short, long = (_calls_for(count) for count in (400, 800))
    assert long < 2.2 * short


def _calls_for(count: int) -> int:
    """How many calls and steps of generators the rules take for a book of so many entries."""
    book = world(*({"key": [f"key{at}"]} for at in range(count)))
    check(book)
    calls = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    gc.disable()  # hypothesis measures each collection, in calls of its own
    sys.setprofile(counted)
    try:
        check(book)
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls
