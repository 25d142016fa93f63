"""Through the proxy: who speaks, who reads along, which members of a group hear it, and what each kind of turn does."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.endpoint import Endpoint
from tests.serve.houses import Served
from tests.serve.proxy.requests import request
from tests.serve.proxy.test_proxy import FACT, GREETING, ask, between, settled
from tests.serve.proxy.upstreams import calls_tool, streams

ASKED = ("user", "What does my sister Anna do in Riga?")
TOLD = {"en": FACT[1], "zh": "我的姐姐安娜在里加养蜜蜂。"}
WANTED = {
    "en": ("What does my sister Anna do in Riga?", "bees"),
    "zh": ("我的姐姐安娜在里加做什么？", "蜜蜂"),
}


def block(model: Endpoint) -> str:
    """What memory added to the last request; "" = nothing."""
    return "".join(
        message["content"]
        for message in model.requests[-1].json["messages"]
        if "<rolememory>" in message["content"]
    )


def say(house: Served, *texts: str, chat: str, **hint: Any) -> None:
    said = [GREETING, *(("user", text) for text in texts)]
    ask(house, request(said, hint={"role": "Asha", "user": "Ann", "chat": chat, **hint}))


def path(house: Served, role: str, chat: str) -> list[tuple[str, str]]:
    chats = settled(house, role).chats
    known = chat in [one.id for one in chats.chats()]
    return [(one.name, one.text) for one in chats.path(chat)] if known else []


# ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────────

GROUP = [
    {"role": "assistant", "content": "Asha: You are wet."},
    {"role": "assistant", "content": "Bo: Sit down."},
    {"role": "user", "content": FACT[1]},
]
HEARD = [("Asha", "You are wet."), ("Bo", "Sit down."), ("", FACT[1]), ("Asha", "How nice.")]


def group_turn(house: Served, group: Sequence[str], kind: str = "normal") -> None:
    hint = {"role": "Asha", "user": "Ann", "chat": "inn", "group": [*group], "type": kind}
    ask(house, {"messages": GROUP, "stream": True, "rolememory": hint})


def test_every_member_of_a_group_hears_what_is_said(tmp_path: Path) -> None:
    with between(tmp_path, streams("How ", "nice.")) as (house, _):
        for name in ("Asha", "Bo", "Cleo"):
            house.home.create(name)
        group_turn(house, ["Asha", "Bo", "Dana"])
        assert path(house, "Asha", "inn") == HEARD
        assert path(house, "Bo", "inn") == HEARD
        assert path(house, "Cleo", "inn") == [], "not in the group"
        assert [one.members for one in settled(house).chats.path("inn")] == [("Bo", "Dana")] * 4
        heard = settled(house, "Bo").chats.path("inn")
        assert [one.members for one in heard] == [("Asha", "Dana")] * 4
        assert len(house.home.roles()) == 3, "nobody is made for a member"


def test_a_member_that_is_muted_hears_nothing_and_one_that_swipes_is_heard_once(
    tmp_path: Path,
) -> None:
    with between(tmp_path, streams("How nice."), streams("Bees?")) as (house, _):
        for name in ("Asha", "Bo"):
            house.home.create(name)
        group_turn(house, ["Asha"])
        assert path(house, "Bo", "inn") == []
        group_turn(house, ["Asha", "Bo"], "swipe")
        assert path(house, "Asha", "inn")[-1] == ("Asha", "Bees?")
        assert path(house, "Bo", "inn")[-1] == ("Asha", "Bees?")


@pytest.mark.parametrize("first", [["Asha"], ["Asha", "Cleo"]], ids=["muted", "not yet there"])
@pytest.mark.parametrize("speaker", ["Asha", "Bo"])
def test_who_comes_back_is_shown_the_chat_and_was_not_there_for_all_of_it(
    tmp_path: Path, first: list[str], speaker: str
) -> None:
    with between(tmp_path, streams("How nice.")) as (house, model):
        for name in ("Asha", "Bo", "Cleo"):
            house.home.create(name)
        group_turn(house, first)
        settled(house)
        later = ("assistant", "How nice."), ("user", "My brother Karl brews beer in Graz.")
        messages = [*GROUP, *({"role": role, "content": text} for role, text in later)]
        hint = {"role": speaker, "user": "Ann", "chat": "inn", "group": ["Asha", "Bo"]}
        ask(house, {"messages": messages, "stream": True, "rolememory": hint})
        for role, word, known in (
            ("Bo", "bees", False),
            ("Bo", "Graz", True),
            ("Asha", "bees", True),
            ("Asha", "Graz", True),
        ):
            settled(house, role)
            asked = "What do my sister Anna and my brother Karl do?"
            say(house, asked, chat=f"with {role}", role=role, user="Ann")
            assert (word in block(model)) is known, (role, word)


def test_who_said_the_same_before_was_away_all_the_same(tmp_path: Path) -> None:
    """A reply that everybody gives ("How nice.") does not show that a role has heard what it answers."""
    with between(tmp_path, streams("How nice.")) as (house, model):
        for name in ("Asha", "Bo", "Cleo"):
            house.home.create(name)
        messages = [{"role": "assistant", "content": "Bo: Welcome."}]
        turns = (
            ("Good evening.", "Asha", "Bo"),
            (FACT[1], "Asha", "Cleo"),
            ("Good night.", "Bo", "Cleo"),
        )
        for told, speaker, other in turns:
            messages.append({"role": "user", "content": told})
            hint = {"role": speaker, "user": "Ann", "chat": "inn", "group": [speaker, other]}
            ask(house, {"messages": messages, "stream": True, "rolememory": hint})
            messages.append({"role": "assistant", "content": f"{speaker}: How nice."})
            settled(house, speaker)
        assert path(house, "Bo", "inn")[2:5] == [
            ("Asha", "How nice."),
            ("", FACT[1]),
            ("Asha", "How nice."),
        ], "the name of a member that has left stands before its words"
        for role, known in (("Bo", False), ("Asha", True)):
            say(house, ASKED[1], chat=f"with {role}", role=role)
            assert ("bees" in block(model)) is known


def test_two_roles_of_a_members_name_are_both_left_out(tmp_path: Path) -> None:
    with between(tmp_path, streams("How nice.")) as (house, _):
        house.home.create("Asha")
        twins = [
            house.home.create("Bo", id=f"00000000-0000-4000-8000-00000000000{at}").id
            for at in (1, 2)
        ]
        group_turn(house, ["Asha", "Bo"])
        assert path(house, "Asha", "inn")
        assert [settled(house, twin).chats.chats() for twin in twins] == [[], []]


# ── who reads along ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("hint", "headers", "known"),
    [
        pytest.param({}, {}, True, id="alone"),
        pytest.param({"present": ["Ann"]}, {}, True, id="alone, as the frontend says"),
        pytest.param({"present": ["Ann", "小林"]}, {}, False, id="somebody reads along"),
        pytest.param({"present": "Ann, 小林"}, {}, False, id="as text"),
        pytest.param({}, {"x-rolememory-present": quote("Ann, 小林")}, False, id="in a header"),
        pytest.param({"group": ["Asha", "Bo"]}, {}, False, id="a character reads along"),
        pytest.param({"group": "Asha"}, {}, True, id="a group of one"),
    ],
)
def test_what_was_told_in_private_stays_there(
    tmp_path: Path, hint: dict[str, Any], headers: dict[str, str], known: bool, language: str
) -> None:
    asked, word = WANTED[language]
    with between(tmp_path, streams("Hm.")) as (house, model):
        say(house, TOLD[language], chat="one")
        settled(house)
        named = {"role": "Asha", "user": "Ann", "chat": "two"}
        ask(house, request([GREETING, ("user", asked)], hint={**named, **hint}), **headers)
        assert (word in block(model)) is known


def test_who_was_there_when_it_was_told_may_read_it(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm.")) as (house, model):
        say(house, FACT[1], chat="one", present=["Bob"])
        settled(house)
        say(house, ASKED[1], chat="two", present=["Bob"])
        assert "bees" in block(model)
        say(house, ASKED[1], chat="three", present=["Bob", "Carl"])
        assert block(model) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("goes_on", [False, True], ids=["its name alone", "the whole chat"])
def test_a_caller_without_a_name_is_not_the_user_whose_chat_is_named(
    tmp_path: Path, language: str, goes_on: bool
) -> None:
    asked, word = WANTED[language]
    path, headers = "/r/Asha/v1/chat/completions", {"x-rolememory-chat": "two"}
    hello = [GREETING, ("user", "Hello to you!"), ("assistant", "Hm.")]
    with between(tmp_path, streams("Hm.")) as (house, model):
        say(house, TOLD[language], chat="one")
        settled(house)
        say(house, "Hello to you!", chat="two")
        settled(house)
        said = [*(hello if goes_on else ()), ("user", asked)]
        messages = [{"role": role, "content": text} for role, text in said]
        ask(house, {"messages": messages, "stream": True}, path, **headers)
        assert block(model) == ""
        settled(house)
        ask(house, {"messages": messages, "stream": True, "user": "Ann"}, path)
        assert word in block(model)
        owners = {one.owner for one in settled(house).chats.path("two") if one.role == "user"}
        assert owners == ({"Ann", ""} if goes_on else {"Ann"})


# ── whose words they are ─────────────────────────────────────────────────────────────────────────────────────────────


def channel(house: Served, **hint: Any) -> None:
    """Bob tells of his sister; then it is Ann's turn."""
    messages = [
        {"role": "user", "name": "Bob", "content": FACT[1]},
        {"role": "assistant", "content": "Bees!"},
        {"role": "user", "name": "Ann", "content": "Good evening to you both."},
    ]
    named = {"role": "Asha", "user": "ann", "chat": "channel", **hint}
    ask(house, {"messages": messages, "stream": True, "rolememory": named})


@pytest.mark.parametrize(
    ("hint", "owners"),
    [
        pytest.param({"owners": {"Ann": "ann", "Bob": "bob"}}, ["bob", "ann"], id="mapped"),
        pytest.param({"owners": {"Ann": "ann"}}, [None, "ann"], id="one of them unknown"),
        pytest.param({}, [None, None], id="nobody is known"),
        pytest.param({"user": "Ann"}, [None, "Ann"], id="the call's user bears that name"),
        pytest.param({"owners": ["Ann"]}, [None, None], id="no mapping at all"),
    ],
)
def test_names_of_messages_tell_speakers_apart(
    tmp_path: Path, hint: dict[str, Any], owners: list[str | None]
) -> None:
    with between(tmp_path, streams("Hm.")) as (house, _):
        channel(house, **hint)
        said = settled(house).chats.path("channel")
        assert [one.owner for one in said if one.role == "user"] == owners


def test_the_model_finds_nothing_by_itself_that_a_reader_was_not_there_for(tmp_path: Path) -> None:
    search = calls_tool("search_memory", {"query": "sister Anna Riga bees"}, streamed=True)
    hybrid = {
        "recall.mode": "hybrid",
        "recall.high_relevance_threshold": 1.0,
        "recall.relevance_threshold": 0.0,
    }
    with between(tmp_path, streams("Hm."), **hybrid) as (house, model):
        say(house, FACT[1], chat="one")
        settled(house).remember("Anna, Ann's sister, likes Riga.")
        for present, known in (["Ann"], True), (["Ann", "Bob"], False):
            model.now(search, streams("Hm."))
            say(house, ASKED[1], chat="two", present=present)
            told = model.requests[-1].json["messages"][-1]
            assert (told["role"], "bees" in told["content"]) == ("tool", known)


MEI = {"en": ("Mei", "I am Mei, I play the lute."), "zh": ("月娘", "我是月娘，会弹琵琶。")}


@pytest.mark.parametrize("layout", ["messages", "a prompt"])
@pytest.mark.parametrize("hint", [{}, {"chat": "one"}], ids=["no chat named", "a chat named"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_chat_that_goes_on_with_another_persona_keeps_whose_words_they_are(
    tmp_path: Path, language: str, hint: dict[str, str], layout: str
) -> None:
    (mei, told), own = MEI[language], TOLD[language]

    def turn(house: Served, user: str, *said: tuple[str, str]) -> None:
        """Frontends put a name before what another persona said."""
        lines = [(who, text if who in ("Asha", user) else f"{who}: {text}") for who, text in said]
        voices = [("assistant" if who == "Asha" else "user", text) for who, text in lines]
        if layout == "messages":
            ask(house, request(voices, user=user, hint=hint or None))
            return
        named = "\n".join(f"{who}: {text}" for who, text in said)
        stop = [f"\n{user}:"]
        body = {"prompt": f"The lighthouse.\n{named}\nAsha:", "stop": stop, "rolememory": hint}
        ask(house, {**body, "stream": True}, "/v1/completions")

    hello = [("Asha", "Come in."), ("Ann", own), ("Asha", "Well."), ("Ann", "Good night.")]
    then = [*hello, ("Asha", "Well."), (mei, told)]
    back = [*then, ("Asha", "Well."), ("Ann", "Here I am again.")]
    with between(tmp_path, streams("Well.")) as (house, _):
        for user, talk in (("Ann", hello[:2]), ("Ann", hello), (mei, then), ("Ann", back)):
            turn(house, user, *talk)
            chats = settled(house).chats
        said = [one for chat in chats.chats() for one in chats.path(chat.id) if one.role == "user"]
    owners = {text: {one.owner for one in said if one.text == text} for _, text in back}
    assert {one.text for one in said} == {own, "Good night.", told, "Here I am again."}
    assert owners[told] - {None} == {mei}
    assert owners[own] - {None} == owners["Here I am again."] == {"Ann"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_line_of_another_persona_is_theirs_where_the_frontend_says_so(
    tmp_path: Path, language: str
) -> None:
    """As in a chat that was imported: the role has heard nothing of that persona."""
    (mei, told), own = MEI[language], TOLD[language]
    lines = [own, f"{mei}: {told}", "Bob: said I nothing."]
    with between(tmp_path, streams("Well.")) as (house, _):
        say(house, *lines, chat="one", owners={mei: mei})
        said = settled(house).chats.path("one")
    owners = {one.text: one.owner for one in said if one.role == "user"}
    assert owners == {own: "Ann", told: mei, lines[-1]: "Ann"}


def test_a_mapped_speaker_finds_their_words_again_and_nobody_else_does(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm.")) as (house, model):
        channel(house, owners={"Ann": "ann", "Bob": "bob"}, present=["ann", "bob"])
        settled(house)
        say(house, ASKED[1], chat="alone", user="bob")
        assert "bees" in block(model)
        say(house, ASKED[1], chat="elsewhere", user="carl")
        assert block(model) == ""


# ── kinds of turn ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "remembers", "heard"),
    [
        ("normal", True, ["Hm.", "Well."]),
        ("swipe", True, ["Hm.", "Well."]),
        ("regenerate", True, ["Hm.", "Well."]),
        ("impersonate", True, ["Hm."]),
        ("quiet", False, ["Hm."]),
        ("title", False, ["Hm."]),
    ],
)
def test_what_each_kind_of_turn_does(
    tmp_path: Path, kind: str, remembers: bool, heard: list[str]
) -> None:
    with between(tmp_path, streams("Hm."), streams("Well.")) as (house, model):
        say(house, FACT[1], chat="one")
        settled(house)
        say(house, ASKED[1], chat="two", type=kind)
        assert ("bees" in block(model)) is remembers
        replies = [path(house, "Asha", chat)[2:] for chat in ("one", "two")]
        assert [text for one in replies for _, text in one] == heard


@pytest.mark.parametrize("kind", ["swipe", "regenerate"])
def test_another_reply_to_the_same_words_gets_the_same_block(tmp_path: Path, kind: str) -> None:
    with between(tmp_path, streams("She keeps bees by the harbour."), streams("Well.")) as (
        house,
        model,
    ):
        say(house, FACT[1], chat="one")
        settled(house)
        told = "My cousin Jonas sails to Turku. What does my sister Anna do in Riga?"
        say(house, told, chat="two")
        first = block(model)
        settled(house)
        say(house, told, chat="two", type=kind)
        assert "bees" in first
        assert block(model) == first


def test_a_continued_reply_is_another_version_of_the_same_one(tmp_path: Path) -> None:
    with between(tmp_path, streams("I put the"), streams(" lantern out.")) as (house, _):
        hint = {"role": "Asha", "user": "Ann", "chat": "one"}
        ask(house, request([GREETING, FACT], hint=hint))
        settled(house)
        said = [GREETING, FACT, ("assistant", "I put the")]
        ask(house, request(said, hint={**hint, "type": "continue"}, post=""))
        last = settled(house).chats.path("one")[-1]
        assert (last.text, last.kind) == ("I put the lantern out.", "continue")


# ── stories ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", WANTED)
def test_what_was_said_in_another_story_does_not_reach_the_prompt(
    tmp_path: Path, language: str
) -> None:
    wanted, word = WANTED[language]
    group = ["Asha", "Bo"]
    with between(tmp_path, *[streams("Yes.")] * 5) as (house, model):
        house.home.create("Bo")
        say(house, TOLD[language], chat="old", group=group)
        settled(house)
        asha = house.home.role("Asha")
        asha.remember("The wolf howls at the tower.", constant=True)

        def known(role: str, chat: str) -> bool:
            hint = {"role": role, "user": "Ann", "chat": chat, "group": group}
            ask(house, request([GREETING, ("user", wanted)], hint=hint))
            settled(house, role)
            return word in block(model)

        assert known("Asha", "one")
        asha.stories.assign("old", "own")
        assert not known("Asha", "two")
        assert "wolf" in block(model), "what an author wrote is known in every story"
        assert known("Bo", "three"), "a choice is for one role"
        asha.stories.assign("old", "default")
        asha.stories.choose("each", "Ann")
        assert not known("Asha", "four")


# ── what a card prints about the scene ───────────────────────────────────────────────────────────────────────────────

PRINTED = {
    "en": (
        "[Time: Lantern Feast | Place: the mill]\nI hid the map under the hearthstone.",
        "Where is the map hidden?",
        "Lantern Feast, the mill",
        "hearthstone",
    ),
    "zh": (
        "【时间】三月初七【地点】茶楼【好感】45\n我把地图藏在炉石下面。",
        "地图藏在哪里？",
        "三月初七，茶楼",
        "炉石",
    ),
}


@pytest.mark.parametrize("language", PRINTED)
def test_what_a_card_prints_is_the_heading_of_what_was_said_there(
    tmp_path: Path, language: str
) -> None:
    printed, wanted, scene, word = PRINTED[language]
    with between(tmp_path, streams(printed), streams("Yes.")) as (house, model):
        say(house, "...", chat="old")
        settled(house)
        say(house, wanted, chat="new")
        lines = block(model).splitlines()
        heading = next(at for at, line in enumerate(lines) if line.startswith(scene))
        assert word in lines[heading + 1]
        assert not re.search("Time:|时间|45", block(model))


# ── how far memory goes ──────────────────────────────────────────────────────────────────────────────────────────────

SCOPES = {
    "en": ("/memory off", "(OOC: memory here)", "/memory on"),
    "zh": ("/记忆 关闭", "（场外：记忆仅此处）", "/记忆 开启"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_memory_off_and_on_hold_from_the_very_turn_in_which_they_are_said(
    tmp_path: Path, language: str
) -> None:
    (asked, word), (off, _, on) = WANTED[language], SCOPES[language]
    with between(tmp_path, streams("Hm.")) as (house, model):
        say(house, TOLD[language], chat="one")
        settled(house)
        said = [GREETING]
        hint = {"role": "Asha", "user": "Ann", "chat": "two"}
        for text, told in ((f"{off}\n{asked}", False), (asked, False), (f"{on}\n{asked}", True)):
            said += [("user", text)]
            ask(house, request(said, hint=hint))
            said += [("assistant", "Hm.")]
            assert (word in block(model)) is told
            assert bool(block(model)) is told
            settled(house)
        assert settled(house).chats.info("two").mode == "on"


BARE = {
    "en": ("/memory", "/memory list of harbours", "/remember", "/helpp", "The harbour.\n/Forget."),
    "zh": ("/记忆", "/记忆 看看港口", "/记住", "/帮助", "港口到了。\n／忘掉。"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_slash_command_that_says_nothing_is_no_words_of_the_user(
    tmp_path: Path, language: str
) -> None:
    with between(tmp_path, streams("Hm.")) as (house, _):
        for number, command in enumerate(BARE[language]):
            say(house, command, chat=f"told {number}")
        mind = settled(house)
        said = [one.text for info in mind.chats.chats() for one in mind.chats.path(info.id)]
        assert set(BARE[language]) <= set(said), "the log keeps what was sent"
        found = mind.search(" ".join(BARE[language]), user="Ann", limit=50)
        story = [one.memory.content for one in found if one.memory.subject != "Asha"]
        assert story == [BARE[language][-1].partition("\n")[0]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_said_here_or_while_memory_is_off_is_told_in_no_other_chat(
    tmp_path: Path, language: str
) -> None:
    asked, word = WANTED[language]
    off, here, on = SCOPES[language]
    with between(tmp_path, streams("Hm.")) as (house, model):
        for number, (command, told) in enumerate(((off, False), (here, False), (on, True))):
            say(house, f"{command}\n{TOLD[language]}", chat=f"told {number}")
            settled(house)
            say(house, asked, chat=f"asked {number}")
            assert (word in block(model)) is told, command
            settled(house)
