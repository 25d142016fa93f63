"""A name that the talk has just come to recalls what was said of its bearer, though nobody asks."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rolememory import Home, Message, RoleMemory
from tests.recall.chatter import CHATTER

TOLD = {
    "Mira": [
        "Finn stole my horse last month.",
        "The old mill belongs to my cousin Maren, a carpenter.",
        "Brandt owes me three hundred silver.",
        "Bye for now, I have to mend the nets.",
    ],
    "沈晚": [
        "阿飞上个月偷了我的马。",
        "林妙是我在青州的表妹，做木匠活的。",
        "陈默欠我三百两银子。",
        "我很高兴今天能出门钓鱼。",
    ],
}
CASES = [
    ("Mira", "Finn is back.", "horse", "Nobody likes Finn."),
    ("Mira", "I ran into Maren today.", "carpenter", "Nobody likes Maren."),
    ("Mira", "Brandt's horse is lame.", "silver", "Nobody likes Brandt."),
    ("沈晚", "阿飞回来了。", "马", "没人喜欢阿飞。"),
    ("沈晚", "我今天碰到林妙了。", "木匠", "没人喜欢林妙。"),
    ("沈晚", "陈默今晚请客。", "银子", "没人喜欢陈默。"),
]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as opened:
        yield opened


def role_of(home: Home, name: str, told: Sequence[str]) -> RoleMemory:
    role = home.create(name)
    for chat, texts in {"once": told, "since": CHATTER[name]}.items():
        role.observe([Message.user(text, name="lin") for text in texts], chat=chat, user="lin")
    return role


def lines(role: RoleMemory, window: Sequence[str]) -> list[str]:
    turn = role.recall(list(map(Message.user, window)), chat="now", user="lin")
    return [one.memory.content for one in turn.recalled]


@pytest.mark.parametrize(("name", "message", "tells", "before"), CASES)
def test_a_name_that_is_new_in_the_talk_recalls_what_was_said_of_it(
    home: Home, name: str, message: str, tells: str, before: str
) -> None:
    (line,) = lines(role_of(home, name, TOLD[name]), ["...", message])
    assert tells in line, before


@pytest.mark.parametrize(("name", "message", "tells", "before"), CASES)
def test_a_name_that_the_talk_has_already_recalls_nothing_by_itself(
    home: Home, name: str, message: str, tells: str, before: str
) -> None:
    assert not lines(role_of(home, name, TOLD[name]), [before, message]), tells


PET_NAMES = [
    ("墨儿回来了。", "马"),
    ("我今天碰见小墨了，他瘦了不少。", "马"),
    ("阿墨又做了什么好事？", "马"),
    ("姓陆的又来了。", "银子"),
    ("老陆还欠我银子吗？", "银子"),
    ("陆家的人昨天来过。", "银子"),
    ("嵐兒回來了。", "銀兩"),
    ("姓蘇的又來了。", "客棧"),
]


@pytest.mark.parametrize(("message", "tells"), PET_NAMES)
@pytest.mark.parametrize("kept", [False, True], ids=["said", "kept as a memory"])
def test_a_short_form_of_a_chinese_name_recalls_what_is_known_of_its_bearer(
    home: Home, message: str, tells: str, kept: bool
) -> None:
    told = [
        "沈墨上个月偷了我的马，卖到了青州。",
        "陆沉欠我三百两银子，一直没还。",
        "葉嵐把我的銀兩藏在井裡。",
        "蘇鐸在渡口開了一家客棧。",
    ]
    role = role_of(home, "沈晚", [] if kept else told)
    for text in told if kept else ():
        role.remember(text)
    assert tells in lines(role, ["今晚月色不错。", message])[0]


def test_a_short_form_of_the_characters_name_brings_nothing_said_to_them(home: Home) -> None:
    told = ["沈晚，我把马卖了。", "沈晚，我欠陈默三百两银子。"]
    assert not lines(role_of(home, "沈晚", told), ["...", "晚儿，早。"])


@pytest.mark.parametrize(
    "message", ["墨水用完了。", "小金鱼死了。", "这儿没有墨迹。", "陆路不通。"]
)
def test_a_character_that_calls_nobody_recalls_nobody(home: Home, message: str) -> None:
    told = ["沈墨上个月偷了我的马，卖到了青州。", "金朵儿欠我三百两银子，一直没还。"]
    assert not lines(role_of(home, "沈晚", told), ["今晚月色不错。", message])


@pytest.mark.parametrize(
    ("name", "message"), [("Mira", "Take care. Bye!"), ("沈晚", "今天好开心。")]
)
def test_a_word_that_is_no_name_recalls_nothing(home: Home, name: str, message: str) -> None:
    assert not lines(role_of(home, name, TOLD[name]), [message])


@pytest.mark.parametrize(
    ("name", "message", "about"),
    [
        ("Mira", "Finn is back.", "The other day I heard at the market that Finn {} once more."),
        (
            "沈晚",
            "阿飞回来了，带着一身泥和两条鱼。",
            "前几天我在集市上听说阿飞又{}，没人觉得奇怪。",
        ),
    ],
)
def test_a_name_alone_recalls_two_passages(home: Home, name: str, message: str, about: str) -> None:
    deeds = {
        "Mira": ["stole my horse", "sings at weddings", "fears the dark", "built that bridge"],
        "沈晚": ["偷了我的马", "在婚礼上唱歌", "怕黑", "修了那座桥"],
    }
    told = [about.format(deed) for deed in deeds[name]]
    assert len(lines(role_of(home, name, told), [message])) == 2
