"""What stands out in what a role remembers: themes, what could be merged, what contradicts, what never came up and which keys it lacks. Pure.

Sources: S1.42 (clusters and associations), S1.46 (contradictions), S1.47 (recommendations).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from math import log

from rapidfuzz import fuzz

from rolememory.author.likeness import Likeness, spelt
from rolememory.learn.derive import derive
from rolememory.learn.tend import says_the_same
from rolememory.schema.evidence import Reason
from rolememory.schema.memory import Memory
from rolememory.text.fold import folded_key
from rolememory.text.words import RARE, is_pair, kind, stem

NEAREST = 8  # neighbours that may belong to the same theme
JOINS = {"meaning": 0.5, "words": 0.3}  # cosine from which neighbours do
STEP = 0.08  # by which that rises for a theme that is too large
LARGEST = 60  # memories of one theme
SMALLEST = 3
NAMED_BY = 3  # words of a theme's name
SPEAK_FOR_THEIR_THEME = 8  # members whose words name it
ALIKE = {"meaning": 0.72, "words": 0.55}  # cosine from which two memories are looked at whether they say the same
SAME_LETTERS = 88.0  # 0..100, from which they do, whatever rules say
MOST_COMPARED = 1500
MOST = 50  # of each kind of finding
TURNS_UNHEARD = 20  # turns after which silence means something


@dataclass(frozen=True, slots=True)
class Theme:
    """Memories that have to do with one another, nearest to its heart first."""

    name: tuple[str, ...]  # its most telling words
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that say the same: `keep` would stay. `likeness` is a cosine."""

    keep: str
    drop: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Clash:
    """What waits for a person because it contradicts memories."""

    waiting: str
    against: tuple[str, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Quiet:
    """A memory that was in no prompt for so many turns, and keys that would let it in; it has those that it has already."""

    id: str
    turns: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lacking:
    """A memory without keys, and some that its text offers."""

    id: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insight:
    """Everything that stands out. `alone`: how many memories belong to no theme."""

    themes: tuple[Theme, ...] = ()
    alone: int = 0
    mergeable: tuple[Pair, ...] = ()
    clashes: tuple[Clash, ...] = ()
    quiet: tuple[Quiet, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    by: str = "words"  # meaning, or words


@dataclass(frozen=True, slots=True)
class Known:
    """What else is known of the role. `turns_since` brings the user turns since a memory was told, None where nobody knows."""

    outdated: Collection[str] = frozenset()  # ids of memories that do not count now
    prompted: Collection[str] = frozenset()  # ids of those that were in some prompt
    clashes: Sequence[Clash] = ()
    turns_since: Callable[[Memory], int | None] = field(default=lambda memory: None)
    names: Collection[str] = frozenset()  # of the role and its users: they tell nothing apart


def insight(memories: Mapping[str, Memory], like: Likeness, known: Known | None = None) -> Insight:
    """What stands out. `like` holds the rows of those memories that are looked at (`looked_at`). Cost: O(n²) for the nearest."""
    here = known or Known()
    looked = [memories[one] for one in like.ids]
    near = _nearest(like)
    telling = _Telling(looked, here.names)
    found = _themes(looked, like, near, telling)
    return Insight(
        found,
        len(looked) - sum(len(theme.ids) for theme in found),
        tuple(islice(_mergeable(looked, near, ALIKE[like.by]), MOST)),
        tuple(here.clashes)[:MOST],
        tuple(_quiet(looked, here, telling)),
        tuple(islice(_lacking(looked, telling), MOST)),
        like.by,
    )


def themes(memories: Mapping[str, Memory], like: Likeness, names: Collection[str] = ()) -> tuple[Theme, ...]:
    """The themes alone, the largest first."""
    looked = [memories[one] for one in like.ids]
    return _themes(looked, like, _nearest(like), _Telling(looked, names))


def alike(like: Likeness) -> list[tuple[str, str]]:
    """Pairs that are each other's nearest, and near enough to belong to one theme."""
    near = _nearest(like, 1)
    first = {at: other for at, row in enumerate(near) for other, cosine in row if cosine >= JOINS[like.by]}
    return [(like.ids[at], like.ids[other]) for at, other in first.items() if at < other and first.get(other) == at]


def looked_at(memories: Iterable[Memory], outdated: Collection[str] = frozenset()) -> list[Memory]:
    """The memories that count: neither archived nor outdated."""
    return [memory for memory in memories if not memory.archived and memory.id not in outdated]


Near = Sequence[Sequence[tuple[int, float]]]


def _nearest(like: Likeness, most: int = NEAREST) -> Near:
    places, cosines = (found[:, :most].tolist() for found in like.neighbours())
    return [list(zip(row, told, strict=True)) for row, told in zip(places, cosines, strict=True)]


def _themes(looked: Sequence[Memory], like: Likeness, near: Near, telling: "_Telling") -> tuple[Theme, ...]:
    found = [
        Theme(telling.name([looked[at] for at in group]), tuple(looked[at].id for at in group)) for group in _groups(near, JOINS[like.by])
    ]
    return tuple(sorted(found, key=lambda theme: (-len(theme.ids), theme.name)))


def _groups(near: Near, joins: float) -> Iterator[list[int]]:
    """Themes: who is among each other's nearest, and what that joins; one that is too large is asked for more."""
    for group in _joined(range(len(near)), near, joins):
        if len(group) <= LARGEST or joins > 0.95:
            yield from [_by_heart(group, near)] if len(group) >= SMALLEST else []
        else:
            yield from (_by_heart(part, near) for part in _split(group, near, joins + STEP))


def _split(group: Sequence[int], near: Near, joins: float) -> Iterator[list[int]]:
    for part in _joined(group, near, joins):
        if len(part) > LARGEST and joins <= 0.95:
            yield from _split(part, near, joins + STEP)
        elif len(part) >= SMALLEST:
            yield part


def _joined(among: Iterable[int], near: Near, joins: float) -> list[list[int]]:
    """Connected parts of the graph of mutual neighbours, in order of their first member."""
    wanted = set(among)
    friends = {at: {other for other, cosine in near[at] if cosine >= joins and other in wanted} for at in wanted}
    seen: set[int] = set()
    parts = []
    for start in sorted(wanted):
        if start in seen:
            continue
        part, waiting = [], [start]
        seen.add(start)
        while waiting:
            at = waiting.pop()
            part.append(at)
            mutual = sorted(other for other in friends[at] if at in friends[other] and other not in seen)
            seen.update(mutual)
            waiting += mutual
        parts.append(sorted(part))
    return parts


def _by_heart(group: Sequence[int], near: Near) -> list[int]:
    """Those that are nearest to most others first."""
    inside = set(group)
    worth = {at: sum(cosine for other, cosine in near[at] if other in inside) for at in group}
    return sorted(group, key=lambda at: (-round(worth[at], 5), at))


class _Telling:
    """Which words of a role's memories tell something: those that stand in few of them."""

    def __init__(self, memories: Sequence[Memory], names: Collection[str]) -> None:
        self._names = frozenset(folded_key(name) for name in names)
        self._holders = Counter(word for memory in memories for word in set(_words(memory)))
        self._total = len(memories)

    def name(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        """The words that most of these share and few others have; as they are written most often."""
        held: Counter[str] = Counter()
        spelt: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for memory in memories[:SPEAK_FOR_THEIR_THEME]:
            for word, surface in {folded_key(one): one for one in (*self._told(memory), *memory.keys, *memory.topics)}.items():
                held[word] += 1
                spelt[word][surface] += 1
        worth = {word: count * self._information(word) for word, count in held.items() if word not in self._names}
        best = sorted(worth, key=lambda word: (-round(worth[word], 6), word))
        return tuple(islice(_apart(spelt[word].most_common(1)[0][0] for word in best), NAMED_BY))

    def keys(self, memory: Memory) -> tuple[str, ...]:
        """Keys that a memory could have and has not."""
        has = {folded_key(key) for key in memory.keys}
        return tuple(islice(_apart(word for word in self._told(memory) if folded_key(word) not in has), NAMED_BY))

    def _told(self, memory: Memory) -> list[str]:
        """The words of a text that stand for it: what is derived from it, else its rarest Latin words, as they are written."""
        if derived := [key for key in _derived(memory.content, self._names) if folded_key(key) not in self._names]:
            return derived
        words = sorted((word for word in _words(memory) if self._tells(word)), key=lambda word: (-round(self._information(word), 6), word))
        return [_as_written(word, memory.content) for word in words[:NAMED_BY]]

    def _information(self, word: str) -> float:
        return log((self._total + 2.0) / (self._holders[word] + 0.5))

    def _tells(self, word: str) -> bool:
        return word.isascii() and word.isalpha() and len(word) > 2 and kind(stem(word)) == RARE and word not in self._names


@lru_cache(maxsize=4096)
def _derived(content: str, names: frozenset[str]) -> tuple[str, ...]:
    return tuple(derive(content, names=names).keys)


def _as_written(word: str, text: str) -> str:
    found = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    return found.group() if found else word


def _words(memory: Memory) -> Collection[str]:
    """The words of a memory as they are compared, and its keys and topics whole."""
    return (*spelt(memory.content).values(), *map(folded_key, (*memory.keys, *memory.topics)))


def _apart(words: Iterable[str]) -> Iterator[str]:
    """Without those that say part of another."""
    said: list[str] = []
    for word in words:
        folded = folded_key(word)
        overlaps = any(
            folded in other or other in folded or (is_pair(folded) and (folded[0] == other[-1] or folded[-1] == other[0])) for other in said
        )
        if folded and not overlaps:
            said.append(folded)
            yield word


def _mergeable(memories: Sequence[Memory], near: Near, alike: float) -> Iterator[Pair]:
    """Pairs that say the same of the same person, the most alike first; each memory in one pair only."""
    pairs = sorted({(-cosine, min(at, other), max(at, other)) for at, row in enumerate(near) for other, cosine in row if cosine >= alike})
    taken: set[int] = set()
    for cosine, at, other in pairs[:MOST_COMPARED]:
        one, two = memories[at], memories[other]
        if not {at, other} & taken and _of_one(one, two) and _same(one, two):
            taken |= {at, other}
            keep, drop = sorted((one, two), key=_dearest)
            yield Pair(keep.id, drop.id, round(-cosine, 4))


def _of_one(one: Memory, two: Memory) -> bool:
    return (one.type, one.user, one.subject) == (two.type, two.user, two.subject) and not (one.locked and two.locked)


def _same(one: Memory, two: Memory) -> bool:
    letters = fuzz.ratio(folded_key(one.content), folded_key(two.content))
    if any(letter.isdigit() for letter in one.content + two.content) and _numbers(one) != _numbers(two):
        return False
    earlier, later = sorted((one, two), key=lambda memory: (memory.created.timestamp() if memory.created else 0.0, memory.id))
    return letters >= SAME_LETTERS or says_the_same(earlier, later)


def _numbers(memory: Memory) -> list[str]:
    return sorted(word for word in spelt(memory.content) if word[:1].isdigit())


def _dearest(memory: Memory) -> tuple[bool, bool, float, int, float, str]:
    """Which of two stays: what an author wrote or locked, the heavier, the one that says more, the newer."""
    told = memory.created.timestamp() if memory.created else 0.0
    return (not memory.locked, not memory.authored, -memory.weight, -len(memory.content), -told, memory.id)


def _quiet(memories: Sequence[Memory], known: Known, telling: _Telling) -> list[Quiet]:
    """What never was in a prompt although the story went on, the longest silence first."""
    unheard = [(memory, known.turns_since(memory)) for memory in memories if memory.id not in known.prompted and not memory.constant]
    found = [(turns, memory) for memory, turns in unheard if turns is not None and turns >= TURNS_UNHEARD]
    longest = sorted(found, key=lambda pair: (-pair[0], pair[1].id))[:MOST]
    return [Quiet(memory.id, turns, telling.keys(memory)) for turns, memory in longest]


def _lacking(memories: Sequence[Memory], telling: _Telling) -> Iterator[Lacking]:
    for memory in memories:
        if not memory.keys and not memory.constant and (keys := telling.keys(memory)):
            yield Lacking(memory.id, keys)
