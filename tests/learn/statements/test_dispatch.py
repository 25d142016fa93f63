"""Who speaks and in which language is settled before a sentence is read."""

import pytest

from rolememory.learn.statements import Speaker, claims, claims_of_memory
from rolememory.learn.statements.base import Speaker as Known
from rolememory.learn.statements.base import blocks, quotes, sentences, shown_as, spoken, turns
from rolememory.schema.memory import Memory

LIN = Speaker("user", "", {"mira": "", "lin": "user"}, {"": "Mira", "user": "Lin"})


@pytest.mark.parametrize(
    ("text", "speech"),
    [
        pytest.param("I live in Rome.", "I live in Rome.", id="plain words stay"),
        pytest.param("*sits* Hello.", "Hello.", id="an action goes"),
        pytest.param("_sits_ Hello.", "Hello.", id="an underlined action goes"),
        pytest.param("I *really* love tea.", "I  really  love tea.", id="a stressed word stays"),
        pytest.param("我*真的*喜欢茶。", "我 真的 喜欢茶。", id="a stressed Chinese word stays"),
        pytest.param("**I hate tea.**", "I hate tea.", id="bold speech stays"),
        pytest.param("((brb)) Hello.", "Hello.", id="words out of character go"),
        pytest.param("[OOC: brb] Hello.", "Hello.", id="bracketed words go"),
        pytest.param("`I live in Rome` Hello.", "Hello.", id="code goes"),
        pytest.param("```\nI live in Rome\n``` Hello.", "Hello.", id="a block of code goes"),
        pytest.param("> I live in Rome\nHello.", "Hello.", id="a quoted line goes"),
        pytest.param("♪ I live in Rome ♪\nHello.", "Hello.", id="a sung line goes"),
        pytest.param("<think>I live in Rome</think> Hello.", "Hello.", id="thoughts go"),
        pytest.param("5 * 3 * 2 Hello.", "2 Hello.", id="what stands between two asterisks goes"),
    ],
)
def test_speech_keeps_its_place(text: str, speech: str) -> None:
    blanked = spoken(text)
    assert len(blanked) == len(text)
    assert blanked.strip().endswith(speech)
    assert not blanked.replace(speech, "").strip(" \n5")


@pytest.mark.parametrize(
    ("text", "tellers"),
    [
        pytest.param("I live in Rome.", ["user"], id="nobody is named"),
        pytest.param("Lin: hi\nMira: hello", ["user", ""], id="two known names"),
        pytest.param(
            "Lin（笑）：你好\nMira：嗯",
            ["user", ""],
            id="Chinese colons, an action behind the name",
        ),
        pytest.param("Lin: hi\nTom: hello", ["user", "Tom"], id="a stranger beside a known name"),
        pytest.param("Note: I live in Rome", ["user"], id="a heading is no name"),
    ],
)
def test_turns(text: str, tellers: list[str]) -> None:
    assert [speaker.me for _, _, speaker in turns(text, LIN)] == tellers


def test_the_other_speaks_to_the_first() -> None:
    (_, _, first), (_, _, second) = turns("Lin: hi\nMira: hello", LIN)
    assert (first.you, second.you) == ("", "user")


def test_languages_stand_in_blocks() -> None:
    text = "Hi! I am Al. 我住在罗马。我喜欢茶。 And I like tea."
    assert [(text[start:end].strip(), language) for start, end, language in blocks(text)] == [
        ("Hi! I am Al.", "en"),
        ("我住在罗马。我喜欢茶。", "zh"),
        ("And I like tea.", "en"),
    ]


def test_nothing_to_read() -> None:
    assert claims("", LIN) == []
    assert claims("😀 … 123", LIN) == []
    assert claims_of_memory(Memory(id="m", content="…")) == []


def test_both_languages_of_one_message_are_read() -> None:
    text = "*waves* I live in Rome. 我喜欢茶。"
    found = claims(text, LIN)
    assert {(claim.attribute, claim.value) for claim in found} == {
        ("home", "Rome"),
        ("likes", "茶"),
    }
    assert [text[claim.start : claim.end] for claim in found] == [claim.quote for claim in found]


def test_quotes_and_sentences() -> None:
    text = 'Mei said "I hate tea. I like coffee." and left. 她说「你好。」就走了。'
    assert [text[start:end] for start, end in quotes(text)] == [
        "I hate tea. I like coffee.",
        "你好。",
    ]
    assert len(list(sentences(text))) == 2


@pytest.mark.parametrize(
    ("label", "language", "shown"),
    [
        pytest.param("user", "en", "the user", id="a nameless user"),
        pytest.param("user", "zh", "用户", id="a nameless user in Chinese"),
        pytest.param("", "en", "the character", id="a nameless role"),
        pytest.param("Mei", "en", "Mei", id="a third is his name"),
    ],
)
def test_shown_without_a_name(label: str, language: str, shown: str) -> None:
    assert shown_as(label, {}, "en" if language == "en" else "zh") == shown


def test_the_speaker_is_one_value() -> None:
    assert Speaker is Known
