"""What a role and the bus keep and have no public word for yet: uses, weights by use, vectors, the story's clock. Only this module reaches for it."""

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING

from rolememory.engine import Home, RoleMemory
from rolememory.errors import SettingsError
from rolememory.schema.lorebook import LoreEntry
from rolememory.schema.memory import Memory
from rolememory.schema.role import Role
from rolememory.schema.usage import Use
from rolememory.serve.events import Bus
from rolememory.serve.house import House, TurnNote
from rolememory.storage.memories import Edit, Snapshot
from rolememory.storage.settings import Loaded
from rolememory.text.names import Names

if TYPE_CHECKING:
    from rolememory.chats import Sight
    from rolememory.text.vectors import VectorTable

MOST_OF_A_TURN = 30  # memories whose pairs are counted


def uses_of(mind: RoleMemory, memory_id: str) -> list[Use]:
    """The turns that had this memory, newest first."""
    return mind._usage.uses.of(memory_id)


def prompted_of(mind: RoleMemory) -> frozenset[str]:
    """The ids of memories that were in some prompt, as far back as uses are noted."""
    return frozenset(mind._usage.uses.tallies())


def used_together(mind: RoleMemory, least: int = 2) -> list[tuple[str, str]]:
    """Pairs of memories that replies used in the same turn, so often at least, the most often first."""
    uses = mind._usage.uses
    with uses._lock:
        turns = [
            sorted(turn["used"])[:MOST_OF_A_TURN]
            for kept in uses._current().values()
            for turn in kept["turns"].values()
        ]
    counted = Counter(pair for used in turns for pair in combinations(used, 2))
    return sorted(
        (pair for pair, times in counted.items() if times >= least),
        key=lambda pair: (-counted[pair], pair),
    )


def effects_of(
    mind: RoleMemory, sight: "Sight", memories: Mapping[str, Memory]
) -> Mapping[str, float]:
    """What use adds to weights, by id."""
    return mind._usage.effects(sight, memories)


def vectors_of(mind: RoleMemory) -> "VectorTable | None":
    """The vectors of memories and of what was said, as far as they are there."""
    return mind._vectors()


def entries_of(mind: RoleMemory) -> Mapping[str, LoreEntry]:
    """The lorebook entries that the role hears, by their ids among all books."""
    index = mind._recollection.books.index(mind.role.worldbooks, mind.settings.lore)
    return {one.id: one.entry for one in index.entries} if index else {}


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


def forget_chat(mind: RoleMemory, chat: str) -> None:
    """Remove a chat with what is noted about it: timers, uses, how far it was read."""
    mind.chats.remove(chat)
    mind.learner.drop([chat])
    mind._usage.forget([chat])
    mind._recollection.chats.forget([chat])


def forget_turns(house: House, names: Collection[str]) -> None:
    """Turns of this person, and those that had or named something of theirs, are shown no longer."""
    known = Names(names)
    with house._lock:
        for role_id, notes in house._turns.items():
            kept = [note for note in notes if note.user not in names and not _holds(note, known)]
            house._turns[role_id] = deque(kept, maxlen=notes.maxlen)


def _holds(note: TurnNote, names: Names) -> bool:
    recalled = note.turn.recalled if note.turn is not None else ()
    return names.found(note.chat) or any(
        one.memory.user in names.all or names.found(one.memory.content) for one in recalled
    )


def loaded_of(home: Home, role: Role | None) -> tuple[Loaded, SettingsError | None]:
    """The settings of the home or of a role with where each comes from, and what is wrong with the file as it stands."""
    loaded = (
        home._file.current(role.settings, f"{role.id}/role.json") if role else home._file.current()
    )
    return loaded, home._file.problem
