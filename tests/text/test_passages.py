"""Passages: what is recalled as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.schema.learning import MarkedSpan
from rolememory.text.marks import marks
from rolememory.text.passages import LONGEST, LONGEST_HAN, limit_at, passages
from rolememory.text.sentences import SentenceSpan
from tests.text.prose import PROSE, growth

SHORT = "The beacon is dark. "
LONG = "word " * 50 + "end. "  # 255 characters


def found(text: str, *marks: MarkedSpan) -> list[str]:
    return [text[one.start : one.end] for one in passages(text, marks)]


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        pytest.param(SHORT * 3, [59], id="short sentences stand together"),
        pytest.param(SHORT * 20, [279, 119], id="up to the limit"),
        pytest.param(SHORT * 30, [279, 139, 139, 39], id="behind the first up to half of it"),
        pytest.param(SHORT * 14 + LONG * 2, [279, 254, 254], id="a longer sentence stands whole"),
        pytest.param(LONG + "And one more sentence. " + SHORT, [277, 19], id="as many as fit"),
        pytest.param(SHORT + "word " * 51 + "plus.", [280], id="exactly what fits"),
        pytest.param(SHORT + "word " * 51 + "plus 1", [19, 261], id="and not one more"),
        pytest.param(SHORT * 2 + LONG, [39, 254], id="a sentence is not cut to fill a passage"),
        pytest.param("hi\n\nhow are you\nfine", [20], id="short paragraphs stand together"),
        pytest.param("灯塔灭了。" * 40, [120, 60, 20], id="中文先到一百二十字，往后到六十字"),
        pytest.param("word, " * 60, [275, 83], id="a sentence longer than that is cut at clauses"),
        pytest.param("word " * 70, [279, 69], id="at blanks where it has no clauses"),
        pytest.param("x" * 600, [280, 280, 40], id="anywhere where it has no blanks"),
        pytest.param("雨一直下，" * 30, [120, 30], id="长句在逗号断开"),
        pytest.param("雨" * 130, [120, 10], id="没有标点的长句硬断"),
        pytest.param("", [], id="nothing has none"),
        pytest.param(" \n ", [], id="blanks have none"),
    ],
)
def test_sentences_are_packed(text: str, lengths: list[int]) -> None:
    assert [len(one) for one in found(text)] == lengths


def test_words_out_of_character_stand_alone() -> None:
    text = "I wait. ((brb)) I wait on."
    marks = (MarkedSpan("ooc", 8, 15),)
    assert [(text[one.start : one.end], one.ooc) for one in passages(text, marks)] == [
        ("I wait.", False),
        ("((brb))", True),
        ("I wait on.", False),
    ]


LAMPS = "The lamps were lit along the quay by the keeper's daughter and her dog. " * 3


@pytest.mark.parametrize(
    "told",
    [
        '*An old woman cackles.* "I buried seven husbands. Not one could swim."',
        '*An old woman cackles*\n"I buried seven husbands. Not one could swim."',
        '"I was a soldier once. Nobody believes it, do they," the beggar said.',
        "将军清了清嗓子，沉声道：“明日启程。谁也不许留下来喝酒，明白没有？”",
        "“明日启程。谁也不许留下来喝酒，明白没有？”将军沉声道。",
    ],
)
def test_a_quotation_stays_with_who_says_it(told: str) -> None:
    text = (LAMPS if told.isascii() else "港口的灯一盏盏亮了起来。" * 8) + told
    assert told in found(text, *marks(text))[1]
    assert told not in found(text)[1]  # without marks it fills the first one


def test_a_quotation_that_is_too_long_is_cut_all_the_same() -> None:
    text = "The innkeeper said, “" + "I have three daughters at home. " * 20 + "”"
    assert max(map(len, found(text, *marks(text)))) <= LONGEST


def test_panels_are_left_out() -> None:
    text = "The wheel creaks. [Time: dusk | Place: mill] It rains."
    cut = passages(text, (), [SentenceSpan(18, 44)])
    assert [text[one.start : one.end] for one in cut] == ["The wheel creaks.", "It rains."]


def test_what_is_left_out_stays_out_of_words_out_of_character_too() -> None:
    text = "I wait. ((My card is lost. Call me.)) It rains."
    cut = passages(text, [MarkedSpan("ooc", 8, 37)], [SentenceSpan(10, 26)])
    assert [text[one.start : one.end] for one in cut] == [
        "I wait.",
        "((",
        "Call me.))",
        "It rains.",
    ]


def marks_of(text: str, places: list[tuple[int, int, bool]]) -> list[MarkedSpan]:
    """Marks apart from each other, whatever the places say."""
    edges = sorted({place % (len(text) + 1) for one in places for place in one[:2]})
    kinds = [quote for *_, quote in places]
    return [
        MarkedSpan("quote" if quote else "ooc", start, end)
        for start, end, quote in zip(edges[::2], edges[1::2], kinds, strict=False)
    ]


PLACES = st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999), st.booleans()), max_size=4)


@given(PROSE, PLACES)
def test_every_visible_character_stands_in_one_passage(
    text: str, places: list[tuple[int, int, bool]]
) -> None:
    marks = marks_of(text, places)
    cut = passages(text, marks)
    place = 0
    for one in cut:
        assert not text[place : one.start].strip()
        assert 0 < one.end - one.start <= limit_at(text, one.start)
        assert text[one.start : one.end] == text[one.start : one.end].strip()
        place = one.end
    assert not text[place:].strip()
    for mark in marks:
        if mark.kind == "ooc":
            inside = [one for one in cut if one.start < mark.end and one.end > mark.start]
            assert all(mark.start <= one.start and one.end <= mark.end for one in inside)
            assert all(one.ooc for one in inside)


@given(PROSE, PROSE, PLACES)
def test_what_is_appended_changes_the_last_passage_alone(
    text: str, more: str, places: list[tuple[int, int, bool]]
) -> None:
    quotes = [one for one in marks_of(text, places) if one.kind == "quote"]
    before, after = passages(text, quotes), passages(text + more, quotes)
    assert after[: max(len(before) - 1, 0)] == before[:-1]


def test_the_limit_is_that_of_the_language_a_passage_begins_in() -> None:
    assert limit_at("The beacon. " * 20 + "灯塔灭了。" * 90, 0) == LONGEST
    assert limit_at("灯塔灭了。" * 30 + "The beacon. " * 90, 0) == LONGEST_HAN
    assert limit_at("", 0) == LONGEST


@pytest.mark.parametrize("hostile", ["x", "雨", "a. ", ", ", " ", "\n\n", "。", '"'])
def test_a_character_costs_the_same_in_a_long_text(hostile: str) -> None:
    assert growth(passages, hostile * (20_000 // len(hostile))) < 3
