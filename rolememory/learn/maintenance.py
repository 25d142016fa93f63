"""Maintenance: archives memories that are no longer useful, never deletes, and restores what counts again. Source: S1.34, S4.15, S4.30.

    expired · too light with its use · merged into one that says the same · without evidence · over the limit of its type

Memories based on chats are archived only once the chats have settled, so a swipe of today changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from itertools import islice
from typing import Self

from rolememory.learn.admission import similarity
from rolememory.learn.model.known_memories import told_at
from rolememory.schema.evidence import Reason
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.memory import MemoriesById, Memory, MemoryType
from rolememory.schema.settings import PerType
from rolememory.schema.value_class import value_class
from rolememory.storage.memories import HistoryLine
from rolememory.text.timestamps import iso, moment
from rolememory.usage.weights import weight

SETTLED_DAYS = 7.0  # a swipe, edit or deletion this old is final
DAILY = timedelta(days=1)
MOST_COMPARED = (
    500  # pairs of texts in one pass, newest first: the rest is outdated anyway, and waits
)
ACTOR = "clean"  # the actor in the journal

Counts = Callable[[Memory], bool]
"""Whether a memory counts, seen from all chats: it rests on none, or one of its supports stands in one of them."""


def always(memory: Memory) -> bool:
    """True: everything counts in a role without chats."""
    return True


def says_the_same(earlier: Memory, later: Memory) -> bool:
    """Whether neither adds anything to the other."""
    return similarity.equal(earlier.content, later.content)


@value_class
class Retirement:
    """A memory to be archived, and why."""

    id: str
    because: Reason


@value_class
class Upkeep:
    """The last maintenance, and memories without evidence then, each with the day this was first seen."""

    last: datetime | None = None
    gone: Mapping[str, datetime] = field(default_factory=dict)

    @classmethod
    def of(cls, raw: JsonMapping) -> Self:
        """Parse a state file; invalid content counts as no maintenance yet."""
        try:
            gone = {str(memory_id): moment(at) for memory_id, at in raw.get("gone", {}).items()}
            return cls(moment(raw["last"]), gone) if "last" in raw else cls()
        except (AttributeError, TypeError, ValueError):
            return cls()

    def to_json(self) -> JsonObject:
        """The content of a state file."""
        return (
            {"last": iso(self.last), "gone": {one: iso(at) for one, at in self.gone.items()}}
            if self.last
            else {}
        )

    def looked(self, memories: Iterable[Memory], now: datetime, counts: Counts) -> "Upkeep":
        """The state after a pass: restored memories are removed, missing ones keep their day."""
        without = (memory.id for memory in memories if not memory.archived and not counts(memory))
        return Upkeep(now, {memory_id: self.gone.get(memory_id, now) for memory_id in without})


def due(last: datetime | None, now: datetime, every: timedelta = DAILY) -> bool:
    """Whether maintenance is due: never done, long ago, or in the future by a wrong clock."""
    return last is None or now - last >= every or last - now >= every


def retire(
    memories: Iterable[Memory],
    now: datetime,
    *,
    below_weight: float,
    limits: PerType,
    effects: Mapping[str, float] | None = None,
    counts: Counts = always,
    gone: Mapping[str, datetime] | None = None,
) -> list[Retirement]:
    """What `clean` archives, in this order: expired, too light, merged away, without support, over the limit of its type.

    `effects` is what use adds to weights, `gone` since when memories have had no evidence (`Upkeep.gone`). Locked and
    constant memories are kept, and so are authored ones, unless expired, too light by their own weight or
    over the limit. What was outdated by an archived memory is archived too: it must not come back as if true.
    Cost: O(memories), and a comparison of texts for each pair of which one replaced the other, at most `MOST_COMPARED`.
    """
    live = {memory.id: memory for memory in memories if not memory.archived}
    settled, added = now - timedelta(days=SETTLED_DAYS), effects or {}
    gone_by: dict[str, Reason] = {}
    for memory_id, why in (
        *_expired(live.values(), now),
        *_worn(live.values(), below_weight, added),
        *_merged(live, settled, counts),
        *_unsupported(live.values(), gone or {}, settled, counts),
    ):
        gone_by.setdefault(memory_id, why)
    left = [memory for memory in live.values() if memory.id not in gone_by]
    gone_by |= dict(_crowded(left, limits, added, _replaced(live.values(), counts)))
    gone_by |= dict(_left_behind(live, gone_by, counts))
    return [Retirement(memory_id, why) for memory_id, why in gone_by.items()]


def _replaced(memories: Iterable[Memory], counts: Counts) -> set[str]:
    """The memories replaced by another that counts."""
    replacing = (memory for memory in memories if memory.supersedes and counts(memory))
    return {old for memory in replacing for old in memory.supersedes if old != memory.id}


def revived(
    memories: MemoriesById, because: Mapping[str, str], counts: Counts = always
) -> list[Retirement]:
    """Memories archived wrongly, and why: their messages are back, or their replacement no longer counts.

    `because` is why maintenance archived each (`archived_because`); what a person archived stays archived.
    """
    replaced = _replaced(memories.values(), counts)
    put_away = (
        memory
        for memory_id in because
        if (memory := memories.get(memory_id)) and memory.archived and counts(memory)
    )

    def free(memory_id: str) -> bool:
        why = because[memory_id]
        return why == "unsupported" or (
            why in ("merged", "superseded") and memory_id not in replaced
        )

    return [Retirement(memory.id, Reason("counts_again")) for memory in put_away if free(memory.id)]


def archived_because(history: Iterable[HistoryLine]) -> dict[str, str]:
    """Why maintenance last archived each memory, by id, from the history of a role, newest first."""
    last: dict[str, str] = {}
    for line in history:
        if line.id not in last and "archived" in line.fields:
            last[line.id] = (
                line.reason if line.actor == ACTOR and line.fields["archived"][1] else ""
            )
    return {memory_id: reason for memory_id, reason in last.items() if reason}


def strength(
    memory: Memory, effects: Mapping[str, float] | None = None
) -> tuple[float, float, float, str]:
    """The sort key when room is short: weight with use, then salience, then age, then id; larger is kept."""
    since = memory.since.timestamp() if memory.since else 0.0
    return (
        weight(memory, effects or {}),
        memory.salience + memory.priority / 100,
        since,
        memory.id,
    )


def spared(memory: Memory) -> bool:
    """Whether it stays, however weak it is: it is locked or constant."""
    return memory.locked or memory.constant


def _learned(memory: Memory) -> bool:
    """Whether maintenance may archive it: not authored, locked or constant."""
    return not (spared(memory) or memory.authored)


def _expired(memories: Iterable[Memory], now: datetime) -> Iterator[tuple[str, Reason]]:
    for memory in memories:
        if memory.expires and memory.expires <= now and not memory.locked:
            yield memory.id, Reason.of("expired", at=memory.expires.isoformat())


def _worn(
    memories: Iterable[Memory], below_weight: float, effects: Mapping[str, float]
) -> Iterator[tuple[str, Reason]]:
    for memory in memories:
        left = weight(memory, effects)
        if left < below_weight and not spared(memory):
            yield memory.id, Reason.of("low_weight", weight=left, below=below_weight)


def _merged(live: MemoriesById, settled: datetime, counts: Counts) -> Iterator[tuple[str, Reason]]:
    """Memories that a later one restates."""
    comparable = (
        (earlier, later)
        for earlier, later in _replacements(live, settled, counts)
        if _learned(earlier) and not _outdates_more(earlier, later, live)
    )
    for earlier, later in islice(comparable, MOST_COMPARED):
        if says_the_same(earlier, later):
            yield earlier.id, Reason.of("merged", into=later.id)


def _replacements(
    live: MemoriesById, settled: datetime, counts: Counts
) -> Iterator[tuple[Memory, Memory]]:
    """(earlier, later) of memories replaced some time ago, latest first."""
    replacing = (memory for memory in live.values() if memory.supersedes)
    for later in sorted(replacing, key=told_at, reverse=True):
        if not (later.created and later.created > settled) and counts(later):
            yield from (
                (live[one], later) for one in later.supersedes if one in live and one != later.id
            )


def _outdates_more(earlier: Memory, later: Memory, live: MemoriesById) -> bool:
    """Whether archiving the earlier one would restore something that the later one does not outdate."""
    return any(one in live and one not in later.supersedes for one in earlier.supersedes)


def _unsupported(
    memories: Iterable[Memory], gone: Mapping[str, datetime], settled: datetime, counts: Counts
) -> Iterator[tuple[str, Reason]]:
    for memory in memories:
        since = gone.get(memory.id)
        if (
            since
            and since <= settled
            and memory.evidence
            and _learned(memory)
            and not counts(memory)
        ):
            yield memory.id, Reason("unsupported")


def _crowded(
    memories: list[Memory], limits: PerType, effects: Mapping[str, float], outdated: Collection[str]
) -> Iterator[tuple[str, Reason]]:
    """The weakest beyond the limit of each type, outdated ones first."""
    for kind in MemoryType:
        limit: int | None = getattr(limits, kind.array)
        own = [memory for memory in memories if memory.type is kind]
        if limit is None or len(own) <= limit:
            continue
        weakest = sorted(
            (memory for memory in own if not spared(memory)),
            key=lambda memory: (memory.id not in outdated, strength(memory, effects)),
        )
        for memory in weakest[: len(own) - limit]:
            yield memory.id, Reason.of("limit", type=kind.value, limit=limit)


def _left_behind(
    live: MemoriesById, gone: Mapping[str, Reason], counts: Counts
) -> Iterator[tuple[str, Reason]]:
    """What was outdated only by memories archived now, unless those expired or lost their evidence."""
    held = {*gone} | _replaced((one for one in live.values() if one.id not in gone), counts)
    for memory_id, why in gone.items():
        if why.code in ("low_weight", "limit") and counts(live[memory_id]):
            for old in live[memory_id].supersedes:
                if old in live and old not in held and not spared(live[old]):
                    yield old, Reason.of("superseded", by=memory_id)
