"""What a person wants present on every turn: places of chats whose passages are constant, whatever version stands there."""

from collections.abc import Iterable

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.passage import Passage
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile

Pin = tuple[str, int, int]
"""A chat, the slot of a message in it, and which of its passages, counted from 0."""


def pin_of(one: Passage) -> Pin:
    """Where a passage stands: a swipe or an edit of its message stands in the same place."""
    return one.evidence[0].chat, one.slot, one.beside.index(one.id) if one.id in one.beside else 0


class Pinned(StateFile):
    """The pins of a role, in a state document of their own."""

    def __init__(self, space: Space) -> None:
        super().__init__(space, "pinned")

    def pins(self) -> frozenset[Pin]:
        """What is pinned."""
        return _pins(self.load())

    def add(self, passages: Iterable[Passage]) -> None:
        """Pin these; durable on return. Raises: NotWrittenError."""
        with self.changing() as state:
            state["passages"] = sorted(_pins(state).union(map(pin_of, passages)))

    def remove(self, passages: Iterable[Passage]) -> None:
        """Unpin these; durable on return. Raises: NotWrittenError."""
        with self.changing() as state:
            pins = _pins(state)
            state["passages"] = sorted(pins - {pin for one in passages for pin in held(one, pins)})


def _pins(state: JsonMapping) -> frozenset[Pin]:
    rows = state.get("passages", ())
    return frozenset((str(chat), int(slot), int(number)) for chat, slot, number in rows)


def held(one: Passage, pins: Iterable[Pin]) -> list[Pin]:
    """The pins that hold this passage; one behind the last passage of its message holds that."""
    chat, slot, number = pin_of(one)
    last = number == len(one.beside) - 1
    return [
        pin
        for pin in pins
        if pin[:2] == (chat, slot) and (pin[2] == number or (last and pin[2] > number))
    ]
