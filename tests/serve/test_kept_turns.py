"""What a server keeps of the turns that went through: what panels show, and nothing of what a turn was asked of."""

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.recall.index import MemoryIndex
from rolememory.recall.query import RecallQuery
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Later
from rolememory.schema.message import Message
from rolememory.serve.app_state import KEPT_TURNS, AppState, TurnNote

OFF = {"embedding.backend": "off"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[AppState]:
    with Home.open(tmp_path, OFF) as home:
        yield AppState(home)


def held(root: object) -> list[object]:
    """Everything that cannot be let go as long as this is held; the program itself apart."""
    seen, waiting = {id(root): root}, [root]
    while waiting:
        one = waiting.pop()
        found: Sequence[Any] = (
            one.__closure__ or () if isinstance(one, FunctionType) else gc.get_referents(one)
        )
        for other in found:
            if not isinstance(other, type | ModuleType) and id(other) not in seen:
                seen[id(other)] = other
                waiting.append(other)
    return list(seen.values())


def pass_through(house: AppState, role: RoleMemory, text: str, chat: str = "harbour") -> Turn:
    turn = role.recall([Message.user(text)], chat=chat, user="lin")
    house.note(
        TurnNote(
            role.id, "Mira", chat, "normal", len(turn.recalled), len(turn.text), 1.0, turn=turn
        )
    )
    return turn


@pytest.mark.parametrize(
    ("memory", "key", "said"),
    [
        pytest.param(
            "The beacon failed in the storm.", "beacon", "Why is the beacon dark?", id="en"
        ),
        pytest.param("灯塔在暴风雨里熄灭了。", "灯塔", "灯塔为什么不亮？", id="zh"),
    ],
)
def test_a_kept_turn_says_what_it_said_and_holds_nothing_it_was_asked_of(
    house: AppState, memory: str, key: str, said: str
) -> None:
    role = house.home.create("Mira")
    role.remember(memory, keys=[key])
    turns = [pass_through(house, role, said) for _ in range(3)]
    kept = [note.turn for note in house.turns(role.id)]
    assert len(kept) == 3
    assert [one for one in held(kept) if isinstance(one, RecallQuery | MemoryIndex | Later)] == []
    for turn, bare in zip(reversed(turns), kept, strict=True):
        assert bare is not None
        assert len(bare.recalled) == 1
        assert (bare.text, bare.recalled, bare.stats) == (turn.text, turn.recalled, turn.stats)
        assert str(bare.explain()) == str(turn.explain())
    assert [one for one in held(turns) if isinstance(one, RecallQuery)] != []


def test_only_the_newest_turns_are_kept(house: AppState) -> None:
    role = house.home.create("Mira")
    for number in range(KEPT_TURNS + 5):
        pass_through(house, role, f"Turn {number}.", chat=str(number))
    assert [note.chat for note in house.turns(role.id)] == [
        str(number) for number in range(KEPT_TURNS + 4, 4, -1)
    ]
