"""What is said while somebody else asks is as private as what was said before."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from rolememory import Home, Message
from tests.hashing import HashingEmbedder

WORDS_ALONE = {"embedding.backend": "off"}
ASKED = {"en": "What is the password?", "zh": "密码是什么？"}
ANSWER = {"en": "The password is mango {number}.", "zh": "密码是芒果{number}号。"}
CHATS = 150


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nobody_recalls_what_was_said_elsewhere_a_moment_ago(tmp_path: Path, language: str) -> None:
    asked, answer = ASKED[language], ANSWER[language]
    with Home.open(tmp_path, WORDS_ALONE) as home:
        role = home.role("Mira", create=True)

        def talk() -> None:
            for number in range(CHATS):
                messages, reply = [Message.user(asked)], answer.format(number=number)
                role.observe(messages, reply, chat=f"chat {number}", user="ann")

        talking = Thread(target=talk)
        talking.start()
        told = set[str]()
        while talking.is_alive():
            told.add(role.recall(asked, chat="own", user="bob", dry_run=True).text)
            told |= {one.memory.content for one in role.search(asked, user="bob")}
        talking.join()
        assert not [text for text in told if "mango" in text or "芒果" in text]
        assert answer.format(number=CHATS - 1) in {
            one.memory.content for one in role.search(asked, user="ann", limit=CHATS)
        }


class Busy(HashingEmbedder):
    """A model that is slow to tell its size: something else happens once meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[Callable[[], object]] = []

    @property
    def dim(self) -> int:
        """How long its vectors are."""
        while self.meanwhile:
            self.meanwhile.pop()()
        return 64

    @dim.setter
    def dim(self, dim: int) -> None:
        assert dim == 64


@pytest.mark.parametrize(
    ("user", "begun", "told"),
    [
        pytest.param("ann", False, (False, False), id="who did not hear it is never told"),
        pytest.param("bob", False, (False, True), id="a chat that began meanwhile is known next"),
        pytest.param("bob", True, (False, True), id="what was said meanwhile is known next"),
    ],
)
def test_what_another_turn_reads_while_one_is_asked_counts_from_the_next_turn_on(
    tmp_path: Path, user: str, begun: bool, told: tuple[bool, bool]
) -> None:
    """The turn knows who heard what, then hears of an associated role; meanwhile something is said and another turn reads it."""
    words = [Message.user("What is the password?"), Message.assistant("The password is mango.")]

    def talk() -> None:
        mira.observe([*before, *words], chat="two", user=user)
        mira.recall("Hello there.", chat="three", user="cid", dry_run=True)

    with Home.open(tmp_path, embedder=(model := Busy())) as home:
        home.create("Asha", associates=[{"role": "Mira"}])
        mira = home.create("Mira", associates=[{"role": "Asha"}])
        before = [Message.user("Hi."), Message.assistant("Good evening.")] if begun else []
        mira.observe(before, chat="two", user=user)
        assert home.loader.ready()
        model.meanwhile.append(talk)
        asked = "Do you know the password?"
        turns = [mira.recall(asked, chat="own", user="bob", dry_run=True) for _ in range(2)]
        assert tuple("mango" in turn.text for turn in turns) == told
