"""Which keys stand where: by script, by setting, against a naive reading, and after changes of the index."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.scene import Segment, Span
from rolememory.text.boundaries import JS_SPACE, boundaries, stands_alone
from rolememory.text.fold import fold, lower
from rolememory.text.keys import KeyIndex, KeyScan, KeySpec, is_pattern

ST = {"form": "lower", "edges": "ascii"}
LONE_HAN = {"cjk_words": True}


def found(key: str, text: str, **how: object) -> str | None:
    """The words of the text that the key is first found in."""
    spec = KeySpec(key, **how)  # type: ignore[arg-type]
    place = KeyIndex([spec]).read(text).get(spec)
    return None if place is None else text[slice(*place)]


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        pytest.param("beacon", "The Beacon went dark.", "Beacon", id="case does not count"),
        pytest.param("art", "a party", None, id="art is not in party"),
        pytest.param("art", "Art!", "Art", id="punctuation ends a word"),
        pytest.param("beacon", "two beacons", None, id="a plural is another word"),
        pytest.param("caf", "the café", None, id="caf is not in café"),
        pytest.param("cafe", "the Café", "Café", id="an accent does not count"),
        pytest.param(
            "cafe", "the cafe\u0301s", None, id="an accent written apart does not end a word"
        ),
        pytest.param("Mira", "Mira’s lamp", "Mira", id="a possessive is the name"),
        pytest.param("Mira's", "Mira’s lamp", "Mira’s", id="a typographic apostrophe is one"),
        pytest.param(
            "red dragon", "the scared dragons", None, id="a key of two words has edges too"
        ),
        pytest.param(
            "red dragon",
            "a red\n dragon",
            "red\n dragon",
            id="white space in a key is any white space",
        ),
        pytest.param(" beacon ", "beacon", "beacon", id="blanks around a key do not count"),
        pytest.param("B-12", "Bunker B-12.", "B-12", id="letters, digits and a hyphen"),
        pytest.param("B-1", "Bunker B-12.", None, id="a number does not end inside a number"),
        pytest.param("1887", "1887年的风暴", "1887", id="a year beside 年"),
        pytest.param(
            "C++", "She writes C++, fast", "C++", id="a sign at the edge asks for nothing"
        ),
        pytest.param("beacon", "_beacon_ and *beacon*", "beacon", id="emphasis is not a letter"),
        pytest.param("маяк", "Старый Маяк погас", "Маяк", id="Cyrillic"),
        pytest.param("маяк", "у маяка", None, id="Cyrillic letters go on"),
        pytest.param("φάρος", "Ο ΦΆΡΟΣ έσβησε", "ΦΆΡΟΣ", id="Greek, final sigma and accent"),
        pytest.param("beacon", "那座beacon灭了", "beacon", id="英文关键词紧挨着中文"),
        pytest.param("beacon", "那座ｂｅａｃｏｎ灭了", "ｂｅａｃｏｎ", id="全角字母"),
        pytest.param("灯塔", "旧灯塔灭了", "灯塔", id="中文关键词不需要边界"),
        pytest.param("龙", "恐龙化石", "龙", id="单字默认不设边界"),
        pytest.param("龍", "那條龍來了", "龍", id="繁體關鍵詞"),
        pytest.param("龙", "那條龍來了", None, id="简体不等于繁体"),
        pytest.param("T恤", "一件T恤衫", "T恤", id="字母加汉字"),
        pytest.param("T恤", "一件ST恤", None, id="字母一侧要有边界"),
        pytest.param(
            "灯塔 守护人", "灯塔　守护人来了", "灯塔　守护人", id="关键词里的空格可以是全角"
        ),
        pytest.param("ドラゴン", "ﾄﾞﾗｺﾞﾝが来た", "ﾄﾞﾗｺﾞﾝ", id="半角カタカナ"),
        pytest.param("ドラゴン", "赤いドラゴンだ", "ドラゴン", id="カタカナの前後がひらがな"),
        pytest.param("ラゴン", "赤いドラゴンだ", None, id="カタカナ語の途中ではない"),
        pytest.param("メモ", "メモリーを買う", None, id="カタカナ語は続く"),
        pytest.param("きつね", "あのきつねは", "きつね", id="ひらがな"),
        pytest.param("등대", "등대가 꺼졌다", "등대", id="hangul: a particle may follow"),
        pytest.param("등대", "옛등대", None, id="hangul: a word must begin there"),
        pytest.param("등대", "옛 등대를 보았다", "등대", id="hangul after a blank"),
        pytest.param("등", "\u1103\u1173\u11bc", "\u1103\u1173\u11bc", id="hangul written apart"),
        pytest.param("🔥", "so🔥hot", "🔥", id="an emoji stands anywhere"),
        pytest.param("❤", "I ❤️ it", "❤️", id="a variation selector belongs to its emoji"),
        pytest.param("👩‍🚀", "the 👩‍🚀 waves", "👩‍🚀", id="a joined emoji"),
        pytest.param("fire", "the ﬁre went out", "ﬁre", id="a ligature"),
        pytest.param("strasse", "die Straße", "Straße", id="sharp s"),
        pytest.param("", "anything", None, id="an empty key is never found"),
        pytest.param("  ", "any thing", None, id="a blank key is never found"),
        pytest.param("\u200b", "any\u200bthing", None, id="a key of zero width is never found"),
        pytest.param("beacon", "", None, id="nothing stands in an empty text"),
    ],
)
def test_folded_keys_stand_by_the_rule_of_their_script(
    key: str, text: str, words: str | None
) -> None:
    assert found(key, text) == words


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        pytest.param("龙", "龙来了", "龙", id="句首，后面是动词"),
        pytest.param("龙", "那条龙的眼睛", "龙", id="量词和的之间"),
        pytest.param("龙", "恐龙化石", None, id="恐龙化石里没有龙"),
        pytest.param("龙", "他看着龙。", "龙", id="句号之前"),
        pytest.param("龙", "“龙？”他问。", "龙", id="引号里的单字"),
        pytest.param("龙", "我和龙都没有说话", "龙", id="连词和副词之间"),
        pytest.param("龙", "水龙头坏了", None, id="水龙头里没有龙"),
        pytest.param("龍", "那條龍來了", "龍", id="繁體量詞和動詞"),
        pytest.param("龙", "恐龙走了，龙来了", "龙", id="第一处不算，第二处算"),
        pytest.param("银河", "银河系", None, id="两个字也要独立"),
        pytest.param("灯塔守", "老灯塔守夜", "灯塔守", id="三个字以上不设边界"),
        pytest.param("beacon", "那座beacon灭了", "beacon", id="英文关键词不受影响"),
    ],
)
def test_a_short_chinese_key_may_be_asked_to_be_a_word(
    key: str, text: str, words: str | None
) -> None:
    assert found(key, text, **LONE_HAN) == words


@pytest.mark.parametrize(
    ("key", "text", "stands"),
    [
        pytest.param("beacon", "the BEACON.", True, id="case does not count"),
        pytest.param("art", "party", False, id="inside a word"),
        pytest.param("caf", "café", True, id="é is no word character there"),
        pytest.param("cafe", "café", False, id="no folding"),
        pytest.param(
            "red dragon", "scared dragons", True, id="a key with white space is a substring"
        ),
        pytest.param(
            "red　dragon", "scared　dragons", True, id="the ideographic blank is white space too"
        ),
        pytest.param("red dragon", "red  dragon", False, id="white space is exact"),
        pytest.param("beacon", "_beacon_", False, id="an underscore is a word character"),
        pytest.param("龙", "恐龙化石", True, id="Han is a boundary"),
        pytest.param("beacon", "那beacon灭了", True, id="an ASCII key beside Chinese"),
        pytest.param("!", "no!", False, id="a sign needs free sides as well"),
        pytest.param("!", "是!", True, id="a sign with free sides"),
        pytest.param("STRASSE", "straße", False, id="sharp s stays"),
        pytest.param("é", "É", True, id="full Unicode lower case"),
    ],
)
def test_sillytavern_keys_keep_their_own_rule(key: str, text: str, stands: bool) -> None:
    assert (found(key, text, **ST) is not None) is stands


def test_raw_keys_tell_case_apart() -> None:
    assert found("Rose", "a rose", form="raw") is None
    assert found("Rose", "a Rose", form="raw") == "Rose"
    assert found("art", "party", form="raw", edges="none") == "art"
    assert found(" ", "a b", form="raw", edges="none") == " "


def test_places_are_those_of_the_original() -> None:
    text = "İz: ﬁ  Ｃａｆé\u0301, café!"
    spec = KeySpec("cafe")
    start, end = KeyIndex([spec]).read(text)[spec]
    assert text[start:end] == "Ｃａｆé\u0301"
    low = KeySpec("z:", "lower", "none")
    assert KeyIndex([low]).read(text)[low] == (1, 3)


def test_keys_inside_others_are_found_with_them() -> None:
    index = KeyIndex(map(KeySpec, ["red dragon", "dragon", "red", "灯塔", "灯塔守护人", "塔"]))
    assert {spec.text for spec in index.read("red dragon 灯塔守护人")} == {
        "red dragon",
        "dragon",
        "red",
        "灯塔",
        "灯塔守护人",
        "塔",
    }


def test_one_text_of_a_key_may_be_looked_for_in_several_ways() -> None:
    specs = [
        KeySpec("Art"),
        KeySpec("art"),
        KeySpec("art", edges="none"),
        KeySpec("art", "lower", "ascii"),
        KeySpec("Art", "raw"),
    ]
    read = KeyIndex(specs).read("a party; ART")
    assert read == {specs[0]: (9, 12), specs[1]: (9, 12), specs[2]: (3, 6), specs[3]: (9, 12)}


def test_lone_surrogates_do_no_harm() -> None:
    assert found("beacon", "\ud800 beacon \udfff") == "beacon"
    assert found("beacon", "\ud83d\udd25 beacon", form="raw") == "beacon"
    assert found("\ud800", "\ud800") is None


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        pytest.param("/drag(on|ons)/i", True, id="a pattern with a flag"),
        pytest.param("/龙/", True, id="a pattern without flags"),
        pytest.param("/a\\/b/", True, id="an escaped slash"),
        pytest.param("/a\nb/s", True, id="a pattern over two lines"),
        pytest.param("and/or", False, id="a slash in words"),
        pytest.param("/usr/bin/", False, id="a path"),
        pytest.param("/a/ii", False, id="a flag twice"),
        pytest.param("/a/v", False, id="a flag that is not known"),
        pytest.param("//", False, id="nothing between the slashes"),
    ],
)
def test_patterns_are_told_from_words(key: str, pattern: bool) -> None:
    assert is_pattern(key) is pattern


# against a naive reading

SMALL = st.text(alphabet="abAB éE\u0301_1 　龙塔的ドン등대🔥ßİ.", max_size=14)
SPECS = st.builds(
    KeySpec,
    st.text(alphabet="abE é_1龙塔ド등ß", min_size=1, max_size=3),
    st.sampled_from(["raw", "lower", "folded"]),
    st.sampled_from(["none", "ascii", "script"]),
    st.booleans(),
)


def naive(specs: Iterable[KeySpec], text: str) -> dict[KeySpec, tuple[tuple[int, int], ...]]:
    """Every place of every key, by looking for one after the other."""
    places: dict[KeySpec, tuple[tuple[int, int], ...]] = {}
    for spec in specs:
        shown = {"raw": text, "lower": lower(text).text, "folded": fold(text).text}[spec.form]
        back = {
            "raw": lambda start, end: (start, end),
            "lower": lower(text).span,
            "folded": fold(text).span,
        }[spec.form]
        needle = spec.needle
        starts = (
            [match.start() for match in re.finditer(f"(?={re.escape(needle)})", shown)]
            if needle
            else []
        )
        free = [
            start
            for start in starts
            if stands_alone(
                shown, start, start + len(needle), boundaries(needle, spec.edges, spec.cjk_words)
            )
        ]
        if free:
            places[spec] = tuple(back(start, start + len(needle)) for start in free)
    return places


@given(st.sets(SPECS, max_size=8), SMALL)
def test_reading_equals_a_naive_reading(specs: set[KeySpec], text: str) -> None:
    index = KeyIndex(specs)
    expected = naive(specs, text)
    assert index.read(text) == {spec: places[0] for spec, places in expected.items()}


@given(
    st.text(alphabet="abA_é1 \u3000龙🔥.", max_size=12),
    st.text(alphabet="abA_é1 龙", min_size=1, max_size=3),
)
def test_the_ascii_rule_is_that_of_its_regular_expression(text: str, key: str) -> None:
    needle, shown = key.lower(), text.lower()
    if JS_SPACE.isdisjoint(needle):
        expected = (
            re.search(rf"(?:^|\W)({re.escape(needle)})(?:\Z|\W)", shown, re.ASCII) is not None
        )
    else:
        expected = needle in shown
    assert (found(key, text, **ST) is not None) is expected


CHANGES = st.lists(st.tuples(st.sets(SPECS, max_size=4), st.sets(SPECS, max_size=4)), max_size=6)


@given(st.sets(SPECS, max_size=8), CHANGES, SMALL)
def test_an_updated_index_equals_a_rebuilt_one(
    specs: set[KeySpec], changes: list[tuple[set[KeySpec], set[KeySpec]]], text: str
) -> None:
    updated, current = KeyIndex(specs), set(specs)
    for add, remove in changes:
        updated, current = updated.updated(add, remove), (current - remove) | add
    rebuilt = KeyIndex(current)
    assert set(updated) == set(rebuilt) == current
    assert len(updated) == len(current)
    assert all(spec in updated for spec in current)
    assert updated.read(text) == rebuilt.read(text)


def test_many_changes_are_merged_into_the_large_part() -> None:
    index = KeyIndex(KeySpec(f"old{number}") for number in range(10))
    for number in range(600):
        index = index.updated([KeySpec(f"new{number}")], [KeySpec(f"old{number}")])
    assert len(index) == 600
    assert {spec.text for spec in index.read("old3 new3 new599")} == {"new3", "new599"}


def test_an_unchanged_text_is_read_once() -> None:
    index = KeyIndex([KeySpec("beacon")])
    for _ in range(3):
        index.read("the beacon went dark")
    changed = index.updated([KeySpec("storm")])
    changed.read("the beacon went dark")
    assert changed.cache_info() == (3, 1)


# readings

TURN = [
    Segment("All is dark.", index=2),
    Segment("The beacon! The storm!", index=1),
    Segment("A storm rose.", index=0),
]
BEACON, STORM, FOX = KeySpec("beacon"), KeySpec("storm"), KeySpec("fox")


def test_a_reading_prefers_the_newest_segment_of_the_window() -> None:
    reading = KeyScan(KeyIndex([BEACON, STORM]), TURN)
    assert reading.seen(STORM, 0b111) == Span(1, 16, 21)
    assert reading.seen(STORM, 0b100) == Span(2, 2, 7)
    assert reading.seen(BEACON, 0b101) is None
    assert reading.seen(FOX, 0b111) is None
    assert reading.seen(STORM, 1 << 40) is None


def test_a_reading_gives_masks() -> None:
    reading = KeyScan(KeyIndex([BEACON, STORM, FOX]), TURN)
    assert (
        reading.keys_seen().get(STORM, 0),
        reading.keys_seen().get(BEACON, 0),
        reading.keys_seen().get(FOX, 0),
    ) == (0b110, 0b010, 0)
    assert reading.keys_seen() == {STORM: 0b110, BEACON: 0b010}
    assert reading.keys_seen(0b100) == {STORM: 0b100}
    assert reading.keys_seen(0) == {}


def test_a_segment_outside_the_window_is_not_read() -> None:
    index = KeyIndex([BEACON])
    KeyScan(index, TURN).keys_seen(0b001)
    assert index.cache_info() == (0, 1)
