"""What a role believes follows from what is visible now, however it came to be visible."""

from pathlib import Path

import pytest

from rolememory.engine import Home
from rolememory.recall.active_set import counts
from rolememory.schema.message import Message
from tests.learning.replay import SETTINGS, walked

A, U = Message.assistant, Message.user


@pytest.mark.parametrize("seed", range(201, 205))
def test_a_life_of_edits_swipes_cuts_branches_and_restarts_leaves_what_is_visible_told_once_would_leave(
    seed: int,
) -> None:
    life = walked(seed, steps=150, every=75)
    assert life["wrong"] == []
    assert life["checks"] >= 2
    assert life["memories"] >= 20, "there was something to differ in"


@pytest.mark.parametrize(
    ("told", "other", "order"),
    [
        pytest.param("I was born in Bergen.", "*She nods.*", "Remember that.", id="en"),
        pytest.param("我出生在泉州。", "*她点点头。*", "记住这句话。", id="zh"),
    ],
)
def test_what_is_asked_to_be_remembered_stands_while_both_messages_stand(
    tmp_path: Path, told: str, other: str, order: str
) -> None:
    def kept() -> bool:
        visibility = mind.chats.visible_from("one")
        return any(
            told in one.content and counts(one, visibility) for one in mind.memories.values()
        )

    with Home.open(tmp_path, SETTINGS) as home:
        mind = home.create("Mira")
        mind.observe([U("Hello."), A(told), U(order)], chat="one", user="lin")
        assert kept()
        mind.observe([U("Hello."), A(other), U(order)], chat="one", user="lin")
        assert not kept()
        mind.observe([U("Hello."), A(told), U(order)], chat="one", user="lin")
        assert kept()
        mind.observe([U("Hello."), A(told), U("Hm.")], chat="one", user="lin")
        assert not kept()


def test_words_put_in_later_are_what_is_remembered(tmp_path: Path) -> None:
    with Home.open(tmp_path, SETTINGS) as home:
        mind = home.create("Mira")
        for reply in ("*She nods.*", "I was born in Bergen."):
            mind.observe([U("Hello."), A(reply), U("Remember that.")], chat="one", user="lin")
        visibility = mind.chats.visible_from("one")
        stands = [one.content for one in mind.memories.values() if counts(one, visibility)]
    assert stands == ["I was born in Bergen."]
