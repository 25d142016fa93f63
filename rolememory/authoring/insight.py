"""Insight into a role's memories: themes, what could be merged, what never fired and why, which keys are missing. Pure.

Sources: S1.42 (clusters and associations), S1.47 (recommendations).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rolememory.authoring.distinctive_terms import NAMED_BY, DistinctiveTerms
from rolememory.authoring.similarity import SimilarityRows, spelt
from rolememory.authoring.themes import Near, Theme, grouped, nearest
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory
from rolememory.text.fold import folded_key

ALIKE = {"meaning": 0.6, "words": 0.3}  # cosine from which two memories are read side by side
MOST_COMPARED = 120  # pairs that are, the most alike first: a reading takes some milliseconds
MOST = 50  # of each kind of finding
CLOSE, SHARED = (
    0.9,
    0.5,
)  # cosine of two texts that say the same in other words, and share of their words in common
TURNS_UNHEARD = 20  # turns after which silence means something


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that say the same; `keep` should stay. `likeness` is a cosine."""

    keep: str
    drop: str
    likeness: float


@dataclass(frozen=True, slots=True)
class UnusedMemory:
    """A memory that was in no prompt for so many turns, the likely reason, and more keys it could have."""

    id: str
    turns: int
    because: Reason
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeylessMemory:
    """A memory without keys, and keys taken from its text."""

    id: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insight:
    """The whole result. `alone`: how many memories belong to no theme."""

    themes: tuple[Theme, ...] = ()
    alone: int = 0
    mergeable: tuple[Pair, ...] = ()
    quiet: tuple[UnusedMemory, ...] = ()
    lacking: tuple[KeylessMemory, ...] = ()
    by: str = "words"  # meaning, or words


@dataclass(frozen=True, slots=True)
class InsightContext:
    """What else is known of the role. `turns_since` gives the user turns since a memory was told, None where unknown."""

    outdated: Collection[str] = frozenset()  # ids of memories that do not count now
    prompted: Collection[str] = frozenset()  # ids of those that were in some prompt
    turns_since: Callable[[Memory], int | None] = field(default=lambda memory: None)
    names: Collection[str] = frozenset()  # of the role and its users: they tell nothing apart
    said: str = ""  # the newest words of its chats, folded


def insight(
    memories: Mapping[str, Memory], like: SimilarityRows, known: InsightContext | None = None
) -> Insight:
    """Everything worth knowing about these memories. `like` holds the rows of those considered (`looked_at`). Cost: O(n²) for the nearest."""
    here = known or InsightContext()
    looked = [memories[one] for one in like.ids]
    near = nearest(like)
    telling = DistinctiveTerms(looked, here.names)
    found = grouped(looked, like, near, telling)
    return Insight(
        found,
        len(looked) - sum(len(theme.ids) for theme in found),
        tuple(_same(looked, near, like.by)),
        tuple(_quiet(looked, here, telling)),
        tuple(islice(_lacking(looked, telling, here.said), MOST)),
        like.by,
    )


def looked_at(memories: Iterable[Memory], outdated: Collection[str] = frozenset()) -> list[Memory]:
    """The memories that count: neither archived nor outdated."""
    return [memory for memory in memories if not memory.archived and memory.id not in outdated]


def _same(memories: Sequence[Memory], near: Near, by: str) -> list[Pair]:
    """Pairs that say the same about the same person, the most similar first; each memory in one pair only."""
    pairs = sorted(
        {
            (-cosine, min(at, other), max(at, other))
            for at, row in enumerate(near)
            for other, cosine in row
            if cosine >= ALIKE[by]
        }
    )
    could = [
        (-cosine, memories[at], memories[other])
        for cosine, at, other in pairs
        if _of_one(memories[at], memories[other])
    ]
    taken: set[str] = set()
    found: list[Pair] = []
    for cosine, one, two in could[:MOST_COMPARED]:
        if {one.id, two.id} & taken or not _say_the_same(
            one, two, cosine if by == "meaning" else 0.0
        ):
            continue
        taken |= {one.id, two.id}
        keep, drop = sorted((one, two), key=_dearest)
        found.append(Pair(keep.id, drop.id, round(cosine, 4)))
    return found[:MOST]


def _of_one(one: Memory, two: Memory) -> bool:
    return (one.type, one.user, one.subject) == (two.type, two.user, two.subject) and not (
        one.locked and two.locked
    )


def _say_the_same(one: Memory, two: Memory, cosine: float) -> bool:
    """Whether one adds nothing to the other: in the same words, or close in meaning with most words in common."""
    if _bare(one) == _bare(two):
        return True
    from rolememory.learn.admission.similarity import equal, turns_of

    if equal(one.content, two.content):
        return True
    mine, theirs = set(spelt(one.content)), set(spelt(two.content))
    if turns_of(one.content) != turns_of(two.content) or _numbers(mine) != _numbers(theirs):
        return False
    close = mine == theirs or cosine >= CLOSE
    return close and len(mine & theirs) >= SHARED * len(mine | theirs)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if word[:1].isdigit()}


def _bare(memory: Memory) -> str:
    """The letters alone."""
    return (
        "".join(letter for letter in folded_key(memory.content) if letter.isalnum())
        or memory.content
    )


def _dearest(memory: Memory) -> tuple[bool, bool, float, int, float, str]:
    """The order by which one of two stays: locked, authored, heavier, longer, newer."""
    told = memory.since.timestamp() if memory.since else 0.0
    return (
        not memory.locked,
        not memory.authored,
        -memory.weight,
        -len(memory.content),
        -told,
        memory.id,
    )


def _quiet(
    memories: Sequence[Memory], known: InsightContext, telling: DistinctiveTerms
) -> list[UnusedMemory]:
    """Memories that were in no prompt for many turns, the longest first."""
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
    """Keys it could have, first words that were said in chats, which are likely to be said again."""
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
