"""What a role keeps between turns: the same when it is read again, and a turn writes the same however many came before."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.recall.chats import CHAT, CLOCK, ChatStates
from rolememory.storage.files.space import FileSpace
from rolememory.storage.state import StateLog

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


def test_what_an_older_program_kept_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    older = {
        "clock": {"before": 3, "turns": [1.0, 2.0]},
        "injected": {"harbour": {"said": "ab", "ids": ["beacon"]}},
        "seen": {"harbour": {"before": 2, "said": ["x", "y"]}},
        "timers": {"harbour": {"sticky": {"a": 1}}},
    }
    for name, value in older.items():
        (state / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    kept = ChatStates(FileSpace(tmp_path))
    assert (kept.clock.turn, kept.of("harbour").injected) == (5, {"beacon"})
    assert kept.of("harbour").timers == {"sticky": {"a": 1}}
    found = StateLog(FileSpace(tmp_path), "turns", lambda _: {}).load()
    assert found == {}, "nothing is written by looking"
    kept._tick(START)
    kept.close()
    found = StateLog(FileSpace(tmp_path), "turns").load()
    assert found[CLOCK].keys() == {"4", "5", "6"}
    assert found[CHAT + "harbour"]["#3"] == "y"
