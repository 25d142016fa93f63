"""Distinctive terms of memories: words that few of them contain. They name themes and are suggested as keys."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import log

from rolememory.authoring.similarity import spelt
from rolememory.schema.memory import Memory
from rolememory.text.boundaries import FUNCTION_CHARACTERS
from rolememory.text.fold import folded_key
from rolememory.text.words import RARE, is_pair, kind, stem, word_lists

NAMED_BY = 3  # words of a theme's name
SPEAK_FOR_THEIR_THEME = 5  # members whose words name it
SHARED = 0.2  # share of memories above which a word is no key
MOST_TERMS, LONGEST_TERM = 6, 4  # Chinese terms of a memory, and characters of one
ENOUGH = 20  # memories needed for that share to be meaningful
_VERBS = frozenset("借住养叫去来看约过给送买卖吃喝爱怕拿放写画走回搬丢说讲问学教找等用打开做想")
_HAN = re.compile("[\u3400-\u9fff]+")


class DistinctiveTerms:
    """The distinctive terms of a role's memories."""

    def __init__(self, memories: Sequence[Memory], names: Collection[str]) -> None:
        self._names = frozenset(folded_key(name) for name in names)
        self._holders = Counter(word for memory in memories for word in set(_words(memory)))
        self._total = len(memories)

    def name(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        """The words that most of these memories share and few others contain, in their usual spelling."""
        held: Counter[str] = Counter()
        spelt: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for memory in memories[:SPEAK_FOR_THEIR_THEME]:
            for word, surface in {
                folded_key(one): one for one in (*self._told(memory), *memory.keys, *memory.topics)
            }.items():
                held[word] += 1
                spelt[word][surface] += 1
        worth = {
            word: count * self._information(word)
            for word, count in held.items()
            if word not in self._names
        }
        best = sorted(worth, key=lambda word: (-round(worth[word], 6), word))
        return tuple(islice(_apart(spelt[word].most_common(1)[0][0] for word in best), NAMED_BY))

    def keys(self, memory: Memory) -> tuple[str, ...]:
        """Suggested keys that a memory lacks."""
        has = {folded_key(key) for key in memory.keys}
        return tuple(
            _apart(
                word
                for word in self._told(memory)
                if folded_key(word) not in has and not self._everywhere(word)
            )
        )

    def _told(self, memory: Memory) -> list[str]:
        """The terms of a memory: its Chinese terms, else its rarest Latin words, in original spelling."""
        if terms := [one for one in _terms(memory.content) if folded_key(one) not in self._names]:
            return terms[:MOST_TERMS]
        rarest = sorted(
            (word for word in _words(memory) if self._tells(word)),
            key=lambda word: (-round(self._information(word), 6), word),
        )
        return [_as_written(word, memory.content) for word in rarest[:NAMED_BY]]

    def _everywhere(self, word: str) -> bool:
        return self._total >= ENOUGH and self._holders[folded_key(word)] > SHARED * self._total

    def _information(self, word: str) -> float:
        return log((self._total + 2.0) / (self._holders[word] + 0.5))

    def _tells(self, word: str) -> bool:
        return (
            word.isascii()
            and word.isalpha()
            and len(word) > 2
            and kind(stem(word)) == RARE
            and word not in self._names
        )


@lru_cache(maxsize=4096)
def _terms(content: str) -> tuple[str, ...]:
    """The runs of Han characters between function words that are short enough for a term.

    >>> _terms("我把小提琴借给了罗斯船长。")
    ('小提琴', '罗斯船长')
    """
    return tuple(
        dict.fromkeys(
            one
            for run in _HAN.findall(content)
            for one in _between(run)
            if 2 <= len(one) <= LONGEST_TERM
        )
    )


def _between(run: str) -> Iterator[str]:
    """The parts of a run between function words."""
    start = place = 0
    while place < len(run):
        length = next((size for size in (3, 2, 1) if _grammar(run[place : place + size])), 0)
        if length and place > start:
            yield run[start:place]
        place += length or 1
        start = place if length else start
    if start < len(run):
        yield run[start:]


def _grammar(piece: str) -> bool:
    zh = word_lists("zh")
    return (
        piece in _VERBS
        or piece in FUNCTION_CHARACTERS
        or piece in zh.stop
        or piece in zh.counting
        or piece in zh.common
    )


def _as_written(word: str, text: str) -> str:
    found = re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)
    return found.group() if found else word


def _words(memory: Memory) -> Collection[str]:
    """The normalized words of a memory, and its keys and topics as a whole."""
    return (*spelt(memory.content).values(), *map(folded_key, (*memory.keys, *memory.topics)))


def _apart(words: Iterable[str]) -> Iterator[str]:
    """The words without those that overlap an earlier one."""
    said: list[str] = []
    for word in words:
        folded = folded_key(word)
        overlaps = any(
            folded in other
            or other in folded
            or (is_pair(folded) and (folded[0] == other[-1] or folded[-1] == other[0]))
            for other in said
        )
        if folded and not overlaps:
            said.append(folded)
            yield word
