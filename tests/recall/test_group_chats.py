"""Questions about somebody who is present, in a chat of several people."""

from pathlib import Path

import pytest

from rolememory import Home, Message

ENGLISH = """
Tove: The oars are drying.
Lin: Garrick burned his hand at the forge and hides it from you.
Garrick: Who wants the last herring?
Mira: Not I.
Garrick: The smoke is thick tonight.
Tove: Leave the door open.
Garrick: I never wanted to be a smith, the sea was my love.
Mira: We know.
Garrick: Somebody took my cap.
Lin: It is under the bench.
"""
CHINESE = """
阿桃: 船桨还在晾。
林: 石磊在铁匠铺烫伤了手，瞒着你呢。
石磊: 最后一条鲱鱼谁要？
米拉: 我不要。
石磊: 今晚烟真大。
阿桃: 把门开着吧。
石磊: 我从来不想当铁匠，我爱的是海。
米拉: 我们知道。
石磊: 谁拿了我的帽子？
林: 在长凳底下。
"""


def said(line: str) -> Message:
    who, _, text = line.partition(": ")
    make = Message.assistant if who in ("Mira", "米拉") else Message.user
    return make(text, name=who)


def recalled(folder: Path, chat: str, query: str, user: str, char: str) -> list[str]:
    messages = list(map(said, chat.strip().splitlines()))
    here = {one.name or "" for one in messages} - {char}
    with Home.open(folder, {"embedding.backend": "off"}) as home:
        role = home.create(char)
        role.observe(messages, chat="inn", user=user, present=here)
        window = [*messages[-3:], Message.user(query, name=user)]
        turn = role.recall(window, chat="inn", user=user, present=here)
    return [one.memory.content for one in turn.recalled]


@pytest.mark.parametrize(
    ("chat", "query", "user", "char", "tells", "other"),
    [
        pytest.param(
            ENGLISH,
            "Garrick is slow today. Do you know why?",
            "Lin",
            "Mira",
            "hand",
            "cap",
            id="en",
        ),
        pytest.param(
            CHINESE, "石磊今天真慢，你知道为什么吗？", "林", "米拉", "手", "帽子", id="zh"
        ),
    ],
)
def test_a_name_finds_what_tells_of_them_rather_than_all_that_they_say(
    tmp_path: Path, chat: str, query: str, user: str, char: str, tells: str, other: str
) -> None:
    found = recalled(tmp_path, chat, query, user, char)
    assert any(tells in one for one in found)
    assert not any(other in one for one in found)


@pytest.mark.parametrize(
    ("chat", "query", "user", "char", "tells"),
    [
        pytest.param(ENGLISH, "Did Garrick want to be a smith?", "Lin", "Mira", "sea", id="en"),
        pytest.param(CHINESE, "石磊想当铁匠吗？", "林", "米拉", "海", id="zh"),
    ],
)
def test_what_they_say_of_themselves_is_found_by_the_other_words(
    tmp_path: Path, chat: str, query: str, user: str, char: str, tells: str
) -> None:
    assert any(tells in one for one in recalled(tmp_path, chat, query, user, char))


@pytest.mark.parametrize(
    ("chat", "call", "query", "user", "char", "tells"),
    [
        pytest.param(
            ENGLISH,
            "Tove: Garrick?",
            "Garrick is slow today. Do you know why?",
            "Lin",
            "Mira",
            "hand",
            id="en",
        ),
        pytest.param(
            CHINESE,
            "阿桃: 石磊？",
            "石磊今天真慢，你知道为什么吗？",
            "林",
            "米拉",
            "手",
            id="zh",
        ),
    ],
)
def test_a_name_that_is_called_again_and_again_still_finds_what_is_told(
    tmp_path: Path, chat: str, call: str, query: str, user: str, char: str, tells: str
) -> None:
    often = "\n".join([call] * 200)
    found = recalled(tmp_path, f"{often}\n{chat.strip()}", query, user, char)
    assert any(tells in one for one in found)
