"""Pinned places of chats: their passages are constant, in any version."""

from collections.abc import Iterable

from rolememory.schema.json_types import JsonMapping
from rolememory.schema.passage import Passage
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile

Pin = tuple[str, int, int]
"""A chat, the slot of a message in it, and which of its passages, counted from 0."""


def pin_of(one: Passage) -> Pin:
    """The pin of a passage, independent of swipes and edits of its message."""
    return one.evidence[0].chat, one.slot, one.beside.index(one.id) if one.id in one.beside else 0


class Pinned(StateFile):
    """The pins of a role, stored as a state document."""

    def __init__(self, space: Space) -> None:
        super().__init__(space, "pinned")

    def pins(self) -> frozenset[Pin]:
        """All pins."""
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
    """The pins for this passage; a pin beyond the last passage of its message means the last."""
    chat, slot, number = pin_of(one)
    last = number == len(one.beside) - 1
    return [
        pin
        for pin in pins
        if pin[:2] == (chat, slot) and (pin[2] == number or (last and pin[2] > number))
    ]
