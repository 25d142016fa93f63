"""What is known already and may touch on what is read: shown along, so that it is not told again and can be called outdated."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest

from rolememory.schema.learning import Said
from rolememory.schema.memory import Evidence, Memory, Source
from rolememory.text.words import tokens

MOST_SHOWN = 12
MOST_COMPARED = 5_000  # memories, the newest

Sees = Callable[[Evidence], bool]
"""Whether a support stands now."""


def standing(memories: Iterable[Memory], sees: Sees) -> list[Memory]:
    """Those that may be built upon: they count, nothing that counts replaced them, and they are no conclusions or chapters themselves."""
    counting = [
        one
        for one in memories
        if not one.archived and (not one.evidence or any(map(sees, one.evidence)))
    ]
    outdated = {old for one in counting for old in one.supersedes if old != one.id}
    return [
        one
        for one in counting
        if one.id not in outdated and one.source is not Source.INFERENCE and not one.chapter
    ]


Heard = Callable[[str, str | None], Iterable[Memory]]
"""Chat and its user -> what stands there and everybody who reads it may hear."""

Near = Callable[[Sequence[str], Sequence[str]], Mapping[str, float]]
"""Texts and ids of memories -> how near in meaning the nearest text is to each, -1..1; those without a vector are left out."""


def touching(
    memories: Iterable[Memory], said: Sequence[Said], near: Near = lambda texts, ids: {}
) -> tuple[Memory, ...]:
    """The memories that may touch on what was said: half of them the nearest in meaning, the rest by words in common.

    "I handed in my apron" shares no word with "works at the bakery". Cost: O(memories) and a vector for each message.
    """
    newest = nlargest(MOST_COMPARED, memories, key=_told)
    spoken = {token for one in said for token in tokens(one.text)}
    shares = {one.id: _share(one, spoken) for one in newest}
    meant = near([one.text for one in said], [one.id for one in newest])
    by_meaning = nlargest(MOST_SHOWN // 2, meant, key=lambda one: (meant[one], one))
    by_words = nlargest(MOST_SHOWN, filter(shares.get, shares), key=lambda one: (shares[one], one))
    known = {one.id: one for one in newest}
    return tuple(known[one] for one in dict.fromkeys((*by_meaning, *by_words)))[:MOST_SHOWN]


def _share(memory: Memory, spoken: set[str]) -> float:
    """How much of the memory was spoken of, longer agreement before shorter."""
    own = set(tokens(memory.content))
    shared = len(own & spoken)
    return shared / (len(own) + 4) if shared else 0.0


def _told(memory: Memory) -> float:
    return memory.created.timestamp() if memory.created else 0.0
