"""Which turns are kept, and what of them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.learn.commands.reading import sentences
from rolememory.learn.worth import worth
from rolememory.learn.worth.find import MOST_KEPT
from rolememory.schema.wording import word
from tests.learn import worth_held_out, worth_rows

Row = tuple[bool, set[str], str, str]
ROWS: list[Row] = [*worth_rows.rows(worth_rows.ENGLISH), *worth_rows.rows(worth_rows.CHINESE)]
HELD_OUT: list[Row] = [
    *worth_held_out.rows(worth_held_out.ENGLISH),
    *worth_held_out.rows(worth_held_out.CHINESE),
]


@pytest.mark.parametrize(
    ("keep", "kinds", "turn", "kept"), ROWS, ids=[turn for _, _, turn, _ in ROWS]
)
def test_turns(keep: bool, kinds: set[str], turn: str, kept: str) -> None:
    found = worth(turn)
    assert (found.keep, found.text) == (keep, kept)
    assert found.kind in kinds


def test_turns_written_after_the_rules() -> None:
    told = [worth(turn).keep for keep, _, turn, _ in HELD_OUT if keep]
    small = [worth(turn).keep for keep, _, turn, _ in HELD_OUT if not keep]
    assert sum(told) / len(told) >= 0.95, "what tells something is rarely lost"
    assert sum(small) / len(small) <= 0.15


def test_the_tables_are_large_enough() -> None:
    assert len(ROWS) >= 200
    assert {
        language
        for language in ("en", "zh")
        if len(
            [*worth_rows.rows(getattr(worth_rows, {"en": "ENGLISH", "zh": "CHINESE"}[language]))]
        )
        >= 60
    } == {
        "en",
        "zh",
    }


@pytest.mark.parametrize(
    ("turn", "before"),
    [
        pytest.param(
            "I went to Rome with Anna.", "I went to Rome with Anna.", id="said twice is told once"
        ),
        pytest.param(
            "i went to rome with anna!!",
            "I went to Rome with Anna.",
            id="case and punctuation do not make it news",
        ),
        pytest.param("我和安娜去了罗马", "我和安娜去了罗马。", id="in Chinese too"),
    ],
)
def test_a_repetition_is_no_news(turn: str, before: str) -> None:
    assert worth(turn).keep
    assert [worth(turn, previous=before).kind, worth(turn, earlier=["ok", before]).kind] == [
        "echo",
        "echo",
    ]


@pytest.mark.parametrize(
    ("turn", "previous", "kept"),
    [
        pytest.param(
            "Blue.",
            "Nice room. What's your favourite colour?",
            "Blue.",
            id="a word may answer a question",
        ),
        pytest.param("Oslo", '"Where were you born?"', "Oslo", id="asked in direct speech"),
        pytest.param("蓝色", "你最喜欢什么颜色？", "蓝色", id="in Chinese"),
        pytest.param("Blue.", "Nice room.", "", id="without a question it says nothing"),
        pytest.param("Yes.", "Do you like it here?", "", id="yes is chit-chat all the same"),
        pytest.param("What do you mean?", "Where were you born?", "", id="a question is no answer"),
    ],
)
def test_short_answers(turn: str, previous: str, kept: str) -> None:
    found = worth(turn, previous=previous)
    assert found.text == kept
    assert bool(found.question) is bool(kept)


def test_of_a_long_turn_the_sentences_that_matter_are_kept_in_order() -> None:
    filler = "The wall is grey and the floor is grey and the sky is grey. " * 12
    turn = f"I met Captain Ross in Bergen in 2019. {filler}He gave me his silver compass before he died."
    kept = worth(turn).text
    assert len(kept) <= MOST_KEPT
    assert kept.startswith("I met Captain Ross in Bergen in 2019.")
    assert kept.endswith("He gave me his silver compass before he died.")


def test_a_single_long_sentence_is_never_cut() -> None:
    turn = "I walked " + "and walked " * 100 + "until I came to my brother's house."
    assert worth(turn).text == turn


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_verdict_has_words(language: str) -> None:
    turns = [
        "I have two brothers.",
        "Hi!",
        "What is love?",
        "Come here.",
        "...",
        "Tell me a story.",
    ]
    reasons = [worth(turn).because for turn in turns] + [
        worth("Blue.", previous="Which one?").because,
        worth("ok so", previous="Ok, so").because,
    ]
    for reason in reasons:
        assert word(reason, "zh" if language == "zh" else "en") != reason.code


def test_hostile_turns_are_read_in_time() -> None:
    for hostile in (
        "这" * 20_000,
        "真的太好了" * 4_000,
        "ha " * 6_000,
        "so really very " * 1_300,
        "*" * 20_000,
        "ok, " * 5_000,
        "a" * 20_000,
        '{"' * 10_000,
    ):
        begun = time.thread_time()
        worth(hostile)
        assert time.thread_time() - begun < 3.0


@given(st.lists(st.sampled_from([turn for _, _, turn, _ in ROWS]), min_size=1, max_size=4))
def test_what_is_kept_stands_in_the_turn(turns: list[str]) -> None:
    turn = "\n".join(turns)
    kept = worth(turn).text
    assert all(part.of(kept) in turn for part in sentences(kept))


@given(st.text(max_size=200))
def test_any_text_has_a_verdict(text: str) -> None:
    found = worth(text)
    assert found.keep is bool(found.text)
