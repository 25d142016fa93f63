"""Analyses a role's memories: themes, unused ones and why, missing keys. Pure.

Sources: S1.42 (clusters and associations), S1.47 (recommendations).
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from itertools import islice

from rolememory.authoring.distinctive_terms import NAMED_BY, DistinctiveTerms
from rolememory.authoring.similarity import SimilarityRows
from rolememory.authoring.themes import Theme, grouped, nearest
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import MemoriesById, Memory
from rolememory.schema.value_class import value_class
from rolememory.text.fold import folded_key

MOST = 50  # maximum findings of each kind
TURNS_UNHEARD = 20  # turns without use that are significant


@value_class
class UnusedMemory:
    """A memory unused for many turns, the likely reason, and suggested keys."""

    id: str
    turns: int
    because: Reason
    keys: tuple[str, ...]


@value_class
class KeylessMemory:
    """A memory without keys, and suggestions from its text."""

    id: str
    keys: tuple[str, ...]


@value_class
class Insight:
    """The result. `alone`: the number of memories without a theme."""

    themes: tuple[Theme, ...] = ()
    alone: int = 0
    quiet: tuple[UnusedMemory, ...] = ()
    lacking: tuple[KeylessMemory, ...] = ()
    by: str = "words"  # meaning, or words


@value_class
class InsightContext:
    """Context of the role. `turns_since` returns the user turns since a memory was created, None if unknown."""

    prompted: Collection[str] = frozenset()  # ids of used memories
    turns_since: Callable[[Memory], int | None] = field(default=lambda memory: None)
    names: Collection[str] = frozenset()  # names of the role and its users: not distinctive
    said: str = ""  # recent chat text, folded


def insight(
    memories: MemoriesById, like: SimilarityRows, known: InsightContext | None = None
) -> Insight:
    """Analyse these memories. `like` has rows of those considered: they count, and are not archived. Cost: O(n²) for neighbours."""
    here = known or InsightContext()
    looked = [memories[one] for one in like.ids]
    telling = DistinctiveTerms(looked, here.names)
    found = grouped(looked, like, nearest(like), telling)
    return Insight(
        found,
        len(looked) - sum(len(theme.ids) for theme in found),
        tuple(_quiet(looked, here, telling)),
        tuple(islice(_lacking(looked, telling, here.said), MOST)),
        like.by,
    )


def _quiet(
    memories: Sequence[Memory], known: InsightContext, telling: DistinctiveTerms
) -> list[UnusedMemory]:
    """Memories unused for many turns, longest first."""
    unheard = [
        (memory, known.turns_since(memory))
        for memory in memories
        if memory.id not in known.prompted and not memory.constant
    ]
    found = [
        (turns, memory) for memory, turns in unheard if turns is not None and turns >= TURNS_UNHEARD
    ]
    longest = sorted(found, key=lambda pair: (-pair[0], pair[1].id))[:MOST]
    return [
        UnusedMemory(
            memory.id, turns, _silent(memory, known.said), _offered(memory, telling, known.said)
        )
        for turns, memory in longest
    ]


def _silent(memory: Memory, said: str) -> Reason:
    """The likely reason why it was not recalled."""
    plain = [key for key in memory.keys if not key.startswith("/")]
    if not memory.keys:
        return Reason("quiet_no_keys")
    if heard := next((key for key in plain if _is_said(key, said)), None):
        return Reason("quiet_outdone", (("key", heard),))
    return Reason("quiet_unsaid") if plain else Reason("quiet_patterns")


def _lacking(
    memories: Sequence[Memory], telling: DistinctiveTerms, said: str
) -> Iterator[KeylessMemory]:
    for memory in memories:
        if not memory.keys and not memory.constant and (keys := _offered(memory, telling, said)):
            yield KeylessMemory(memory.id, keys)


def _offered(memory: Memory, telling: DistinctiveTerms, said: str) -> tuple[str, ...]:
    """Suggested keys, first those that occur in chats and will probably occur again."""
    return tuple(sorted(telling.keys(memory), key=lambda key: not _is_said(key, said))[:NAMED_BY])


def _is_said(key: str, said: str) -> bool:
    folded = folded_key(key)
    if not folded.isascii():
        return folded in said
    return (
        bool(folded)
        and folded in said
        and re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", said) is not None
    )
