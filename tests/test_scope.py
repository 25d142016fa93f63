"""How far memory goes in a chat, as somebody says there: off, only here, on again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rolememory import Home, RoleMemory
from rolememory.schema.message import Message
from tests.endpoint import Endpoint, answers

U, A = Message.user, Message.assistant


class Words(NamedTuple):
    """One language."""

    off: str
    here: str
    on: str
    fact: str
    asked: str
    telling: str  # what a passage of the fact holds
    other: str
    asked_other: str
    telling_other: str


EN = Words(
    "(OOC: memory off)",
    "/memory here",
    "/memory on",
    "My sister Anna keeps bees in Riga.",
    "What does my sister Anna do in Riga?",
    "bees",
    "My brother Karl brews beer in Graz.",
    "What does my brother Karl do in Graz?",
    "beer",
)
ZH = Words(
    "（场外：关闭记忆）",
    "/记忆 仅此处",
    "/记忆 开启",
    "我的姐姐安娜在里加养蜜蜂。",
    "我的姐姐安娜在里加做什么？",
    "蜜蜂",
    "我的弟弟卡尔在格拉茨酿啤酒。",
    "我的弟弟卡尔在格拉茨做什么？",
    "啤酒",
)
both = pytest.mark.parametrize("words", [EN, ZH], ids=["en", "zh"])


@pytest.fixture
def mira(tmp_path: Path) -> Iterator[RoleMemory]:
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        yield home.create("Mira")


def talk(mira: RoleMemory, chat: str, *texts: str) -> list[Message]:
    """The user says these one after another, each observed as it is said."""
    said: list[Message] = []
    for text in texts:
        said.append(U(text))
        mira.observe(said, reply="Hm.", chat=chat, user="lin")
        said.append(A("Hm."))
    assert mira.learned(20)
    return said


LATER = ("Let us go to the market.", "The rain has stopped.", "我们去集市吧。")


def recalled(mira: RoleMemory, chat: str, text: str, before: list[Message] | None = None) -> str:
    return mira.recall([*(before or ()), U(text)], chat=chat, user="lin").text


def found(mira: RoleMemory, words: Words, chat: str | None) -> bool:
    """Whether a search finds the other fact."""
    every = mira.search(words.asked_other, user="lin", chat=chat)
    return words.telling_other in " ".join(one.memory.content for one in every)


@both
def test_off_recalls_nothing_from_its_message_on_and_nothing_said_under_it_is_remembered(
    mira: RoleMemory, words: Words
) -> None:
    mira.remember("Lin's ship is the Osprey. 林的船叫鱼鹰号。", constant=True)
    talk(mira, "one", words.fact)
    said = talk(mira, "two", "Hello.")
    assert words.telling in recalled(mira, "two", words.asked, said)
    assert recalled(mira, "two", f"{words.off}\n{words.asked}", said) == "", "at once"
    assert mira.chats.info("two").mode == "on", "a look alone changes nothing"
    said = talk(mira, "two", "Hello.", words.off, words.other)
    assert mira.chats.info("two").mode == "off"
    assert recalled(mira, "two", words.asked, said) == ""
    assert words.telling in recalled(mira, "three", words.asked)
    assert words.telling_other not in recalled(mira, "three", words.asked_other)
    said = talk(mira, "two", "Hello.", words.off, words.other, words.on)
    assert mira.chats.info("two").mode == "on"
    assert words.telling in recalled(mira, "two", words.asked, said)
    assert words.telling_other not in recalled(mira, "three", words.asked_other)
    assert not [one for one in mira.memories.values() if words.telling_other in one.content]


@both
def test_what_is_said_here_is_recalled_here_alone(mira: RoleMemory, words: Words) -> None:
    talk(mira, "one", words.fact)
    talk(mira, "three", "Good morning.")
    near = talk(mira, "two", words.here, words.other, words.on, *LATER)[-4:]
    for _ in "again":
        assert words.telling_other in recalled(mira, "two", words.asked_other, near)
        assert words.telling in recalled(mira, "two", words.asked, near), "what others hold"
        for chat in ("three", "new", ""):
            assert words.telling_other not in recalled(mira, chat, words.asked_other)
        assert {chat: found(mira, words, chat) for chat in ("three", "", None, "two")} == {
            "three": False,
            "": False,
            None: False,
            "two": True,
        }


@both
def test_on_ends_it_for_what_is_said_afterwards(mira: RoleMemory, words: Words) -> None:
    talk(mira, "two", words.here, "Hello.", words.on, words.other)
    assert words.telling_other in recalled(mira, "three", words.asked_other)


@both
def test_a_swipe_or_edit_of_what_was_said_here_stays_here(mira: RoleMemory, words: Words) -> None:
    talk(mira, "two", words.here, "Hello.", words.on, "Well.")
    talk(mira, "two", words.here, words.other, words.on, "Well.")
    assert words.telling_other not in recalled(mira, "three", words.asked_other)


@both
def test_what_is_swiped_later_stays_as_it_was_first_said(mira: RoleMemory, words: Words) -> None:
    talk(mira, "two", "Hello.")
    mira.chats.update("two", mode="here")
    said = talk(mira, "two", "Hello.", "Well.")
    mira.chats.update("two", mode="on")
    said[2] = U(words.other)
    mira.observe(said, chat="two", user="lin")
    mira.observe([*said, U(words.fact)], "Hm.", chat="two", user="lin")
    assert mira.learned(20)
    assert words.telling_other not in recalled(mira, "three", words.asked_other)
    assert words.telling in recalled(mira, "three", words.asked)


@both
def test_nothing_is_learned_of_what_was_said_while_it_was_off_even_where_all_is_seen_at_once(
    mira: RoleMemory, words: Words
) -> None:
    please = "请记住：" if words is ZH else "Please remember: "
    said = [
        message
        for text in (words.off, f"{please}{words.other}", words.on, f"{please}{words.fact}")
        for message in (U(text), A("Hm."))
    ]
    mira.observe(said, chat="two", user="lin")
    told = " ".join(one.content for one in mira.memories.values())
    assert words.telling in told
    assert words.telling_other not in told


@both
def test_the_command_is_no_story_and_its_message_is_told_without_it(
    mira: RoleMemory, words: Words
) -> None:
    near = talk(mira, "two", f"{words.here}\n{words.fact}", words.on, *LATER)[-4:]
    for asked in (words.asked, words.here, words.on):
        found = mira.search(f"{asked} {words.asked}", user="lin", chat="two", limit=50)
        contents = " ".join(one.memory.content for one in found)
        assert words.telling in contents
        assert words.here not in contents
        assert words.on not in contents
    told = recalled(mira, "two", words.asked, near)
    assert words.telling in told
    assert words.here not in told
    assert words.here not in " ".join(one.content for one in mira.memories.values())


@both
def test_the_command_follows_its_message_and_saying_it_twice_changes_nothing(
    mira: RoleMemory, words: Words
) -> None:
    said = talk(mira, "two", "Hello.", words.off, "Well.")
    log = mira.chats.info("two").file.read_bytes()
    mira.observe(said, chat="two", user="lin")
    assert mira.chats.info("two").file.read_bytes() == log
    said[2] = U(words.here)
    mira.observe(said, chat="two", user="lin")
    assert mira.chats.info("two").mode == "here", "edited"
    mira.observe([*said[:2], U(words.fact)], "Hm.", chat="two", user="lin")
    assert mira.chats.info("two").mode == "on", "deleted"
    assert mira.learned(20)
    assert words.telling in recalled(mira, "three", words.asked)


@both
def test_what_a_person_sets_later_counts_until_the_next_command(
    mira: RoleMemory, words: Words
) -> None:
    talk(mira, "two", words.off)
    assert mira.chats.update("two", mode="on").mode == "on"
    talk(mira, "two", words.off, words.fact)
    assert words.telling in recalled(mira, "three", words.asked)
    mira.chats.update("two", mode="here")
    told = (words.off, words.fact, words.other, *LATER)
    said = talk(mira, "two", *told)
    assert words.telling_other not in recalled(mira, "three", words.asked_other)
    assert words.telling_other in recalled(mira, "two", words.asked_other, said[-4:])
    said = talk(mira, "two", *told, words.off)
    assert mira.chats.info("two").mode == "off"
    assert recalled(mira, "two", words.asked, said) == ""


@both
def test_it_holds_for_who_opens_the_home_later(tmp_path: Path, words: Words) -> None:
    settings = {"embedding.backend": "off"}
    with Home.open(tmp_path, settings) as home:
        near = talk(home.create("Mira"), "two", words.here, words.other, *LATER)[-4:]
    with Home.open(tmp_path, settings) as home:
        mira = home.role("Mira")
        assert mira.chats.info("two").mode == "here"
        assert words.telling_other not in recalled(mira, "three", words.asked_other)
        assert words.telling_other in recalled(mira, "two", words.asked_other, near)


def test_only_a_user_says_it_and_out_of_the_story(mira: RoleMemory) -> None:
    mira.observe([U("Hello."), A("(OOC: memory off)"), U("I turned the memory off.")], chat="two")
    assert mira.chats.info("two").mode == "on"


def model_settings(server: Endpoint) -> dict[str, Any]:
    """A model that reads every exchange, sums up and concludes when it is told to."""
    return {
        "embedding.backend": "off",
        "learn.endpoint": server.url,
        "learn.model": "small",
        "learn.batch_size": 1,
        "learn.summarize.trigger_tokens": 20,
        "memory.short_term_items": 2,
    }


@both
def test_what_is_said_while_it_is_off_is_shown_to_no_model(tmp_path: Path, words: Words) -> None:
    with Endpoint(answers({"facts": []})) as server:
        with Home.open(tmp_path, model_settings(server)) as home:
            mira = home.create("Mira")
            talk(mira, "two", words.off, words.other, words.on, words.fact, *LATER)
            mira.learner.worker.run(force=True)
        asked = "".join(one.said for one in server.requests)
    assert words.telling in asked
    assert words.telling_other not in asked


@both
@pytest.mark.parametrize("scope", ["here", "on"])
def test_what_stays_here_is_shown_to_no_model_elsewhere(
    tmp_path: Path, words: Words, scope: str
) -> None:
    please = "请记住：" if words is ZH else "Please remember: "
    summary = "They sat by the stove and said little. 他们坐在炉边，没说几句话。"
    nothing = answers({"facts": [], "conclusions": [], "summary": summary})
    with Endpoint(nothing) as server, Home.open(tmp_path, model_settings(server)) as home:
        mira = home.create("Mira")
        mira.remember(words.fact, user="lin")
        talk(mira, "two", words.here if scope == "here" else "Hm.", f"{please}{words.other}")
        kept = [one for one in mira.memories.values() if words.telling_other in one.content]
        assert kept, "it is a memory"
        mira.learner.worker.run(force=True)
        server.requests.clear()
        talk(mira, "three", words.asked_other, words.asked, *LATER)
        mira.learner.worker.run(force=True)
        mira.learner.worker.infer()
        asked = [one.said for one in server.requests]
        assert len(asked) > 2, "it reads, sums up and concludes"
        assert any(words.telling in one for one in asked)
        assert any(words.telling_other in one for one in asked) is (scope == "on")
        first = (words.here if scope == "here" else "Hm.", f"{please}{words.other}")
        server.requests.clear()
        talk(mira, "two", *first, *LATER, words.asked_other, "So.")
        mira.learner.worker.run(force=True)
        known = [one.said.partition("<memories>")[2].partition("<")[0] for one in server.requests]
        assert any(words.telling_other in one for one in known), "in its own chat it is known"
