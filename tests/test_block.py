"""How the block plays: what is always there stands still after the character, what a turn brings stands near the end."""

from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, Message
from rolememory.recall.turn import Turn

QUIET: dict[str, Any] = {"embedding.backend": "off", "learn.enabled": False}
TALK = {
    "en": {
        "oath": "Wind the lamp every four hours.",
        "told": "I hid the map under the third hearthstone.",
        "swiped": "I burned the map at dawn.",
        "ask": "Where is the map hidden?",
        "idle": "Shall we have some tea?",
    },
    "zh": {
        "oath": "每四个时辰给大灯上一次弦。",
        "told": "我把地图藏在第三块炉石下面了。",
        "swiped": "天亮时我把地图烧掉了。",
        "ask": "地图藏在哪里？",
        "idle": "要不要喝杯茶？",
    },
}
LANGUAGES = tuple(TALK)


def texts(turn: Turn) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in turn.messages]


def told(turn: Turn, position: str) -> str:
    return "".join(one.text for one in turn.parts if one.position == position)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_constant_stands_before_the_history_and_the_rest_near_the_end(
    tmp_path: Path, language: str
) -> None:
    say = TALK[language]
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.remember(say["oath"], "goal", constant=True)
        mira.observe([Message.user(say["told"])], chat="old", user="lin")
        chat = [Message.system("You are Mira."), Message.user("..."), Message.assistant("...")]
        turn = mira.recall([*chat, Message.user(say["ask"])], chat="new", user="lin")
        at = [index for index, (_, text) in enumerate(texts(turn)) if "<rolememory>" in text]
        assert at == [1, 4]
        assert say["oath"] in texts(turn)[1][1]
        assert say["told"] in texts(turn)[4][1]
        assert turn.text == f"{texts(turn)[1][1]}\n\n{texts(turn)[4][1]}"
        together = mira.recall(
            [*chat, Message.user(say["ask"])],
            chat="new",
            user="lin",
            settings={"inject.position": "system"},
        )
        assert together.text.count("<rolememory>") == 1
        assert [one.text for one in together.parts] == [together.text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_stable_part_stays_the_same_bytes_whatever_is_talked_about(
    tmp_path: Path, language: str
) -> None:
    say, other = TALK[language], TALK["zh" if language == "en" else "en"]
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        for number in range(30):
            mira.remember(f"{say['oath']} {number}", "goal", constant=True)
        mira.observe([Message.user(say["told"])], chat="old", user="lin")
        found, chat = set[str](), list[Message]()
        for number in range(12):
            asked = (say["ask"], say["idle"], say["oath"], other["idle"])[number % 4]
            turn = mira.recall([*chat, Message.user(asked)], chat="new", user="lin")
            chat += [Message.user(asked), Message.assistant(f"{number}.")]
            mira.observe(chat, chat="new", user="lin")
            found.add(told(turn, "system"))
            assert len(turn.text) <= home.settings.budget.max_total_length
        (stable,) = found
        assert stable.count(say["oath"]) > 10


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pin_is_there_on_every_turn_and_follows_what_stands_in_its_place(
    tmp_path: Path, language: str, role: str
) -> None:
    say = TALK[language]

    def chat(text: str) -> list[Message]:
        said = Message.user(text) if role == "user" else Message.assistant(text)
        return [Message.user("..."), Message.assistant("..."), Message.user("!"), said][
            (role == "user") :
        ]

    def idle(home: Home, **who: Any) -> str:
        settings = {"recall.passages.uninvited": 0}
        turn = home.role("Mira").recall([say["idle"]], chat="new", **who, settings=settings)
        assert all(one.memory.constant for one in turn.recalled)
        return told(turn, "system")

    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.observe(chat(say["told"]), chat="old", user="lin")
        (pinned,) = (
            one for one in mira.search(say["ask"], user="lin") if say["told"] in one.memory.content
        )
        assert not idle(home, user="lin")
        mira.edit(pinned.memory.id, constant=True)
        assert say["told"] in idle(home, user="lin")
        assert not idle(home, user="bob"), "who was not there does not hear it"
        assert mira.memories == {}, "it is no memory"
    with Home.open(tmp_path, QUIET) as home:
        mira = home.role("Mira")
        assert say["told"] in idle(home, user="lin"), "a restart keeps it"
        mira.observe(chat(say["swiped"]), chat="old", user="lin")
        assert say["swiped"] in idle(home, user="lin")
        assert say["told"] not in idle(home, user="lin")
        mira.observe(chat(say["told"]), chat="old", user="lin")
        assert say["told"] in idle(home, user="lin"), "the version that returns is pinned as well"
        mira.unpin(pinned.memory.id)
        assert not idle(home, user="lin")


@pytest.mark.parametrize("language", TALK)
def test_a_pin_behind_the_last_passage_of_its_message_holds_that(
    tmp_path: Path, language: str
) -> None:
    say = TALK[language]
    long = "".join(f"{say['swiped']} {number}. " for number in range(20))
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.observe([Message.user(f"{long}\n\n{say['told']}")], "!", chat="old", user="lin")
        (last,) = (
            one.memory.id
            for one in mira.search(say["ask"], user="lin", limit=50)
            if say["told"] in one.memory.content
        )
        mira.pin(last)
        mira.observe([Message.user(say["told"])], "!", chat="old", user="lin")
        settings = {"recall.passages.uninvited": 0}
        turn = mira.recall([say["idle"]], chat="new", user="lin", settings=settings)
        assert say["told"] in told(turn, "system")


def test_a_pinned_line_that_is_visible_is_not_repeated(tmp_path: Path) -> None:
    say = TALK["en"]
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        chat = [Message.user(say["told"]), Message.assistant("Good.")]
        mira.observe(chat, chat="old", user="lin")
        (one,) = (
            one for one in mira.search(say["ask"], user="lin") if say["told"] in one.memory.content
        )
        mira.pin(one.memory.id)
        turn = mira.recall([*chat, Message.user(say["idle"])], chat="old", user="lin")
        assert not turn.text


REST = {
    "en": (
        "My sister Anna keeps bees in Riga.",
        "I was thinking of Anna and her bees in Riga today.",
        "The ferry horn sounds across the quay.",
        "What does my sister Anna keep in Riga?",
    ),
    "zh": (
        "我妹妹安娜在里加养蜜蜂。",
        "今天我又想起了在里加养蜜蜂的妹妹安娜。",
        "渡轮的汽笛在码头那边响了。",
        "我妹妹安娜在里加养什么？",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_left_the_prompt_rests_unless_somebody_asks(tmp_path: Path, language: str) -> None:
    fact, touch, other, ask = REST[language]
    rules = {
        **QUIET,
        "recall.passages.rest": 3,
        "recall.passages.uninvited_threshold": 0.5,
        "triggers.semantic.context": 0.0,
    }
    with Home.open(tmp_path, rules) as home:
        mira = home.create("Mira")
        mira.observe([Message.user(fact)], chat="old", user="lin")
        chat: list[Message] = []

        def turn(said: str, *, swipes: int = 0) -> bool:
            messages = [*chat, Message.user(said)]
            there = fact in mira.recall(messages, chat="new", user="lin").text
            for number in range(swipes):
                mira.observe([*messages, Message.assistant(f"{number}!")], chat="new", user="lin")
                assert (fact in mira.recall(messages, chat="new", user="lin").text) is there
            chat.extend((Message.user(said), Message.assistant("Hm.")))
            mira.observe(chat, chat="new", user="lin")
            return there

        touched = [touch[:-1] + mark for mark in (".", "!", "…", "~", " .", " !")]
        assert turn(touched[0], swipes=2)
        assert not turn(other, swipes=2)
        assert not turn(touched[1], swipes=2), "it rests, swipe after swipe"
        assert turn(ask), "a question brings it back"
        assert not turn(other)
        assert not turn(touched[2])
    with Home.open(tmp_path, rules) as home:
        mira = home.role("Mira")
        assert not turn(touched[3]), "a restart does not wake it"
        assert not turn(other)
        assert turn(touched[4]), "three turns are over"
        hits = mira.search(ask, user="lin")
        id_ = next(one.memory.id for one in hits if one.memory.content == fact)
        assert not turn(other)
        told = mira.recall([*chat, Message.user(touched[5])], chat="new", user="lin")
        assert "recall.passages.rest" in str(told.explain(id_))


def test_what_is_kept_about_resting_is_bounded(tmp_path: Path) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        names = [f"Name{number}" for number in range(60)]
        facts = [Message.user(f"My cousin {name} keeps {name}'s bees.") for name in names]
        mira.observe(
            [one for fact in facts for one in (fact, Message.assistant("."))],
            chat="old",
            user="lin",
        )
        states = []
        for number, name in enumerate(names):
            ask = f"What does my cousin {name} keep?"
            assert name in mira.recall([ask], chat="new", user="lin", unseen=number * 2).text
            held = mira.parts.context.pipeline.chats.of("new").held
            states.append((len(held["left"]), len(held["last"])))
        assert max(states[30:]) <= max(states[:30])


UNTOLD = {
    "en": (
        "Do you remember what I said about the violin?",
        "Mira's mind",
        "I pour us both some tea.",
    ),
    "zh": ("你还记得我说过小提琴的事吗？", "Mira想不起", "我给咱们俩倒了杯茶。"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_about_the_past_that_finds_nothing_may_say_so(
    tmp_path: Path, language: str
) -> None:
    ask, line, idle = UNTOLD[language]
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.observe([Message.user(TALK[language]["told"])], chat="old", user="lin")

        def text(said: str, **settings: Any) -> str:
            return mira.recall([said], chat="new", user="lin", settings=settings).text

        assert line in text(ask)
        assert len(text(ask).splitlines()) == 3
        assert not text(idle)
        assert line not in text(TALK[language]["ask"]), "something is found"
        assert not text(ask, **{"inject.untold": False})
        assert not text(ask, **{"recall.enabled": False})
        mira.remember(TALK[language]["oath"], constant=True)
        assert line in text(ask), "what is always there is no answer"
        told = mira.recall([ask], chat="new", user="lin").messages
        assert line in told[1].content
        assert told[1].role == "system"


@pytest.mark.parametrize("preset", ["koishi", "anh", "assistant", "local_chat", "agent"])
def test_designs_that_say_nothing_where_nothing_is_known(tmp_path: Path, preset: str) -> None:
    with Home.open(tmp_path, {**QUIET, "preset": preset}) as home:
        mira = home.create("Mira")
        assert mira.recall([UNTOLD["en"][0]], chat="new", user="lin").text == ""


def test_what_is_visible_is_not_said_to_be_unknown(tmp_path: Path) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        chat = [Message.user("I sold the violin to Rose."), Message.assistant("A pity.")]
        mira.observe(chat, chat="new", user="lin")
        turn = mira.recall([*chat, UNTOLD["en"][0]], chat="new", user="lin")
        assert turn.text == ""


LIKED = {
    "en": ("Please keep your answers short.", "Keep answers short", "Bob's letters are short."),
    "zh": ("以后请你回答简短一点。", "简", "鲍勃的信写得很简短。"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_somebody_wants_to_be_answered_is_known_from_what_they_said(
    tmp_path: Path, language: str
) -> None:
    wish, line, other = LIKED[language]
    with Home.open(tmp_path, {**QUIET, "inject.preferences": True}) as home:
        mira = home.create("Mira")

        def persona(user: str) -> str:
            return mira.recall([TALK[language]["idle"]], chat="new", user=user).persona

        mira.observe([Message.user(other), Message.assistant(wish)], chat="old", user="lin")
        assert not persona("lin"), "neither a story nor the character's words are a wish"
        mira.observe([Message.user(wish)], chat="older", user="lin")
        assert line in persona("lin")
        assert not persona("bob")


@pytest.mark.parametrize(
    ("said", "reply", "ask"),
    [
        pytest.param(
            "Shall we eat?", "Very well, said Mira.", "What can't I eat?", id="in English"
        ),
        pytest.param("我们晚上去吃鱼吗？", "好，就吃鱼。", "我不能吃什么鱼？", id="in Chinese"),
        pytest.param(
            "Shall we eat? I starve.", "Very well, said Mira.", "What can't I eat?", id="a remark"
        ),
        pytest.param(
            "晚上去吃鱼吗？我饿了。", "好，就吃鱼。", "我不能吃什么鱼？", id="zh: a remark"
        ),
    ],
)
def test_a_question_that_stands_beside_its_answer_is_told_once(
    tmp_path: Path, said: str, reply: str, ask: str
) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.observe([Message.user(said), Message.assistant(reply)], chat="old", user="lin")
        turn = mira.recall(ask, chat="new", user="lin")
        assert {one.memory.content for one in turn.recalled} == {said, reply}
        assert turn.text.count(said[:6]) == 1
        assert reply in turn.text


def test_nothing_stands_behind_a_reply_that_is_continued(tmp_path: Path) -> None:
    with Home.open(tmp_path, {"embedding.backend": "off", "inject.depth": 0}) as home:
        mira = home.create("Mira")
        mira.remember("The beacon failed in the storm of 1887.", keys=["beacon"])
        asked = [Message.user("Why is the beacon dark?")]
        turn = mira.recall(asked, user="lin")
        assert [one.role for one in turn.messages] == ["user", "system"]
        begun = [*asked, Message.assistant("Well, you see,")]
        turn = mira.recall(begun, user="lin", generation="continue")
        assert [one.role for one in turn.messages] == ["user", "system", "assistant"]


@pytest.mark.parametrize(
    ("known", "ask"),
    [
        ("I am allergic to nuts.", "Am I allergic to nuts?"),
        ("The beacon burns whale oil.", "Is it so that the beacon burns whale oil?"),
        ("我对花生过敏。", "我对花生过敏吗？"),
        ("灯塔烧的是鲸油。", "灯塔烧的是鲸油，对吗？"),
    ],
)
def test_who_asks_whether_something_is_so_hears_that_it_is(
    tmp_path: Path, known: str, ask: str
) -> None:
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.remember(known, id="known", user="lin")
        for said, told in (([ask], ["known"]), ([known, "Hm.", ask], [])):
            roles = ("user", "assistant", "user")
            chat = [Message(role=role, content=one) for role, one in zip(roles, said, strict=False)]
            turn = mira.recall(chat, chat="new", user="lin", dry_run=True)
            assert [one.memory.id for one in turn.recalled] == told


def test_a_swipe_gets_the_block_that_the_turn_had(tmp_path: Path) -> None:
    said = ["Jory Finch planted the seal.", "Jory Finch sleeps at the mill.", "Finch rides a mare."]
    with Home.open(tmp_path, QUIET) as home:
        mira = home.create("Mira")
        mira.observe(list(map(Message.user, said)), chat="old", user="lin")
        talk, fewer = ["Finch is at the mill again."], {"recall.passages.uninvited": 1}
        first = mira.recall(talk, chat="new", user="lin")
        assert len(first.recalled) == 3
        assert mira.recall(talk, chat="new", user="lin", settings=fewer).text == first.text
        assert len(mira.recall(talk, chat="other", user="lin", settings=fewer).recalled) == 1
