"""What a role and the bus keep and have no public word for yet: uses, weights by use, vectors, the story's clock. Only this module reaches for it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rolememory.engine import RoleMemory
from rolememory.schema.memory import Memory
from rolememory.schema.usage import Use
from rolememory.serve.events import Bus
from rolememory.store.memories import Edit, Snapshot

if TYPE_CHECKING:
    from rolememory.store.chats import Sight
    from rolememory.text.vectors import VectorTable


def uses_of(mind: RoleMemory, memory_id: str) -> list[Use]:
    """The turns that had this memory, newest first."""
    return mind._usage.uses.of(memory_id)


def effects_of(mind: RoleMemory, sight: "Sight", memories: Mapping[str, Memory]) -> Mapping[str, float]:
    """What use adds to weights, by id."""
    return mind._usage.effects(sight, memories)


def vectors_of(mind: RoleMemory, memories: Mapping[str, Memory]) -> "VectorTable | None":
    """The vectors as far as they are there."""
    return mind._recollection.meanings.follow(memories)


def turn_of(mind: RoleMemory, at: datetime) -> int | None:
    """The turn of the story at which something was told; None where nobody knows."""
    return mind._recollection.chats.clock.at(at)


def commit(mind: RoleMemory, edits: Sequence[Edit], actor: str = "author") -> Snapshot:
    """One transaction, after a backup where one is due."""
    return mind._commit(edits, actor)


def unbroken(bus: Bus, after: int) -> bool:
    """Whether every event since that number is still known."""
    numbers = [event.number for event in tuple(bus._newest)]
    return bool(numbers) and numbers[0] - 1 <= after <= numbers[-1]
