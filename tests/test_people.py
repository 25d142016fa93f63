"""One person under several names: linked at once, unlinked at once, asked about once; in Python, on the command line, over REST."""

from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, Message
from rolememory.engine import RoleMemory
from rolememory.errors import InvalidValueError

WORDS_ONLY = {"embedding.backend": "off"}
U, A = Message.user, Message.assistant

TOLD = [
    pytest.param(
        "Lin", "Traveller", "Remember that my sister Anna keeps bees in Riga.", "What does my sister Anna keep?", "bees",
        id="en",
    ),
    pytest.param(
        "小林", "旅人", "请记住，我妹妹小梅在杭州开了一家茶馆。", "我妹妹小梅在杭州开的是什么店？", "茶馆", id="zh"
    ),
]  # fmt: skip


def knows(mind: RoleMemory, user: str, question: str, word: str) -> tuple[bool, bool]:
    """Whether a recall in another chat has the word, and a search."""
    assert mind.learned(60)
    turn = mind.recall([U(question)], chat=f"of {user}", user=user)
    found = mind.search(question, user=user)
    return word in turn.text, any(word in one.memory.content for one in found)


@pytest.mark.parametrize(("person", "new", "fact", "question", "word"), TOLD)
@pytest.mark.parametrize("passages", ["none", "all"])
def test_what_is_told_under_one_name_is_known_under_the_other_while_both_are_linked(
    tmp_path: Path, person: str, new: str, fact: str, question: str, word: str, passages: str
) -> None:
    settings = {**WORDS_ONLY, "recall.passages.recall": passages}
    with Home.open(tmp_path, settings) as home:
        mind = home.create("Mira")
        mind.observe([A("Sit down."), U(fact)], "Tell me more.", chat="one", user=person)
        assert knows(mind, person, question, word) == (True, True)
        assert knows(mind, new, question, word) == (False, False)
        assert knows(mind, person, question, word) == (True, True)
        home.people.link(person, new)
        assert knows(mind, new, question, word) == (True, True)
        assert knows(mind, "somebody else", question, word) == (False, False)
        home.people.unlink(new)
        assert knows(mind, new, question, word) == (False, False)
        mind.observe([A("Sit."), U(fact)], "More.", chat="two", user=new)
        assert knows(mind, person, question, word) == (True, True)
    with Home.open(tmp_path, settings) as other:
        other.people.link(new, person)
    with Home.open(tmp_path, settings) as home:
        assert knows(home.role("Mira"), new, question, word) == (True, True)


@pytest.mark.parametrize(("person", "new", "fact", "question", "word"), TOLD)
def test_the_first_name_hears_what_the_other_told_as_soon_as_they_are_linked(
    tmp_path: Path, person: str, new: str, fact: str, question: str, word: str
) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home:
        mind = home.create("Mira")
        mind.observe([A("Sit down."), U(fact)], "Tell me more.", chat="one", user=new)
        for linked in (False, True, False):
            if linked:
                home.people.link(person, new)
            else:
                home.people.unlink(new)
            assert knows(mind, person, question, word) == (linked, linked)


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("fact", "order", "question", "word"),
    [
        pytest.param(
            "My brother Wu was in prison.", "(OOC: Forget that my brother Wu was in prison.)",
            "What about my brother Wu?", "prison", id="en",
        ),
        pytest.param(
            "我弟弟坐过牢。", "（场外：忘掉我弟弟坐过牢的事。）", "我弟弟坐过牢吗？", "坐过牢", id="zh"
        ),
    ],
)  # fmt: skip
def test_a_person_has_forgotten_what_they_told_under_another_name(
    tmp_path: Path, fact: str, order: str, question: str, word: str, linked: bool
) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home:
        mind = home.create("Mira")
        mind.observe([A("Sit down."), U(fact)], "I see.", chat="one", user="Lin")
        if linked:
            home.people.link("Lin", "Traveller")
        mind.observe([A("Sit."), U(order)], "Done.", chat="two", user="Traveller")
        assert knows(mind, "Lin", question, word) == (not linked, not linked)


def test_readers_are_told_of_themselves_by_the_name_they_go_by_now(tmp_path: Path) -> None:
    with Home.open(tmp_path, {**WORDS_ONLY, "learn.enabled": False}) as home:
        mind = home.create("Mira")
        mind.observe([U("The ferry leaves at noon.")], "It does.", chat="one", user="Lin")
        home.people.link("Lin", "Traveller")
        turn = mind.recall([U("When does the ferry leave?")], chat="two", user="Traveller")
        assert 'Traveller said: "The ferry leaves at noon."' in turn.text
        assert "Lin" not in turn.text, "who was there needs no names"
        mind.remember("Likes tea.", user="Lin")
        mind.remember("Likes rain.", user="Traveller")
        assert mind.stats().by_user == {"Lin": 2}


def test_a_link_that_another_process_makes_counts_at_once(tmp_path: Path) -> None:
    fact, question = "My sister Anna keeps bees in Riga.", "What does my sister Anna keep?"
    with Home.open(tmp_path, WORDS_ONLY) as home, Home.open(tmp_path, WORDS_ONLY) as other:
        mind = home.create("Mira")
        mind.observe([A("Sit down."), U(fact)], "More.", chat="one", user="Lin")
        assert knows(mind, "Traveller", question, "bees")[0] is False
        other.people.link("Lin", "Traveller")
        assert knows(mind, "Traveller", question, "bees")[0] is True


def test_a_chat_goes_on_under_the_other_name_once_they_are_linked(tmp_path: Path) -> None:
    lines = [U("Where is the ferry?"), A("At the pier."), U("And the ferryman?")]
    with Home.open(tmp_path, WORDS_ONLY) as home:
        mind = home.create("Mira")
        mind.observe(lines, "Asleep.", chat="one", user="Lin")
        home.people.link("Lin", "Traveller")
        seen = mind.observe([U("Good morning!")], "Morning.", chat="one", user="Traveller")
        assert seen.chat == "one"
        assert [info.id for info in mind.chats.chats(user="Traveller")] == ["one"]
        assert [info.id for info in mind.chats.chats(user="Lin")] == ["one"]


@pytest.mark.parametrize(
    ("heard", "done", "asked"),
    [
        pytest.param(["Lin"], [], [], id="one person: nothing to ask"),
        pytest.param(
            ["Lin", "Traveller"], [], [("Traveller", "Lin")], id="a new name: one question"
        ),
        pytest.param(["旅人", "小林"], [], [("小林", "旅人")], id="在先的是认识的人"),
        pytest.param(["Lin", "Traveller"], [("link", "Lin", "Traveller")], [], id="yes"),
        pytest.param(["Lin", "Traveller"], [("unlink", "Traveller")], [], id="no, another person"),
        pytest.param(
            ["Lin", "Traveller"],
            [("link", "Lin", "Traveller"), ("unlink", "Lin")],
            [],
            id="no again, whichever was unlinked",
        ),
        pytest.param(["Lin", "Ann", "Bob"], [], [], id="many people: nobody is asked about"),
        pytest.param(
            ["Lin", "Traveller", "Wanderer"],
            [("link", "Lin", "Traveller")],
            [("Wanderer", "Lin")],
            id="another new name of a person with two",
        ),
    ],
)
def test_who_is_asked_about(
    tmp_path: Path, heard: list[str], done: list[tuple[str, ...]], asked: list[tuple[str, str]]
) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home:
        roles = [home.create("Mira"), home.create("Rafi")]
        for number, name in enumerate(heard):
            roles[number % 2].observe([U("Hello.")], "Hi.", chat=f"of {name}", user=name)
        for verb, *names in done:
            getattr(home.people, verb)(*names)
        assert home.strangers() == asked
    with Home.open(tmp_path, WORDS_ONLY) as home:
        assert home.strangers() == asked


def test_everybody_is_listed_with_all_names(tmp_path: Path) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home:
        mira, rafi = home.create("Mira"), home.create("Rafi")
        mira.remember("Lin likes tea.", user="Lin")
        rafi.remember("Traveller likes rain.", user="Traveller")
        mira.observe([U("Hi.")], "Hi.", chat="one", user="Traveller")
        rafi.remember("Ann is tall.", user="Ann")
        rafi.remember("Everybody sings.")
        home.people.link("Traveller", "Lin")
        rows = [(one.name, one.names, one.memories, one.chats) for one in home.users()]
    assert rows == [("Traveller", ("Traveller", "Lin"), 2, 1), ("Ann", ("Ann",), 1, 0)]


@pytest.mark.parametrize("names", [("Lin",), ("Lin", "Lin"), ("Lin", " ")])
def test_one_name_is_no_link(tmp_path: Path, names: Any) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home, pytest.raises(InvalidValueError):
        home.people.link(*names)
