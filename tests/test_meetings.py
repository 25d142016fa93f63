"""When those who talk first met, and where they left off: through the engine, by words alone."""

from pathlib import Path

import pytest

from rolememory import Home, Message
from tests.test_uninvited import BY_WORDS, lived, woken

FIRST = {"en": "Port Merrow", "zh": "临江"}
LATEST = {"en": "teach him his letters", "zh": "叫醒我"}
AT_FIRST = {
    "en": ["How did we meet?", "Do you remember the first time we talked? I was a stranger."],
    "zh": ["我们是怎么认识的？", "还记得第一次见到我的时候吗？我那时还是个生人。"],
}
AT_LAST = {
    "en": ["Where did we leave off?", "Let us go on where we left off."],
    "zh": ["上次我们聊到哪了？", "接着上回说到哪儿那里讲吧。"],
}


WHO_AM_I = {
    "en": ["Do you remember me?", "You have not forgotten me, have you?", "You forgot me."],
    "zh": ["你还记得我吗？", "又见面了。你不会把我忘了吧？", "你终于认出我了。"],
}
OF_OTHERS = {
    "en": [
        "My grandmother has forgotten me.",
        "In the end she recognised me.",
        "They heard of me.",
    ],
    "zh": ["外婆忽然认出我了。", "守门的大爷居然还记得我。", "他们问我是谁。", "那伙人又来了。"],
}
BACK = {
    "en": ["*I step off the ladder.* I'm back!", "Long time no see, Vane."],
    "zh": ["*推门进来* 掌柜的，我来啦。", "好久不见。"],
}
OF_ME = {"en": "Tessa plays the fiddle.", "zh": "泰莎会拉小提琴。"}


def asked(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, message) for language, row in table.items() for message in row]


@pytest.mark.parametrize(("language", "message"), asked(AT_FIRST))
def test_who_asks_for_the_first_meeting_hears_how_it_began(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        text = lived(home, language).recall([message], chat="new", user="tessa").text
    assert FIRST[language] in text
    assert LATEST[language] not in text


@pytest.mark.parametrize(("language", "message"), asked(AT_LAST))
def test_who_asks_for_the_last_meeting_hears_how_it_ended_and_not_what_was_said_just_now(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, language)
        role.observe([Message.user("Gulls!")], "Loud ones.", chat="new", user="tessa")
        turn = role.recall([message], chat="new", user="tessa")
    assert LATEST[language] in turn.text
    assert FIRST[language] not in turn.text
    assert "Gulls" not in turn.text


@pytest.mark.parametrize(
    ("language", "message"), asked(AT_FIRST) + asked(AT_LAST) + asked(WHO_AM_I)
)
def test_nobody_hears_of_a_meeting_of_others(tmp_path: Path, language: str, message: str) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        assert not lived(home, language).recall([message], chat="new", user="ann").recalled


@pytest.mark.parametrize(("language", "message"), asked(WHO_AM_I))
def test_who_asks_whether_they_are_known_hears_of_both_and_what_is_known_of_them(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, language)
        role.remember(OF_ME[language], "semantic", subject="tessa")
        role.remember("Elin keeps bees.", "semantic", subject="Elin")
        text = role.recall([message], chat="new", user="tessa").text
    assert all(told[language] in text for told in (FIRST, LATEST, OF_ME))
    assert "Elin" not in text


@pytest.mark.parametrize(("language", "message"), asked(OF_OTHERS))
def test_who_tells_that_somebody_else_knew_them_asks_for_no_meeting(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        assert not lived(home, language).recall([message], chat="new", user="tessa").recalled


@pytest.mark.parametrize(("language", "message"), asked(BACK))
def test_who_returns_is_remembered_by_how_the_last_talk_ended_and_only_at_the_door(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, language)
        begun = [Message.user("Gulls!"), Message.assistant("Loud ones."), Message.user(message)]
        assert LATEST[language] in woken(role, message)
        assert FIRST[language] not in woken(role, message)
        assert not role.recall(begun, chat="new", user="tessa").recalled
        role.observe(begun[:2], chat="new", user="tessa")
        assert not role.recall([message], chat="new", user="tessa").recalled


def test_the_meetings_are_found_behind_hundreds_of_lines(tmp_path: Path) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, "en")
        for number in range(130):
            said = Message.user(f"Crate {number} is on board.")
            role.observe([said], f"Tick {number}.", chat=f"day {number // 20}", user="tessa")
        first = role.recall([AT_FIRST["en"][0]], chat="new", user="tessa").text
        last = role.recall([AT_LAST["en"][0]], chat="new", user="tessa").text
    assert FIRST["en"] in first
    assert "Crate 129" in last
    assert "Crate 100" not in last
