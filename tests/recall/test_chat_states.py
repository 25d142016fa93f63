"""What a role keeps between turns: the same when it is read again, and a turn writes the same however many came before."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.recall.alignment import ChatDigests
from rolememory.recall.chat_states import ChatStates
from rolememory.recall.prepared_chat import prepare_chat
from rolememory.storage.files.space import FileSpace

START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path)


def test_a_turn_is_kept_and_a_swipe_of_it_is_no_other(home: Home) -> None:
    mira = home.create("Mira")
    mira.remember("The beacon failed.", "semantic", keys=["beacon"], id="beacon")
    for asked in ("the beacon?", "the beacon?", "and the beacon now?"):
        mira.recall([asked], chat="港口", now=START)
    home.close()
    kept = ChatStates(FileSpace(mira.folder))
    assert kept.clock.turn == 2
    assert kept.of("港口").injected == {"beacon"}
    assert kept.of("elsewhere").injected == frozenset()
    kept.forget(["港口"])
    assert ChatStates(FileSpace(mira.folder)).of("港口").injected == frozenset()
    assert ChatStates(FileSpace(mira.folder)).clock.turn == 2


def test_two_processes_take_turns_in_a_chat(tmp_path: Path) -> None:
    homes, talk = [Home.open(tmp_path), Home.open(tmp_path)], list[Message]()
    folder = homes[0].create("Mira").folder
    for turn in range(8):
        talk += [Message.assistant(f"It is {turn}."), Message.user(f"What about {turn}?")]
        mira = homes[turn // 2 % 2].role("Mira")
        mira.recall(talk[-5:], chat="harbour", now=START + timedelta(minutes=turn))
        mira.parts.context.pipeline.chats._state._written()
    kept = ChatStates(FileSpace(folder))
    assert len(ChatDigests.of(kept.of("harbour").held).said) == len(talk)
    assert kept.unseen(kept.of("harbour"), prepare_chat(talk[-3:])) == len(talk) - 3
    for home in homes:
        home.close()


def test_a_turn_writes_as_much_after_many_turns_as_after_a_few(home: Home) -> None:
    mira = home.create("Mira")
    log, talk, lengths = FileSpace(mira.folder).log("state/turns"), list[Message](), list[int]()
    for turn in range(130):
        talk += [Message.user(f"What about {turn}?"), Message.assistant(f"It is {turn}.")]
        mira.recall(talk[-21:-1], chat=f"chat {turn // 60}", now=START + timedelta(minutes=turn))
        mira.parts.context.pipeline.chats._state._written()
        lengths += [len(append.lines[-1]) for append in log.read().appends[-1:]]
    assert len(lengths) == 130
    assert max(lengths[100:120]) <= max(lengths[30:50]) + 8
    home.close()
