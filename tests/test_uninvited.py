"""What ordinary talk wakes of older chats, while little is known and when the story's names come up; through the engine, by words alone."""

from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, Message, RoleMemory

BY_WORDS: dict[str, Any] = {"embedding.backend": "off", "learn.enabled": False}
TALK = {
    "en": [
        ("I'm looking for passage to Port Merrow.", "Three days, with fair wind."),
        ("My brother sits in the jail there.", "And is he guilty?"),
        ("No. His partner planted the seal, Jory Finch.", "Keep that to yourself."),
        ("I get terribly seasick, by the way.", "Old Bettany has ginger root in the galley."),
        ("Who is the boy with the drum?", "That's Pip. He was floating on a barrel."),
        ("I'll teach him his letters.", "Nobody has taken the trouble before."),
    ],
    "zh": [
        ("我要去临江投奔姑姑。", "水路三日便到。"),
        ("我爹被人打断了腿，还欠了钱。", "盐帮的胡四爷？这人不好惹。"),
        ("他还要拿我妹妹抵债。", "我在那边有个旧识，可以递句话。"),
        ("妹妹怕黑，夜里要点着灯才睡得着。", "好，我让人多备些灯油。"),
        ("墙上这把剑是哪来的？", "故人所赠，名唤听雨。"),
        ("明早卯时能叫醒我吗？", "让伙计去敲门。"),
    ],
}
OTHERS = {"en": "The harbour clerk counted {} crates of oranges.", "zh": "账房又点了{}箱橘子。"}


def lived(home: Home, language: str, name: str = "Vane") -> RoleMemory:
    role = home.create(name)
    for said, reply in TALK[language]:
        role.observe([Message.user(said)], reply, chat="ship", user="tessa")
    return role


def woken(role: RoleMemory, message: str) -> str:
    return role.recall([message], chat="new", user="tessa", dry_run=True).text


@pytest.mark.parametrize(
    ("language", "message", "told"),
    [
        pytest.param("en", "Finch escaped.", "Jory Finch", id="a person"),
        pytest.param("en", "Pip looks taller.", "floating on a barrel", id="another"),
        pytest.param("zh", "胡四爷又来找麻烦了。", "这人不好惹", id="人名"),
    ],
)
def test_a_name_of_the_story_wakes_what_was_said_of_it(
    tmp_path: Path, language: str, message: str, told: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        assert told in woken(lived(home, language), message)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("Lovely weather, isn't it?", id="weather"),
        pytest.param("*sits down and sighs*", id="a gesture"),
        pytest.param("Thank you, Vane.", id="who is spoken to"),
        pytest.param("今天天真好啊。", id="天气"),
        pytest.param("哈哈哈，不说了。", id="笑"),
    ],
)
@pytest.mark.parametrize("language", TALK)
def test_talk_about_nothing_of_it_wakes_nothing(
    tmp_path: Path, language: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        assert woken(lived(home, language), message) == ""


@pytest.mark.parametrize(
    ("language", "message", "told"),
    [
        pytest.param(
            "en",
            "I dreamed of my brother.",
            "My brother sits",
            id="English",
        ),
        pytest.param("zh", "妹妹夜里又做噩梦了。", "妹妹怕黑", id="中文"),
    ],
)
def test_while_little_is_known_less_is_asked_of_what_comes_uninvited(
    tmp_path: Path, language: str, message: str, told: str
) -> None:
    """The same passage is told while it is one of a few, and not when whoever asks may hear many others; what another heard counts for nothing."""
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, language)
        assert told in woken(role, message)
        for user in ("eve", "tessa"):
            before = woken(role, message)
            said = [Message.user(OTHERS[language].format(n)) for n in range(3000)]
            role.observe(said, chat=f"of {user}", user=user)
            assert (woken(role, message) == before) == (user == "eve")


@pytest.mark.parametrize(
    ("language", "name", "asked", "addressing"),
    [
        pytest.param(
            *("en", "Vane", "Where is my brother?"),
            (
                "Vane, where is my brother?",
                "Where is my brother, vane?",
                "Hey Vane! Where is my brother?",
            ),
            id="English",
        ),
        pytest.param(
            *("zh", "沈晚", "我妹妹怕什么？"),
            ("沈晚，我妹妹怕什么？", "我妹妹怕什么，沈晚？", "喂沈晚！我妹妹怕什么？"),
            id="中文",
        ),
    ],
)
def test_the_name_of_who_is_asked_brings_none_of_what_they_said(
    tmp_path: Path, language: str, name: str, asked: str, addressing: tuple[str, ...]
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = lived(home, language, name)
        wanted = [one.memory.content for one in role.recall(asked, user="tessa").recalled]
        assert wanted
        for message in addressing:
            found = role.recall(message, user="tessa").recalled
            assert [one.memory.content for one in found] == wanted, message


BY_TITLE = {
    "en": (
        ("Captain, I lost my compass.", "Good evening, captain. My knee hurts.", "Aye, captain."),
        (
            "Thank you, captain.",
            "Captain, did you sleep well?",
            "Do you like dancing, captain?",
            "Hello again, captain! Do you ever dream?",
        ),
        "Captain, where is my compass?",
        "I lost my compass",
    ),
    "zh": (
        ("师姐，我的罗盘丢了。", "师姐早。我膝盖疼。", "好的师姐。"),
        ("谢谢师姐。", "师姐你昨晚睡得好吗？", "你爱跳舞吗，师姐？", "师姐好！会做梦吗？"),
        "师姐，我的罗盘呢？",
        "罗盘丢了",
    ),
}


@pytest.mark.parametrize("language", BY_TITLE)
def test_the_title_of_who_is_spoken_to_wakes_nothing_of_what_was_said_to_them(
    tmp_path: Path, language: str
) -> None:
    told, calling, asked, answer = BY_TITLE[language]
    with Home.open(tmp_path, BY_WORDS) as home:
        role = home.create("Vane")
        for said in told:
            role.observe([Message.user(said)], "Hm.", chat=said, user="tessa")
        for message in calling:
            assert not role.recall([message], chat="new", user="tessa").recalled, message
        assert answer in woken(role, asked)


KIN = {
    "en": [
        ("My grandfather carved flutes.", "What did my grandad do?"),
        ("My aunt keeps bees.", "What does my auntie keep?"),
        ("The doctor wears a red scarf.", "What does the doc wear?"),
    ],
    "zh": [
        ("我娘会绣荷包。", "我妈妈会做什么？"),
        ("我爸爸做笛子。", "我父亲会做什么？"),
        ("镇上的大夫戴红围巾。", "医生戴什么？"),
        ("我闺女在学笛子。", "我女儿在学什么？"),
    ],
}


@pytest.mark.parametrize(("told", "message"), [pair for pairs in KIN.values() for pair in pairs])
def test_who_is_called_by_another_word_for_the_same_is_remembered(
    tmp_path: Path, told: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = home.create("Vane")
        role.observe([Message.user(told)], "Hm.", chat="ship", user="tessa")
        assert told in woken(role, message)


ONE_CHARACTER = [
    ("我小时候在雪地里捡到过一只白鹤，一直养到今年春天才放走，它还会学人说话。", "鹤怎么不见了？"),
    ("这几年我天不亮就起来，在后院的亭子里练两个时辰的琴，邻居都嫌吵。", "你说我练得怎么样？"),
    ("下周我们博物馆里有个明代仕女图的展，光是修复就花了我大半年。", "那个展怎么样了？"),
    ("药铺的掌柜托人带来一封信，说那味药材要等到入冬才有货。", "有信来吗？"),
]


@pytest.mark.parametrize(("told", "message"), ONE_CHARACTER)
def test_a_chinese_word_of_one_character_is_enough_where_it_is_the_whole_topic(
    tmp_path: Path, told: str, message: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = home.create("沈晚")
        for said in (told, "我爱吃桂花糕。", "把门关上好吗？"):
            role.observe([Message.user(said)], "嗯。", chat=said, user="tessa")
        found = role.recall([message], chat="new", user="tessa").recalled
    assert [one.memory.content for one in found] == [told]


def test_the_ending_of_here_and_there_is_no_word_in_common(tmp_path: Path) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = home.create("沈晚")
        for said in ("你把这东西放我这儿？", "我换了一把新伞。", "咱们那儿下雪了。"):
            role.observe([Message.user(said)], "嗯。", chat=said, user="tessa")
        found = role.recall(["我的伞放哪儿了？"], chat="new", user="tessa").recalled
    assert [one.memory.content for one in found] == ["我换了一把新伞。"]


@pytest.mark.parametrize(
    ("told", "untimed", "now", "over"),
    [
        pytest.param(
            "I am afraid of thunder.",
            "It thunders outside.",
            "It thunders today.",
            "Yesterday it thundered.",
            id="English",
        ),
        pytest.param(
            "我从小就怕打雷。",
            "外面打雷了。",
            "今天打雷了。",
            "昨天打雷了。",
            id="中文",
        ),
    ],
)
def test_naming_the_present_asks_no_more_of_what_comes_uninvited(
    tmp_path: Path, told: str, untimed: str, now: str, over: str
) -> None:
    with Home.open(tmp_path, BY_WORDS) as home:
        role = home.create("Vane")
        role.observe([Message.user(told)], "Hm.", chat="ship", user="tessa", now="2026-01-04")
        for message, comes in ((untimed, True), (now, True), (over, False)):
            turn = role.recall([message], chat="new", user="tessa", now="2026-03-08", dry_run=True)
            assert bool(turn.recalled) is comes, message
