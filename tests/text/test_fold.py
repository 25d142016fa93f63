"""What folds together, what stays apart, and that every place can be traced back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text.fold import fold, folded_key, lower

MIXED = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "aAéÉÅßﬁİıſ ŒŸ\t\n\u3000“”’—…龙龍灯塔，。がｶﾞｳﾊﾟドラゴン각한ㅋ①Ⅷ½\u0301\u0308\u3099\u200b\u200d\ufe0f\u00ad❤👩🚀йЙёΣς"
        ),
        st.characters(),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("BEACON", "beacon", id="capitals"),
        pytest.param("café", "cafe", id="an accent"),
        pytest.param("café", "cafe\u0301", id="an accent written apart"),
        pytest.param("Straße", "STRASSE", id="sharp s"),
        pytest.param("ﬁre", "fire", id="a ligature"),
        pytest.param("İstanbul", "istanbul", id="a dotted capital I"),
        pytest.param("ＢＥＡＣＯＮ", "beacon", id="full width"),
        pytest.param("ﾄﾞﾗｺﾞﾝ", "ドラゴン", id="half-width katakana with its voicing marks"),
        pytest.param("か\u3099", "が", id="kana written apart"),
        pytest.param("\u1100\u1161\u11a8", "각", id="hangul written apart"),
        pytest.param("red\n  dragon", "red dragon", id="white space"),
        pytest.param("red　dragon", "red dragon", id="the ideographic blank"),
        pytest.param("Mira’s", "Mira's", id="a typographic apostrophe"),
        pytest.param("“storm”", '"storm"', id="typographic quotes"),
        pytest.param("north‑west", "north-west", id="a hyphen that does not break"),
        pytest.param("bea\u00adcon", "beacon", id="a soft hyphen"),
        pytest.param("❤️", "❤", id="a heart with its variation selector"),
        pytest.param("灯塔①", "灯塔1", id="a number in a circle"),
        pytest.param("ⅷ", "viii", id="a Roman numeral"),
        pytest.param("⼭", "山", id="a radical for its character"),
        pytest.param("ΟΔΟΣ", "οδος", id="the final sigma"),
        pytest.param("Ёж", "еж", id="ё and е"),
    ],
)
def test_what_a_reader_takes_for_the_same_folds_together(left: str, right: str) -> None:
    assert fold(left).text == fold(right).text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("龙", "龍", id="simplified and traditional"),
        pytest.param("か", "が", id="voiced kana"),
        pytest.param("は", "ぱ", id="half-voiced kana"),
        pytest.param("カ", "か", id="katakana and hiragana"),
        pytest.param("мой", "мои", id="й and и"),
        pytest.param("가", "각", id="hangul with and without a final"),
        pytest.param("क", "कि", id="a vowel sign"),
        pytest.param("ı", "i", id="the dotless i"),
    ],
)
def test_what_tells_words_apart_stays(left: str, right: str) -> None:
    assert fold(left).text != fold(right).text


@pytest.mark.parametrize(
    "text", ["", " ", "ascii only", "灯塔，灭了。", "ㅋㅋㅋ", "……", "a\ud800b", "🏮"]
)
def test_a_text_whose_characters_keep_their_places_needs_no_offsets(text: str) -> None:
    assert fold(text).offsets is None
    assert len(fold(text).text) == len(text)


@given(MIXED)
def test_every_slice_of_the_fold_comes_from_a_slice_of_the_original(text: str) -> None:
    folded = fold(text)
    for start in range(len(folded.text)):
        for end in range(start + 1, min(start + 4, len(folded.text)) + 1):
            first, last = folded.span(start, end)
            assert 0 <= first < last <= len(text)
            assert folded.text[start:end].strip() in fold(text[first:last]).text


@given(MIXED)
def test_the_whole_fold_comes_from_the_whole_text(text: str) -> None:
    folded = fold(text)
    assert folded.offsets is None or (
        len(folded.offsets) == len(folded.text) + 1 and folded.offsets[-1] == len(text)
    )
    assert folded.offsets is None or list(folded.offsets) == sorted(folded.offsets)
    assert "  " not in folded.text


@given(MIXED)
def test_composed_and_decomposed_texts_are_one(text: str) -> None:
    assert (
        fold(unicodedata.normalize("NFC", text)).text
        == fold(unicodedata.normalize("NFD", text)).text
    )


@given(MIXED)
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


@given(MIXED)
def test_lower_case_is_that_of_the_whole_text_and_keeps_places(text: str) -> None:
    lowered = lower(text)
    assert lowered.text == text.lower()
    for place, char in enumerate(lowered.text):
        first, last = lowered.span(place, place + 1)
        assert last - first == 1
        assert char in text[first].lower() or text[first] == "Σ"


def test_a_key_loses_the_blanks_around_it() -> None:
    assert folded_key("  Red\tDragon ") == "red dragon"
    assert folded_key("\u200b\ufeff") == ""


def test_a_very_long_text_is_folded_all_the_same() -> None:
    assert fold("Café " * 50_000).text == "cafe " * 50_000
