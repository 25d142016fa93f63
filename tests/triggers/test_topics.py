"""Topics that are named wake what carries them, also from earlier messages and by way of the best candidate."""

import pytest

from rolememory import Home
from rolememory.schema.message import Message

ROWS = {
    "en": (
        ("Thornwick", ("Born in the year of the flood.", "Plays the hurdy-gurdy.", "Has a sister in Lowick.")),
        ("Silver Tide", ("A ship with nine sails.", "Was built by two brothers.")),
    ),
    "zh": (
        ("沈听澜", ("生于洪水那一年。", "会拉手摇琴。", "有个妹妹住在洛县。")),
        ("银潮号", ("有九面帆的船。", "由兄弟两人建造。")),
    ),
}  # fmt: skip
FILLER = {
    "en": [f"Barrel {n} in the cellar holds salted fish." for n in range(30)],
    "zh": [f"地窖里第{n}只桶装着咸鱼。" for n in range(30)],
}
TALK = {
    "en": (("Have you met Thornwick?", "Once, at the fair."), "What instrument was that again?"),
    "zh": (("你见过沈听澜吗？", "见过一次，在集市上。"), "那是什么乐器来着？"),
}


@pytest.fixture(params=["en", "zh"])
def language(request):
    return request.param


@pytest.fixture
def role(tmp_path, language):
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira")
        told = [
            {"content": text, "topics": [topic], "type": "semantic", "source": "user_input"}
            for topic, texts in ROWS[language]
            for text in texts
        ]
        filler = [
            {"content": text, "type": "semantic", "source": "user_input"}
            for text in FILLER[language]
        ]
        mira.remember_all([*told, *filler])
        yield mira


def said(turn):
    return [one.memory.content for one in turn.recalled]


def test_a_topic_of_an_earlier_message_tells_what_a_question_is_about(role, language):
    (asked, answered), query = TALK[language]
    alone = said(role.recall([Message.user(query)]))
    talk = [Message.user(asked), Message.assistant(answered), Message.user(query)]
    wanted = ROWS[language][0][1][1]
    assert wanted not in alone
    assert wanted in said(role.recall(talk))


def test_a_topic_is_told_as_the_reason(role, language):
    topic = ROWS[language][0][0]
    turn = role.recall(f"{topic}?")
    assert topic.casefold() in str(turn.explain())


def test_another_topic_stays_away(role, language):
    topic, texts = ROWS[language][0]
    found = said(role.recall(f"{topic}?"))
    assert set(texts) & set(found)
    assert not set(ROWS[language][1][1]) & set(found)


def test_the_topic_of_the_best_brings_what_else_carries_it(role, language):
    first, second = ROWS[language][1][1]
    query = {"en": "a ship with nine sails", "zh": "有九面帆的船"}[language]
    found = [one.memory.content for one in role.search(query)]
    assert found[:2] == [first, second]


def test_a_latin_topic_is_a_whole_word(tmp_path):
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira")
        mira.remember_all(
            [{"content": "Hates the rain.", "topics": ["Art"], "source": "user_input"}]
        )
        assert said(mira.recall("A party at the start of May")) == []
        assert said(mira.recall("Ask Art about it, about Art")) == ["Hates the rain."]


def test_a_topic_that_went_wakes_nothing(role, language):
    topic = ROWS[language][0][0]
    for memory in [one for one in role.memories.values() if topic in one.topics]:
        role.delete(memory.id)
    assert said(role.recall(f"{topic}?")) == []


WITHOUT_NAME = {
    "en": (
        ("Born in the year of the flood, was he not?", "Yes, and a sister in Lowick he has."),
        "What instrument was that again?",
    ),
    "zh": (("是生于洪水那一年的吧？", "对，还有个妹妹住在洛县。"), "那是什么乐器来着？"),
}


def test_what_was_said_without_a_name_tells_whom_it_is_about(role, language):
    (asked, answered), query = WITHOUT_NAME[language]
    talk = [Message.user(asked), Message.assistant(answered), Message.user(query)]
    wanted = ROWS[language][0][1][1]
    assert wanted in said(role.recall(talk))
    assert wanted not in said(role.recall([Message.user(query)]))
