"""From a prompt and its reply to a weight, through real chats: swipes, edits and branches take their part with them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.message import Message
from rolememory.schema.usage import UsageTally
from rolememory.storage.files.space import FileSpace
from rolememory.usage.tracker import Usage
from rolememory.usage.weights import effects
from tests.builders import memory

NUTS = "Lin is allergic to shellfish."
MEMORIES: dict[str, Memory] = {
    "nuts": memory(
        "nuts",
        NUTS,
        source="user_input",
        type="semantic",
        evidence=(Evidence(chat="old", version="v"),),
    ),
    "sister": memory(
        "sister",
        "Lin's sister is called Marta.",
        source="user_input",
        type="semantic",
        evidence=(Evidence(version="w"),),
    ),
}


class House:
    """A role's chats and what use adds, as the engine calls them."""

    def __init__(self, folder: Path, pool: ThreadPoolExecutor) -> None:
        self.chats = Chats(FileSpace(folder))
        self.memories = MEMORIES
        self.usage = Usage(
            FileSpace(folder),
            self.chats,
            lambda: self.memories,
            lambda _: ("Mira", "Lin"),
            lambda: pool,
            lambda _, versions, ids: {},
        )

    def turn(
        self, *texts: str, chat: str = "harbour", injected: Sequence[str] = ("nuts", "sister")
    ) -> None:
        """The user's newest message is asked, the reply after it is observed."""
        said = [
            Message.user(text) if place % 2 == 0 else Message.assistant(text)
            for place, text in enumerate(texts)
        ]
        preview = self.chats.preview(said[:-1], chat=chat)
        self.usage.prompted(preview.chat, preview.path, injected)
        self.saw(*texts, chat=chat)

    def saw(self, *texts: str, chat: str = "harbour") -> None:
        """The whole visible chat is observed, nothing is asked."""
        said = [
            Message.user(text) if place % 2 == 0 else Message.assistant(text)
            for place, text in enumerate(texts)
        ]
        self.usage.replied(self.chats.observe(said, chat=chat).chat)
        self.usage.settle()

    def tallies(self, chat: str = "harbour") -> dict[str, UsageTally]:
        visibility = self.chats.visible_from(chat)
        kept = self.usage.effects(visibility, MEMORIES)
        found = dict(
            self.usage.uses.tallies(
                lambda of, version: visibility.sees(Evidence(chat=of, version=version))
            )
        )
        assert kept == effects(found, MEMORIES), "what was kept up is what is counted anew"
        return found


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with ThreadPoolExecutor(1) as pool:
        yield House(tmp_path, pool)


ASK, USED, VAIN = "What shall I cook?", "Nothing with shellfish, please.", "Fish, if there is any."


def test_a_reply_that_uses_a_memory_makes_it_heavier(house: House) -> None:
    house.turn(ASK, USED)
    assert house.tallies() == {"nuts": UsageTally(1, 0), "sister": UsageTally(0, 1)}
    assert house.usage.effects(house.chats.visible_from("harbour"), MEMORIES) == {
        "nuts": pytest.approx(0.0796)
    }


def test_a_swipe_replaces_what_was_noted(house: House) -> None:
    house.turn(ASK, USED)
    house.turn(ASK, VAIN)
    assert house.tallies() == {"nuts": UsageTally(0, 1), "sister": UsageTally(0, 1)}
    house.saw(ASK, "Ask Marta, she knows.")
    assert house.tallies() == {"nuts": UsageTally(0, 1), "sister": UsageTally(1, 0)}, (
        "a swipe that asked for no memories again"
    )


def test_an_edited_memory_is_compared_again_a_turn_later(house: House) -> None:
    house.turn(ASK, VAIN)
    assert house.tallies()["nuts"] == UsageTally(0, 1)
    house.memories = MEMORIES | {
        "nuts": MEMORIES["nuts"].model_copy(update={"content": "No fish!"})
    }
    house.saw(ASK, VAIN, "All right.")
    assert house.tallies()["nuts"] == UsageTally(1, 0)


def test_only_a_chat_that_moved_is_counted_again(house: House) -> None:
    house.turn(ASK, USED)
    house.turn("And what shall I cook at sea?", USED, chat="at sea")
    uses, asked = house.usage.uses, list[str]()

    def everything(chat: str, version: str) -> bool:
        return True

    def but_harbour(chat: str, version: str) -> bool:
        asked.append(chat)
        return chat != "harbour"

    assert uses.tallies(everything, "before")["nuts"] == UsageTally(2, 0)
    after = uses.tallies(but_harbour, "after", since=("before", {"harbour"}))
    assert after == uses.tallies(lambda chat, version: chat != "harbour")
    assert set(asked) == {"harbour"}


def test_an_edited_question_takes_its_use_with_it_and_brings_it_back(house: House) -> None:
    house.turn(ASK, USED)
    house.saw("What shall I cook tomorrow?", USED)
    assert house.tallies() == {}
    house.saw(ASK, USED)
    assert house.tallies()["nuts"] == UsageTally(1, 0)


def test_words_of_the_messages_before_prove_nothing(house: House) -> None:
    house.turn(ASK, USED, "Really none?", "No shellfish, I said.")
    assert house.tallies()["nuts"] == UsageTally(0, 1)


def test_a_reply_that_is_only_seen_after_the_next_question_is_noted_too(house: House) -> None:
    said = [Message.user(ASK)]
    house.usage.prompted("harbour", house.chats.preview(said, chat="harbour").path, ["nuts"])
    said += [Message.assistant(USED), Message.user("And to drink?")]
    house.usage.prompted("harbour", house.chats.preview(said, chat="harbour").path, ["sister"])
    house.saw(ASK, USED, "And to drink?")
    assert house.tallies() == {"nuts": UsageTally(1, 0)}


def test_a_branch_does_not_see_what_was_used_in_its_sibling(house: House) -> None:
    begin = (
        "Good evening, Mira, the ferry was late again today.",
        "Good evening, Lin. Sit down by the stove.",
    )
    house.saw(*begin)
    house.turn(*begin, ASK, USED)
    house.turn(*begin, "Tell me of the island.", VAIN, chat="harbour - Branch #1")
    assert house.tallies("harbour")["nuts"] == UsageTally(1, 0)
    assert house.tallies("harbour - Branch #1")["nuts"] == UsageTally(0, 1)


@pytest.mark.parametrize("mode", ["read_only", "off"])
def test_a_chat_that_teaches_nothing_notes_nothing(house: House, mode: str) -> None:
    house.saw(ASK, VAIN)
    house.chats.update("harbour", mode=mode)  # type: ignore[arg-type]
    house.turn(ASK, VAIN, "And now?", USED)
    assert house.usage.uses.of("nuts") == []


def test_what_is_gone_or_of_another_role_is_not_noted(house: House) -> None:
    house.turn(ASK, USED, injected=["nuts", "deleted", "Asha/oil"])
    assert house.tallies() == {"nuts": UsageTally(1, 0)}


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param((ASK,), id="no reply yet"),
        pytest.param((ASK, ""), id="an empty reply"),
    ],
)
def test_nothing_to_note(house: House, texts: tuple[str, ...]) -> None:
    house.usage.prompted(
        "harbour", house.chats.preview([Message.user(ASK)], chat="harbour").path, ["nuts"]
    )
    house.saw(*texts)
    assert house.tallies() == {}


def test_a_chat_that_is_forgotten_leaves_nothing(house: House) -> None:
    house.turn(ASK, USED)
    house.usage.forget(["harbour"])
    assert house.tallies() == {}
    house.saw(ASK, USED, "And now?")
    assert house.tallies() == {}


def test_it_is_there_after_a_restart(house: House, tmp_path: Path) -> None:
    house.turn(ASK, USED)
    house.usage.close()
    with ThreadPoolExecutor(1) as pool:
        assert House(tmp_path, pool).tallies()["nuts"] == UsageTally(1, 0)


def test_effects_are_the_same_object_while_nothing_changes(house: House) -> None:
    house.turn(ASK, USED)
    visibility = house.chats.visible_from("harbour")
    added = house.usage.effects(visibility, MEMORIES)
    readers = house.chats.readers("harbour", "lin", ["lin"], None)
    house.usage.effects(house.chats.visible_from("harbour", readers=readers), MEMORIES)
    assert house.usage.effects(house.chats.visible_from("harbour"), MEMORIES) is added
    house.turn(ASK, VAIN)
    assert house.usage.effects(house.chats.visible_from("harbour"), MEMORIES) == {}


def test_a_chat_that_is_removed_before_its_replies_are_read_is_no_trouble(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.turn("Do you like shellfish?", "No.")
    house.chats.remove("harbour")
    house.usage.replied("harbour")
    house.usage.settle()
    assert caplog.messages == []
