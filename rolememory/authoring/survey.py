"""How the memories of a role stand to one another: looked at once per change, shared by the map and by insight."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

from rolememory.authoring.insight import Insight, InsightContext, insight, looked_at
from rolememory.authoring.layout import Layout, Spot, laid_out
from rolememory.authoring.similarity import SimilarityRows, likeness
from rolememory.authoring.themes import Theme, themes
from rolememory.engine import RoleMemory
from rolememory.recall.active_set import standing
from rolememory.schema.memory import Memory
from rolememory.text.fold import folded_key

# chats, messages of each and letters of one in which keys are looked for
CHATS, SAID, LONGEST = 10, 200, 2000
MOST = 6000  # memories that are compared with each other, the newest: the cost is quadratic


@dataclass(frozen=True, slots=True)
class SurveyedMemories:
    """Every memory that is not archived, as rows that can be compared."""

    memories: Mapping[str, Memory]
    like: SimilarityRows
    near: (
        SimilarityRows  # of those that count, the newest `MOST`: they are compared with each other
    )
    outdated: frozenset[str]
    names: frozenset[str]
    seen: Hashable  # equal for two of the same


class Survey:
    """Of one role. Thread-safe: who asks while somebody looks waits for what they find."""

    def __init__(self, role_memory: RoleMemory) -> None:
        self.role_memory = role_memory
        self._lock = Lock()
        self._ground: SurveyedMemories | None = None
        self._layout = Layout()
        self._themes: tuple[Hashable, tuple[Theme, ...]] | None = None
        self._insight: tuple[Hashable, Insight] | None = None

    def map(self) -> tuple[SurveyedMemories, dict[str, Spot], tuple[Theme, ...]]:
        """The ground, a place for each memory, both in -1..1, and the themes. Cost: O(n²) once, then by what is new."""
        with self._lock:
            ground = self._looked()
            rows = list(ground.memories.values())
            self._layout = laid_out(rows, ground.like, self._layout)
            if self._themes is None or self._themes[0] != ground.seen:
                self._themes = (ground.seen, themes(ground.memories, ground.near, ground.names))
            return ground, self._layout.of(rows), self._themes[1]

    def insight(self) -> tuple[SurveyedMemories, Insight]:
        """The ground, and what stands out. Cost: O(n²) once per change."""
        with self._lock:
            ground, role_memory = self._looked(), self.role_memory
            prompted, turn, said = (
                role_memory.parts.maintenance.prompted(),
                role_memory.turns,
                _said(role_memory),
            )
            token = (ground.seen, prompted, turn, said)
            if self._insight is None or self._insight[0] != token:
                known = InsightContext(
                    ground.outdated,
                    prompted,
                    lambda memory: _turns_since(role_memory, memory, turn),
                    ground.names,
                    said,
                )
                self._insight = (token, insight(ground.memories, ground.near, known))
            return ground, self._insight[1]

    def _looked(self) -> SurveyedMemories:
        """The ground as it is now."""
        role_memory, role = self.role_memory, self.role_memory.role
        every, visibility, names = (
            role_memory.memories,
            role_memory.chats.visible_from(None),
            frozenset((role.name, *role.aliases)),  # they tell no memory from another
        )
        vectors = role_memory.parts.context.vectors()
        seen = (
            role_memory.store.snapshot().version,
            vectors and vectors.version,
            visibility.token,
            names,
        )
        if self._ground is None or self._ground.seen != seen:
            stands = standing(every, visibility)
            outdated = frozenset((*stands.withdrawn, *stands.superseded))
            shown = {name: memory for name, memory in every.items() if not memory.archived}
            like = likeness(list(shown.values()), vectors, names)
            self._ground = SurveyedMemories(
                shown,
                like,
                like.of(newest(looked_at(shown.values(), outdated))),
                outdated,
                names,
                seen,
            )
        return self._ground


def newest(memories: Iterable[Memory], most: int = MOST) -> list[str]:
    """The ids of so many, in their order; what has no date is an author's, and counts as new."""
    rows = list(memories)
    if len(rows) <= most:
        return [memory.id for memory in rows]
    told = sorted(range(len(rows)), key=lambda at: -_moment(rows[at]))
    return [rows[at].id for at in sorted(told[:most])]


def _moment(memory: Memory) -> float:
    return memory.since.timestamp() if memory.since else float("inf")


def _turns_since(role_memory: RoleMemory, memory: Memory, turn: int) -> int | None:
    """What has no date has been there since the beginning, as far as anybody can tell."""
    told = role_memory.parts.recall.turn_at(memory.since) if memory.since else 0
    return None if told is None else turn - told


def _said(role_memory: RoleMemory) -> str:
    """The newest words of the chats, folded."""
    newest_first = sorted(role_memory.chats.chats(), key=lambda info: info.updated, reverse=True)[
        :CHATS
    ]
    return "\n".join(
        folded_key(said.text[:LONGEST])
        for info in newest_first
        for said in role_memory.chats.path(info.id)[-SAID:]
    )
