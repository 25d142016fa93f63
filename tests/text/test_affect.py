"""What is felt in a text: two tables of sentences, the lexicons, moods and how memories fit them."""

from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.errors import FileError
from rolememory.locales import translated
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Feeling
from rolememory.shipped import shipped
from rolememory.text.affect import (
    EMOTIONS,
    Mode,
    affect_fit,
    affect_of_entry,
    affect_of_labels,
    affect_similarity,
    comfort,
    emotion_weights,
    in_numbers,
    mood,
    read_affect,
)
from rolememory.text.affect_lexicon import (
    PLANE,
    felt_as,
    forms,
    inflections,
    load_lexicon,
    shipped_lexicon,
)
from tests.text import felt_held_out, felt_sentences

ROWS = felt_sentences.rows(felt_sentences.ENGLISH) + felt_sentences.rows(felt_sentences.CHINESE)
LEXICONS = shipped("worldbook_rules", "lexicons")


def agrees(expected: str, feeling: Feeling) -> bool:
    """Whether a reading is what the row expects."""
    if expected == "0":
        return feeling == Feeling()
    if not feeling.emotions:
        return False
    signed = {"+": feeling.valence > 0, "-": feeling.valence < 0, "~": True}[expected[0]]
    return signed and feeling.emotions[0][0] in expected[1:].split("/")


def test_sentences() -> None:
    read = ((expected, text, read_affect(text)) for expected, text in ROWS)
    assert [row for row in read if not agrees(row[0], row[2])] == []


@pytest.mark.parametrize(
    ("block", "floor"),
    [(felt_held_out.ENGLISH, 0.65), (felt_held_out.CHINESE, 0.8)],
    ids=["en", "zh"],
)
def test_sentences_never_tuned_on(block: str, floor: float) -> None:
    rows = felt_held_out.rows(block)
    right = sum(agrees(expected, read_affect(text)) for expected, text in rows)
    assert right / len(rows) >= floor
    assert all(agrees(expected, read_affect(text)) for expected, text in rows if expected == "0"), (
        "what says nothing stays silent"
    )


def test_the_tables_are_large_enough() -> None:
    assert len(ROWS) >= 200
    assert (
        len(felt_held_out.rows(felt_held_out.ENGLISH) + felt_held_out.rows(felt_held_out.CHINESE))
        >= 80
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        pytest.param("I am very sad", "I am sad", id="very makes it stronger"),
        pytest.param("I am sad!!", "I am sad", id="an exclamation mark makes it stronger"),
        pytest.param("I am SAD about this", "I am sad about this", id="capitals shout"),
        pytest.param("I am sad", "I am a bit sad", id="a bit makes it weaker"),
        pytest.param("I am sad", "If I were sad", id="if makes it weaker"),
        pytest.param("I am sad", "Are you sad?", id="a question makes it weaker"),
        pytest.param("I am sad", "I was sad, but I slept", id="what stands before but counts less"),
        pytest.param("我非常难过", "我难过", id="非常更强"),
        pytest.param("我难过死了", "我难过", id="死了更强"),
        pytest.param("我难过", "我有点难过", id="有点更弱"),
        pytest.param("我难过", "如果我难过", id="如果更弱"),
        pytest.param("我难过", "你难过吗？", id="疑问更弱"),
    ],
)
def test_strength(text: str, same: str) -> None:
    strong, weak = read_affect(text), read_affect(same)
    assert strong.emotions[0][0] == weak.emotions[0][0] == "sadness"
    assert strong.emotions[0][1] > weak.emotions[0][1]
    assert strong.valence < weak.valence < 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Her voice broke and Tears welled up.", ("voice broke", "Tears welled")),
        ("她红了眼眶，攥紧拳头。", ("红了眼眶", "攥紧拳头")),
        ("我們都很開心", ("開心",)),
        ("I MISS YOU ❤️", ("I MISS", "❤️")),
    ],
)
def test_the_words_are_told_as_written(text: str, words: tuple[str, ...]) -> None:
    assert read_affect(text).words == words


def test_both_languages_are_read_in_one_text() -> None:
    assert {label for label, _ in read_affect("happy 难过").emotions} == {"joy", "sadness"}


LABELS = {
    "joy": "happiness amusement excitement pride gratitude 喜悦 開心 乐 喜",
    "trust": "approval admiration 信任",
    "fear": "nervousness anxious afraid 恐惧 惧 焦虑",
    "surprise": "confusion realization 惊讶 惊",
    "sadness": "grief heartbroken disappointment hurt 悲伤 心碎 哀 孤独",
    "disgust": "disapproval contempt 厌恶 恶",
    "anger": "annoyance rage jealousy 愤怒 怒 恨",
    "anticipation": "optimism curiosity hope 期待 好奇",
    "love": "caring affection tenderness desire 爱 温柔",
    "longing": "nostalgia homesick 思念 乡愁",
    "shame": "embarrassment remorse guilt 羞愧 内疚",
    "calm": "relief peaceful 平静 安心",
}


@pytest.mark.parametrize(("label", "names"), LABELS.items())
def test_free_text_labels_are_mapped(label: str, names: str) -> None:
    allowed = (
        {label, "joy"}
        if label in ("trust", "anticipation")
        else {label, "anticipation", "surprise"}
    )
    for name in names.split():
        assert affect_of_labels([name]).emotions[0][0] in allowed, name


def test_labels_nobody_knows_say_nothing() -> None:
    assert affect_of_labels(["neutral", "purple", ""]) == Feeling() == affect_of_labels([])


def test_every_emotion_names_itself_in_both_languages() -> None:
    for label in EMOTIONS:
        assert (
            affect_of_labels([label]).emotions[0][0]
            == affect_of_labels([translated(label, "zh", "emotion")]).emotions[0][0]
            == label
        )
        assert label in PLANE


def test_declared_emotions_outrank_the_content() -> None:
    told = Memory(id="m", content="We laughed and danced all night.", emotions=("grief",))
    assert affect_of_entry(told).emotions[0][0] == "sadness"
    assert (
        affect_of_entry(Memory(id="m", content="We laughed and danced all night.")).emotions[0][0]
        == "joy"
    )
    assert (
        affect_of_entry(Memory(id="m", content="我很难过", emotions=("stripes",))).emotions[0][0]
        == "sadness"
    )


# ── lexicon files ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_lexicons_are_large(language: str) -> None:
    page = orjson.loads((LEXICONS / f"feeling.{language}.json").read_bytes())
    assert len(page["words"]) >= 500
    assert not set(page["words"]) & set(page["plain"])
    assert set(page["names"]) == set(EMOTIONS)


def written(folder: Path, text: str) -> Path:
    path = folder / "feeling.mine.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_author_adds_replaces_and_silences_words(tmp_path: Path) -> None:
    mine = load_lexicon(
        [
            written(
                tmp_path, '{"words": {"zwoop~": "joy", "storm": {"fear": 0.9}}, "plain": ["happy"]}'
            )
        ]
    )
    assert read_affect("She zwooped!", lexicon=mine).emotions[0][0] == "joy"
    assert read_affect("a storm", lexicon=mine).emotions == (("fear", 0.9),)
    assert read_affect("a happy song", lexicon=mine) == Feeling()
    assert read_affect("a happy song").emotions[0][0] == "joy"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '{"words": {"storm": {"feer": 0.9}}}',
            "words.storm: unknown emotion 'feer'; did you mean 'fear'?",
        ),
        (
            '{"words": {"storm": {"fear": 7}}}',
            "words.storm.fear: expected a number from 0 to 1, got 7",
        ),
        ('{"words": {"storm": 3}}', "words.storm: expected emotions and their weights, got 3"),
        ('{"words": ["storm"]}', 'words: expected an object, got ["storm"]'),
        ('{"plain": "storm"}', "plain: expected a list of words"),
        ('{"wrods": {}}', "wrods: unknown section; did you mean 'words'?"),
        ('{"names": {"rage": ["rage"]}}', "names: unknown emotion 'rage'"),
        ('{"names": {"joy": 1}}', "names.joy: expected a list of names"),
        ('{"patterns": {"(": "joy"}}', "patterns.(: not a valid pattern"),
        ('{"intensifiers": {"very": -1}}', "intensifiers.very: expected a number"),
        ("[1]", "expected an object"),
        ('{\n"words": }', "2:10: a value is missing before }"),
    ],
)
def test_a_wrong_file_is_told_with_file_and_field(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(FileError) as told:
        load_lexicon([written(tmp_path, text)])
    assert "feeling.mine.json" in str(told.value)
    assert complaint in str(told.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        load_lexicon([tmp_path / "no.json"])


def test_forms() -> None:
    assert {"loved", "loving", "loves"} <= inflections("love")
    assert {"happier", "happily", "happiest"} <= inflections("happy")
    assert {"panicking", "panicked"} <= inflections("panic")
    assert {"hugged", "hugging"} <= inflections("hug")
    assert list(forms("over the moon")) == ["over the moon"]
    assert set(forms("bit {} nails", ["my", "her"])) == {"bit my nails", "bit her nails"}


# ── moods ──────────────────────────────────────────────────────────────────────────────────────────

feelings = st.builds(
    felt_as,
    st.dictionaries(st.sampled_from(EMOTIONS), st.floats(0.05, 1.0), max_size=4),
    st.none() | st.floats(-1.0, 1.0),
    st.none() | st.floats(0.0, 1.0),
).map(lambda feeling: feeling if feeling.emotions else Feeling())


def in_bounds(feeling: Feeling) -> bool:
    return (
        all(0 < weight <= 1 for _, weight in feeling.emotions)
        and -1 <= feeling.valence <= 1
        and 0 <= feeling.arousal <= 1
    )


@given(st.text(max_size=80))
def test_any_text_is_read_in_bounds(text: str) -> None:
    feeling = read_affect(text)
    assert in_bounds(feeling)
    assert feeling.neutral == (feeling == Feeling())
    assert feeling == read_affect(text)


@given(st.lists(st.sampled_from([text for _, text in ROWS]), max_size=6))
def test_any_mix_of_sentences_is_read_in_bounds(texts: list[str]) -> None:
    assert in_bounds(read_affect("\n".join(texts)))


@given(st.lists(feelings, max_size=6), st.floats(0.1, 100))
def test_a_mood_is_in_bounds_and_neutral_when_all_is(told: list[Feeling], half_life: float) -> None:
    lingering = mood(told, half_life)
    assert in_bounds(lingering)
    assert mood([Feeling()] * len(told), half_life) == Feeling()
    assert lingering.intensity <= max([feeling.intensity for feeling in told], default=0.0) + 1e-4


def test_a_mood_halves() -> None:
    sad = felt_as({"sadness": 0.8})
    assert mood([sad], 4).emotions == (("sadness", 0.8),)
    aged = mood([Feeling()] * 4 + [sad], 4)
    assert aged.emotions == (("sadness", 0.4),)
    assert aged.valence == sad.valence / 2
    assert mood([Feeling()] * 40 + [sad], 4) == Feeling()


def test_the_newest_message_sets_the_mood() -> None:
    turned = mood([felt_as({"joy": 0.8}), felt_as({"sadness": 0.8})], 1)
    assert turned.emotions[0][0] == "joy"
    assert turned.valence > 0


def fit(one: Feeling, other: Feeling, mode: Mode = "congruent") -> float:
    """How well one feeling fits another."""
    return float(affect_fit(one, np.array([in_numbers(other)]), mode)[0])


@given(feelings, feelings, st.sampled_from(["congruent", "contrast", "off"]))
def test_fit_is_bounded_and_zero_where_nothing_is_felt(
    one: Feeling, other: Feeling, mode: Mode
) -> None:
    value = fit(one, other, mode)
    assert -1.0 <= value <= 1.0
    if one.neutral or other.neutral or mode == "off":
        assert value == 0.0
    mine, theirs = emotion_weights(np.array([in_numbers(one), in_numbers(other)]))
    assert 0.0 <= affect_similarity(mine, theirs[np.newaxis])[0] <= 1.0


@given(feelings, feelings)
def test_congruent_fit_takes_no_sides(one: Feeling, other: Feeling) -> None:
    assert fit(one, other) == pytest.approx(fit(other, one))


def test_comfort_in_sadness() -> None:
    grief, joy, calm = (felt_as({label: 0.9}) for label in ("sadness", "joy", "calm"))
    assert fit(grief, grief) > 0.5 > 0 > fit(grief, joy)
    assert fit(grief, calm, "contrast") > 0 > fit(grief, grief, "contrast")
    assert fit(joy, joy, "contrast") == fit(joy, joy)
    assert comfort(joy) is joy


def test_reading_again_costs_a_look_up() -> None:
    assert read_affect("I am so happy, 我很难过") is read_affect("I am so happy, 我很难过")
    assert shipped_lexicon() is shipped_lexicon()
