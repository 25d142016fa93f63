"""How the user likes to be answered, read from memories."""

from datetime import UTC, datetime, timedelta

import pytest

from rolememory.inject.environment import Templates
from rolememory.inject.persona import (
    Preference,
    Preferences,
    Utterance,
    personalisation,
    preferences,
    preferences_in,
)
from rolememory.schema.memory import Memory, MemoryType

TEMPLATES = Templates()
DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("用户是编程新手", ["beginner"]),
        ("我是初学者", ["beginner"]),
        ("用户零基础", ["beginner"]),
        ("用户是资深后端工程师", ["expert"]),
        ("我是这方面的专家", ["expert"]),
        ("用户有一定经验，属于中级水平", ["intermediate"]),
        ("用户喜欢简洁的回答", ["concise"]),
        ("希望回答简短一些", ["concise"]),
        ("你的回答太长了", ["concise"]),
        ("请长话短说", ["concise"]),
        ("用户希望回答详细", ["detailed"]),
        ("回答请尽量完整", ["detailed"]),
        ("别太简短，回答要详细", ["detailed"]),
        ("別太簡短，回答要詳細", ["detailed"]),
        ("别太简短", []),
        ("回答不要太详细", []),
        ("不喜欢太长的回答", []),
        ("回答长度适中就好", ["balanced"]),
        ("用户喜欢代码里带注释", ["commented"]),
        ("请给我解释代码", ["commented"]),
        ("用户不喜欢代码里有注释", []),
        ("代码不要注释", ["minimal"]),
        ("只给代码就行，代码越精简越好", ["minimal"]),
        ("写函数时代码要带文档字符串", ["documented"]),
        ("请用英文回答", ["en"]),
        ("用户希望用中文交流", ["zh"]),
        ("用日语跟我聊", ["ja"]),
        ("不要用英语回答", []),
        ("用户在学英语", []),
        ("她在新手村打怪", []),
        ("她认识一位专家", []),
        ("他详细描述了那场战斗", []),
        ("灯塔在海边", []),
        ("是Python初学者", ["beginner"]),
        ("是一位资深工程师", ["expert"]),
        ("用户的儿子是钢琴初学者", []),
        ("用户偏好中文", ["zh"]),
        ("用户喜欢英文歌", []),
        ("用户去过法文书店", []),
        ("用户的女朋友会说英语", []),
        ("The user is a beginner in Python", ["beginner"]),
        ("I'm new to programming", ["beginner"]),
        ("User is a senior engineer", ["expert"]),
        ("I’m not an expert", []),
        ("I am at an intermediate level", ["intermediate"]),
        ("The user prefers concise answers", ["concise"]),
        ("Please keep it brief", ["concise"]),
        ("your answers are too long", ["concise"]),
        ("Prefers detailed explanations", ["detailed"]),
        ("wants answers in depth", ["detailed"]),
        ("answers should be not too long", []),
        ("Please don't give brief answers", []),
        ("likes balanced answers", ["balanced"]),
        ("wants code with comments", ["commented"]),
        ("likes code without comments", ["minimal"]),
        ("Please comment your code", ["commented"]),
        ("explain code when asked", ["commented"]),
        ("Do not comment the code", []),
        ("Is a beginner in Python", ["beginner"]),
        ("Is an expert in Rust", ["expert"]),
        ("The user's son is a beginner at the piano", []),
        ("Anna is an expert", []),
        ("Wants everything in English", ["en"]),
        ("The user works in a French restaurant", []),
        ("The user's girlfriend speaks English", []),
        ("The user likes long walks", []),
        ("The user likes documented code with docstrings", ["documented"]),
        ("The user wants answers in French", ["fr"]),
        ("Reply to me in Japanese, please", ["ja"]),
        ("Don't answer in English", []),
        ("The user is learning Japanese", []),
        ("she met an expert", []),
        ("a short sword and a long road", []),
        (
            "The user is a beginner, wants detailed answers and speaks German",
            ["beginner", "detailed", "de"],
        ),
        ("用户是新手，喜欢详细的回答，请用英文回复", ["beginner", "detailed", "en"]),
    ],
)
def test_a_memory_tells(text: str, values: list[str]) -> None:
    assert list(preferences_in(text, "memory").values()) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("Please keep your answers short.", ["concise"], id="en length"),
        pytest.param("Your replies are too long!", ["concise"], id="en, too long"),
        pytest.param("Be brief.", ["concise"], id="en, be brief"),
        pytest.param("From now on in detail, please.", ["detailed"], id="en detail"),
        pytest.param("Your answers should be not too short", [], id="en, negated"),
        pytest.param("Please answer in French.", ["fr"], id="en language"),
        pytest.param("Don't answer in French.", [], id="en language, negated"),
        pytest.param("I'm a beginner in Python.", ["beginner"], id="en depth"),
        pytest.param("I want code with comments", ["commented"], id="en code"),
        pytest.param("Only the code, no comments please", ["minimal"], id="en minimal"),
        pytest.param("I like long walks.", [], id="en, another thing that is long"),
        pytest.param("Tell me in detail what the duke said.", [], id="en, for this once"),
        pytest.param("I speak German with my mother.", [], id="en, a language of the story"),
        pytest.param("请回答得简短一些。", ["concise"], id="zh length"),
        pytest.param("你的回复太长了", ["concise"], id="zh, too long"),
        pytest.param("以后说详细一点。", ["detailed"], id="zh detail"),
        pytest.param("回答别太简短", [], id="zh, negated"),
        pytest.param("请用英文回答我。", ["en"], id="zh language"),
        pytest.param("以后跟我说粤语吧", ["yue"], id="zh, another language"),
        pytest.param("我是编程新手。", ["beginner"], id="zh depth"),
        pytest.param("代码不要注释", ["minimal"], id="zh code"),
        pytest.param("我喜欢完整的故事。", [], id="zh, another thing that is whole"),
        pytest.param("请详细讲讲那场战斗。", [], id="zh, for this once"),
        pytest.param("他说英语。", [], id="zh, a language of the story"),
    ],
)
def test_what_the_user_says(text: str, values: list[str]) -> None:
    assert list(preferences_in(text, "message").values()) == values


def test_the_newer_of_a_memory_and_a_word_wins() -> None:
    memory = Memory(id="m", content="用户喜欢简洁的回答", created=DAY)
    word = Utterance("p", "Detailed answers, please.", DAY + timedelta(days=1))
    told = preferences([memory], "Lin", [word])
    assert [wish.source for wish in told.wishes] == ["p"]
    assert preferences([], "Lin", [word]).wishes == told.wishes
    assert not preferences([], "Lin", [Utterance("p", "Good morning!")])


def test_a_preference_by_tag_needs_no_other_words() -> None:
    tagged = Memory(id="a", content="简洁", tags=("偏好",))
    assert preferences([tagged]).wishes == (Preference("response_length", "concise", "a"),)
    assert not preferences([Memory(id="a", content="简洁")])


def test_the_newer_wins_and_the_older_is_named() -> None:
    older = Memory(id="z", content="用户喜欢简洁的回答", created=DAY)
    newer = Memory(
        id="a", content="The user prefers detailed answers", created=DAY + timedelta(days=1)
    )
    for known in ([older, newer], [newer, older]):
        told = preferences(known)
        assert told.wishes == (Preference("response_length", "detailed", "a"),)
        assert told.notes == ("response_length: 'z' gives way to the newer 'a'",)


def test_saying_the_same_again_overrules_nothing() -> None:
    known = [
        Memory(id=str(day), content="用户喜欢简洁的回答", created=DAY + timedelta(days=day))
        for day in range(3)
    ]
    assert preferences(known) == Preferences((Preference("response_length", "concise", "2"),))


@pytest.mark.parametrize(
    "memory",
    [
        pytest.param(
            Memory(id="a", content="我是资深猎人", type=MemoryType.TRAIT), id="what the role is"
        ),
        pytest.param(Memory(id="a", content="我是新手", subject="阿霞"), id="what a third is"),
        pytest.param(Memory(id="a", content="用户是新手", archived=True), id="what is archived"),
    ],
)
def test_only_the_users_wishes_count(memory: Memory) -> None:
    assert not preferences([memory], user="阿霖")


@pytest.mark.parametrize("subject", ["user", "用户", "Lin", "lin", "{{user}}"])
def test_the_user_is_known_by_name(subject: str) -> None:
    assert preferences(
        [Memory(id="a", content="我是新手", subject=subject, type=MemoryType.TRAIT)], user="Lin"
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_preference_no_block(language: str) -> None:
    assert (
        personalisation(preferences([Memory(id="a", content="灯塔在海边")]), language, TEMPLATES)
        == ""
    )
    assert (
        personalisation(
            Preferences((Preference("response_length", "balanced", "a"),)), language, TEMPLATES
        )
        == ""
    )


def test_what_is_said_in_the_prompt() -> None:
    told = preferences(
        [Memory(id="a", content="用户是新手"), Memory(id="b", content="请用英文回答")]
    )
    assert (
        personalisation(told, "zh", TEMPLATES)
        == "用户希望这样的回答方式：\n- 用户是初学者：从基础讲起，用语浅显，第一次出现的术语要解释。\n- 请用英语回答。"
    )
    assert personalisation(told, "en", TEMPLATES).endswith("- Answer in English.")
