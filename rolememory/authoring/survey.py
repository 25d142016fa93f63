"""Similarities of a role's memories: computed once per change, shared by the map and by insight."""

from collections.abc import Hashable, Iterable, Sequence

from rolememory.authoring.insight import Insight, InsightContext, insight
from rolememory.authoring.similarity import SimilarityRows, likeness
from rolememory.chats.values import ChatInfo
from rolememory.engine import RoleMemory
from rolememory.recall.active_set import standing
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.value_class import value_class
from rolememory.text.fold import folded_key

# chats, messages of each and letters of one that are searched for keys
CHATS = 10
SAID = 200
LONGEST = 2000
MOST = 6000  # memories compared with each other, newest first: the cost is quadratic


@value_class
class Survey:
    """The result. `seen` is equal for equal inputs."""

    memories: MemoriesById  # not archived
    near: SimilarityRows  # the newest `MOST` that count: they are compared with each other
    insight: Insight
    seen: Hashable


def survey(role_memory: RoleMemory, known: Survey | None = None) -> Survey:
    """The survey of the current memories; `known` if nothing changed. Cost: O(n²) once per change."""
    every = role_memory.memories
    visibility = role_memory.chats.visible_from(None)
    names = frozenset((role_memory.role.name, *role_memory.role.aliases))
    prompted = frozenset(role_memory.usage.uses.tallies())  # as far back as uses are recorded
    vectors = role_memory.parts.context.vectors()
    turn = role_memory.turns
    chats = role_memory.chats.chats()[:CHATS]
    stored = (
        role_memory.store.snapshot().version,
        vectors and vectors.moves.version,
        visibility.token,
    )
    said_in = tuple((info.id, info.updated) for info in chats)
    seen = (role_memory, stored, names, prompted, turn, said_in)
    if known is not None and known.seen == seen:
        return known
    stands = standing(every, visibility)
    shown = {name: memory for name, memory in every.items() if not memory.archived}
    counting = [one for one in shown.values() if stands.holds(one.id)]
    near = likeness(newest(counting), vectors, names)  # names are not distinctive
    said = _said(role_memory, chats)
    more = InsightContext(prompted, lambda one: _turns_since(role_memory, one, turn), names, said)
    return Survey(shown, near, insight(shown, near, more), seen)


def newest(memories: Iterable[Memory]) -> list[Memory]:
    """The newest ones, in order; those without a date are authored, and count as new."""
    rows = list(memories)
    told = sorted(range(len(rows)), key=lambda at: -_moment(rows[at]))
    return [rows[at] for at in sorted(told[:MOST])]


def _moment(memory: Memory) -> float:
    return memory.since.timestamp() if memory.since else float("inf")


def _turns_since(role_memory: RoleMemory, memory: Memory, turn: int) -> int | None:
    """Turns since creation; all turns for a memory without a date."""
    told = role_memory.parts.recall.turn_at(memory.since) if memory.since else 0
    return None if told is None else turn - told


def _said(role_memory: RoleMemory, chats: Sequence[ChatInfo]) -> str:
    """The newest messages of these chats, folded."""
    return "\n".join(
        folded_key(said.text[:LONGEST])
        for info in chats
        for said in role_memory.chats.path(info.id)[-SAID:]
    )
