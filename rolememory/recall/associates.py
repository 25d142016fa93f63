"""Memories of associated roles: shared if both files name each other, with lower scores, and marked. Source: S1.21.

Memories of another role are queried like our own, by our settings and for our user: without those private to another
user, archived, superseded or withdrawn there. Its constant memories are not constant here.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rolememory.errors import RoleMemoryError
from rolememory.locales import Localized, LocalizedNote, LocalizedText
from rolememory.recall.active_set import EVERYTHING, Visibility
from rolememory.recall.gates import Asker, first_closed, inherited
from rolememory.recall.index import Clock, MemoryIndex
from rolememory.recall.live import LiveIndex
from rolememory.recall.weigh import Note, weigh
from rolememory.schema.evidence import Contribution, Earlier, Reason, Scored
from rolememory.schema.memory import MemoriesById, Memory, MemoryType
from rolememory.schema.role import Role
from rolememory.schema.scene import Scene
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.text.affect_lexicon import Lexicon
from rolememory.text.names import SELF_WORDS
from rolememory.text.vectors import VectorTable

BETWEEN = "/"  # the id of a memory heard from Asha is "Asha/..."

_OTHER_SELF = re.compile(r"\{\{\s*(?:char|bot)\s*\}\}|<(?:char|bot)>", re.IGNORECASE)
_OF_ITSELF = (MemoryType.TRAIT, MemoryType.GOAL)


@value_class
class AssociatedRole:
    """An associated role with its current memories."""

    role: Role
    factor: float  # 0..1, by our role.json: how much its word counts
    memories: MemoriesById
    vectors: VectorTable | None = None
    visibility: Visibility = (
        EVERYTHING  # which of its learned memories count, seen from none of its chats
    )


@value_class
class Circle:
    """The associated roles of a turn, and notes on unavailable ones."""

    others: tuple[AssociatedRole, ...] = ()
    notes: tuple[str, ...] = ()


NOBODY = Circle()
"""A role without associates."""


def partners(role: Role, find: Callable[[str], Role]) -> tuple[list[tuple[Role, float]], list[str]]:
    """The mutually associated roles, each with its factor, and notes on all others that this one names.

    `find` brings a role by id, name or alias, or raises a RoleMemoryError.
    """
    found: dict[str, tuple[Role, float]] = {}
    notes: list[str] = []
    for named in role.associates:
        try:
            other = find(named.role)
        except RoleMemoryError as error:
            notes.append(unavailable(named.role, error))
            continue
        if other.id == role.id or not any(_means(one.role, role, find) for one in other.associates):
            notes.append(
                unavailable(
                    other.name,
                    LocalizedText(
                        "not heard, its role.json does not name {name!r} among its associates",
                        name=role.name,
                    ),
                )
            )
        elif named.factor > 0.0:
            found[other.id] = (other, named.factor)
    return list(found.values()), notes


def unavailable(name: str, why: Localized) -> LocalizedNote:
    """The note on an associate that is not heard."""
    return LocalizedNote(LocalizedText("associate {associate!r}: {told}", associate=name, told=why))


def _means(name: str, role: Role, find: Callable[[str], Role]) -> bool:
    if name in (role.id, role.name):
        return True
    try:
        return find(name).id == role.id
    except RoleMemoryError:
        return False


@dataclass(slots=True)
class _SharedMemories:
    """Cache of another role's memories in their form here."""

    name: str
    heard_from: dict[str, str]  # id here -> name of the role
    known: dict[str, tuple[Memory, Memory]] = field(
        default_factory=dict
    )  # id there -> (there, here)

    def here(self, memory: Memory) -> Memory:
        kept = self.known.get(memory.id)
        if kept is None or kept[0] is not memory:
            kept = self.known[memory.id] = (memory, as_heard(memory, self.name))
            self.heard_from[kept[1].id] = self.name
        return kept[1]


def as_heard(memory: Memory, name: str) -> Memory:
    """A memory of another role in its form here: about that role, and semantic (not its trait, goal or event).

    >>> here = as_heard(Memory(id="brave", content="Brave.", type="trait"), "Asha")
    >>> here.id, here.subject, here.type.value
    ('Asha/brave', 'Asha', 'semantic')
    """
    of_itself = memory.type in _OF_ITSELF
    changes = {
        "id": f"{name}{BETWEEN}{memory.id}",
        "content": _OTHER_SELF.sub(lambda _: name, memory.content),
        "subject": name
        if memory.subject in SELF_WORDS or (not memory.subject and of_itself)
        else memory.subject,
        "type": MemoryType.SEMANTIC if of_itself else memory.type,
        "constant": False,
        "supersedes": (),
    }
    return memory.model_copy(update=changes)


@value_class
class Associated:
    """An associated role in one turn."""

    name: str
    factor: float
    index: MemoryIndex
    visibility: Visibility
    superseded: Mapping[str, str]
    audience: Callable[[Asker], Collection[str]]
    told: _SharedMemories = field(repr=False, compare=False)

    def heard(
        self, scene: Scene, asker: Asker, settings: Settings, note: Note | None = None
    ) -> Iterator[Scored]:
        """Its activated memories in their form here, with scores multiplied by the factor."""
        index, asker = self.index, self._asked_by(asker)
        with index.table.lock:
            audience = self.audience(asker)
            found = weigh(
                index.table,
                [one for one in index.strategies if one.trigger.name != "constant"],
                replace(scene, reading=index.read(scene.segments, scene.names)),
                audience,
                settings.weigh,
                multiply=settings.recall.fusion == "multiply",
                heirs=inherited(index.memories, asker, audience),
                note=note,
            )
        return map(self._softened, found)

    def find(self, memory_id: str) -> Memory | None:
        """The other role's memory for an id here."""
        name, between, there = memory_id.partition(BETWEEN)
        return self.index.memories.get(there) if between and name == self.name else None

    def closed(self, memory: Memory, asker: Asker) -> Reason | None:
        """Why a memory of that role is not eligible for this asker."""
        found = first_closed(memory, self._asked_by(asker))
        return found[1] if found else None

    def _asked_by(self, asker: Asker) -> Asker:
        """Who asks, with what counts of this role's memories."""
        return replace(asker, visibility=self.visibility, superseded=self.superseded)

    def _softened(self, scored: Scored) -> Scored:
        score = round(scored.score * self.factor, 6)
        why = Reason("associate", (("role", self.name), ("factor", self.factor)))
        lost = Contribution("associate", round(score - scored.score, 6), why)
        return replace(
            scored,
            memory=self.told.here(scored.memory),
            score=score,
            contributions=(*scored.contributions, lost),
            earlier=scored.earlier and self._here(scored.earlier),
        )

    def _here(self, earlier: Earlier) -> Earlier:
        return earlier._replace(entry_id=f"{self.name}{BETWEEN}{earlier.entry_id}")


class Associates:
    """An index for each associated role, kept between turns, by our own settings. Not thread-safe."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self._settings, self._clock = settings, clock
        self._live: dict[str, LiveIndex] = {}
        self._told: dict[str, _SharedMemories] = {}
        self.heard_from: dict[
            str, str
        ] = {}  # id of a heard memory -> the role it is heard from; the same object always

    def follow(
        self, others: Sequence[AssociatedRole], settings: Settings, lexicon: Lexicon | None
    ) -> tuple[Associated, ...]:
        """The current associated roles. Cost: O(differences in their memories)."""
        if not others and not self._live:
            return ()
        for role_id in self._live.keys() - {other.role.id for other in others}:
            del self._live[role_id], self._told[role_id]
        return tuple(
            self._following(other, name, settings, lexicon)
            for other, name in zip(others, _names(others), strict=True)
        )

    def _following(
        self, other: AssociatedRole, name: str, settings: Settings, lexicon: Lexicon | None
    ) -> Associated:
        live = self._live.setdefault(other.role.id, LiveIndex(self._settings, self._clock))
        index = live.follow(other.memories, settings, other.vectors, lexicon)
        told = self._told.get(other.role.id)
        if told is None or told.name != name:
            told = self._told[other.role.id] = _SharedMemories(name, self.heard_from)
            self.heard_from[name + BETWEEN] = name
        outdated = live.superseded(other.visibility)
        return Associated(
            name, other.factor, index, other.visibility, outdated, live.audience, told
        )


def _names(others: Sequence[AssociatedRole]) -> list[str]:
    """The names of roles here; equal names are distinguished by ids."""
    plain = [other.role.name for other in others]
    return [
        f"{name} ({other.role.id[:8]})" if plain.count(name) > 1 else name
        for other, name in zip(others, plain, strict=True)
    ]
