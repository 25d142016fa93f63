"""How the memories of a role stand to one another: looked at once per change, shared by the map and by insight."""

from collections.abc import Hashable, Iterable, Sequence

from rolememory.authoring.insight import Insight, InsightContext, insight
from rolememory.authoring.similarity import SimilarityRows, likeness
from rolememory.chats.values import ChatInfo
from rolememory.engine import RoleMemory
from rolememory.recall.active_set import standing
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.value_class import value_class
from rolememory.text.fold import folded_key

# chats, messages of each and letters of one in which keys are looked for
CHATS, SAID, LONGEST = 10, 200, 2000
MOST = 6000  # memories that are compared with each other, the newest: the cost is quadratic


@value_class
class Survey:
    """What was found in one look. `seen` is equal for two looks at the same."""

    memories: MemoriesById  # that are not archived
    near: (
        SimilarityRows  # of those that count, the newest `MOST`: they are compared with each other
    )
    insight: Insight
    seen: Hashable


def survey(role_memory: RoleMemory, known: Survey | None = None) -> Survey:
    """The memories as they stand now; `known` where nothing changed since. Cost: O(n²) once per change."""
    every, visibility = role_memory.memories, role_memory.chats.visible_from(None)
    names = frozenset((role_memory.role.name, *role_memory.role.aliases))
    vectors, maintenance = role_memory.parts.context.vectors(), role_memory.parts.maintenance
    chats, prompted, turn = _newest(role_memory), maintenance.prompted(), role_memory.turns
    stored = (role_memory.store.snapshot().version, vectors and vectors.version, visibility.token)
    said_in = tuple((info.id, info.updated) for info in chats)
    seen = (role_memory, stored, names, prompted, turn, said_in)
    if known is not None and known.seen == seen:
        return known
    stands = standing(every, visibility)
    shown = {name: memory for name, memory in every.items() if not memory.archived}
    counting = [one for one in shown.values() if stands.holds(one.id)]
    near = likeness(newest(counting), vectors, names)  # names tell no memory from another
    said = _said(role_memory, chats)
    more = InsightContext(prompted, lambda one: _turns_since(role_memory, one, turn), names, said)
    return Survey(shown, near, insight(shown, near, more), seen)


def newest(memories: Iterable[Memory], most: int = MOST) -> list[Memory]:
    """So many of them, in their order; what has no date is an author's, and counts as new."""
    rows = list(memories)
    told = sorted(range(len(rows)), key=lambda at: -_moment(rows[at]))
    return [rows[at] for at in sorted(told[:most])]


def _moment(memory: Memory) -> float:
    return memory.since.timestamp() if memory.since else float("inf")


def _turns_since(role_memory: RoleMemory, memory: Memory, turn: int) -> int | None:
    """What has no date has been there since the beginning, as far as anybody can tell."""
    told = role_memory.parts.recall.turn_at(memory.since) if memory.since else 0
    return None if told is None else turn - told


def _newest(role_memory: RoleMemory) -> list[ChatInfo]:
    chats = role_memory.chats.chats()
    return sorted(chats, key=lambda info: info.updated, reverse=True)[:CHATS]


def _said(role_memory: RoleMemory, chats: Sequence[ChatInfo]) -> str:
    """The newest words of these chats, folded."""
    return "\n".join(
        folded_key(said.text[:LONGEST])
        for info in chats
        for said in role_memory.chats.path(info.id)[-SAID:]
    )
