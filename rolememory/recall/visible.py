"""What the prompt shows already, and comparisons of texts."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz import fuzz

from rolememory.schema.memory import Evidence, Memory
from rolememory.text.fold import fold
from rolememory.text.words import tokens
from rolememory.triggers.informativeness import telling

_NUMBERS = re.compile(r"\d+")
_CLAUSE_ENDS = ".!,;:…。！，；："
_CLAUSE_BEGINS = _CLAUSE_ENDS + "?？\n"  # behind which a clause begins
_FEW = 8  # texts that are compared whatever the number of their words
_LEAST_BYTES = 12  # twelve Latin letters, four Chinese characters


@lru_cache(maxsize=2048)
def comparable(text: str) -> str:
    r"""A text for comparisons: folded, runs of white space as one blank.

    >>> comparable("The  Beacon\nfailed")
    'the beacon failed'
    """
    return " ".join(fold(text).text.split())


def likeness(one: str, other: str, least: float) -> float:
    """Similarity of two `comparable` texts, 0..1: the share of common words (CJK: pairs of characters).

    0 below `least`, and 0 if they contain different numbers: two dates are two facts.

    >>> likeness("she was born in 1887", "she was born in 1897", 0.5)
    0.0
    >>> likeness("the beacon failed", "the beacon failed.", 0.9), likeness("she likes tea", "she likes the sea", 0.9)
    (1.0, 0.0)
    """
    if not fuzz.ratio(one, other, score_cutoff=least * 50) or _numbers(one) != _numbers(other):
        return 0.0
    words, others = _words(one), _words(other)
    shared = len(words & others)
    every = len(words) + len(others) - shared
    alike = shared / every if every else float(one == other)
    return 0.0 if alike < least else round(alike, 3)


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


@lru_cache(maxsize=2048)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(_NUMBERS.findall(text))


def said_again(quote: str, joined: str) -> bool:
    """Whether a text repeats these words as a separate clause, not inside a question. Both `comparable`.

    >>> said_again("i moved to paris.", "hello. i moved to paris, at last")
    True
    >>> said_again("i moved to paris.", "did i say that i moved to paris?"), said_again("我搬到巴黎了", "我搬到巴黎了。")
    (False, True)
    """
    words = quote.strip(_CLAUSE_ENDS + " ")
    at = joined.find(words) if is_long(words) else -1
    while at >= 0:
        end = at + len(words)
        before = joined[max(at - 2, 0) : at].removesuffix(" ")[-1:]
        behind = joined[end : end + 2].removeprefix(" ")[:1]
        if before in _CLAUSE_BEGINS and behind in _CLAUSE_ENDS + "\n":
            return True
        at = joined.find(words, at + 1)
    return False


def is_long(content: str) -> bool:
    """Whether a text is long enough that its occurrence in a message is no coincidence."""
    return len(content.encode()) >= _LEAST_BYTES


class ComparedTexts:
    """`comparable` texts by the numbers in them: one is compared with those that have the same."""

    def __init__(self) -> None:
        self._texts = defaultdict[tuple[str, ...], list[tuple[int, str]]](list)
        self._count = 0

    def add(self, text: str) -> None:
        """Add a text."""
        self._texts[_numbers(text)].append((self._count, text))
        self._count += 1

    def like(self, text: str, least: float) -> tuple[int, float] | None:
        """The number of the first one that is at least that similar, and the `likeness`."""
        near = self._texts.get(_numbers(text), ())
        if len(near) > _FEW:
            size = len(_words(text))
            near = [one for one in near if _as_long(size, len(_words(one[1])), least)]
        found = ((at, alike) for at, other in near if (alike := likeness(text, other, least)))
        return next(found, None)


def _as_long(size: int, other: int, least: float) -> bool:
    """Whether two texts of so many different words may be that similar."""
    return least * max(size, other) <= min(size, other) + 1e-9


@dataclass(frozen=True)
class Visible:
    """What is already visible in the prompt: folded texts of the messages, newest first."""

    query: str = ""
    texts: tuple[str, ...] = ()  # what they tell
    joined: str = ""
    shown: frozenset[tuple[str, str]] = frozenset()  # chat and version of each message

    @classmethod
    def of(
        cls, query: str, texts: Sequence[str], shown: frozenset[tuple[str, str]] = frozenset()
    ) -> "Visible":
        """Fold and join the texts once; questions are left out, since they state nothing."""
        told = tuple(comparable(telling(text)) for text in texts)
        return cls(comparable(query), told, "\n".join(told), shown)

    def holds(self, memory: Memory) -> bool:
        """Whether all its evidence is visible, or repeated there verbatim; any of it, for a chapter.

        For locked memories only their own text counts: a person may have edited it.
        """
        if memory.chapter:
            return any(
                (one.chat, said) in self.shown for one in memory.evidence for said in one.versions
            )
        if memory.locked and memory.evidence:
            return said_again(comparable(memory.content), self.joined)
        return bool(memory.evidence) and all(map(self._stands, memory.evidence))

    @cached_property
    def compared(self) -> "ComparedTexts":
        """The texts, to be compared with others."""
        found = ComparedTexts()
        for text in self.texts:
            found.add(text)
        return found

    def _stands(self, one: Evidence) -> bool:
        if self.shown and all((one.chat, said) in self.shown for said in one.versions):
            return True
        return said_again(comparable(one.quote), self.joined)
