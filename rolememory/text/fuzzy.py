"""Fuzzy matching of keys: Latin words with typing mistakes."""

from collections.abc import Mapping, Sequence

import regex
from rapidfuzz import fuzz, process

from rolememory.schema.value_class import value_class
from rolememory.text.fold import fold, folded_key

SHORTEST = 5  # letters: in shorter words one mistake gives another word
_MOST_KEYS = 20_000
_MOST_WORDS = 2_000  # per text; later words are ignored
_WORD = regex.compile(r"[\p{Latin}\p{Nd}]+(?:['-][\p{Latin}\p{Nd}]+)*")


@value_class
class FuzzyMatch:
    """A near match of a key: [start, end) in the text, and their similarity, 0..100."""

    start: int
    end: int
    likeness: float


def may_be_fuzzy(key: str) -> bool:
    """Whether the key is matched fuzzily: one Latin word of at least five letters.

    >>> [may_be_fuzzy(key) for key in ("beacon", "art", "red dragon", "灯塔守护人")]
    [True, False, False, False]
    """
    folded = folded_key(key)
    return len(folded) >= SHORTEST and _WORD.fullmatch(folded) is not None


def fuzzy(keys: Sequence[str], text: str, cutoff: float) -> Mapping[str, FuzzyMatch]:
    """The best match of each key with a similarity of at least `cutoff` (0..100, rapidfuzz ratio).

    Word and key must begin with the same letter: typing mistakes rarely change the first one, other words often differ there.
    Cost: O(keys x words), both bounded; use it only where the author allows mistakes.

    >>> {key: (near.start, near.end, round(near.likeness)) for key, near in fuzzy(["beacon", "storm"], "The beacn went dark.", 88).items()}
    {'beacon': (4, 9, 91)}
    """
    needles = {key: folded_key(key) for key in keys[:_MOST_KEYS] if may_be_fuzzy(key)}
    places = _words(text) if needles else {}
    words = list(places)
    found = ((key, _nearest(needle, words, cutoff)) for key, needle in needles.items())
    return {key: FuzzyMatch(*places[near[0]], near[1]) for key, near in found if near}


def _words(text: str) -> dict[str, tuple[int, int]]:
    """The words of a text that may match fuzzily, each with its first place."""
    folded = fold(text)
    places: dict[str, tuple[int, int]] = {}
    for match in _WORD.finditer(folded.text):
        if len(match.group()) >= SHORTEST - 1 and len(places) < _MOST_WORDS:
            places.setdefault(match.group(), folded.span(*match.span()))
    return places


def _nearest(needle: str, words: Sequence[str], cutoff: float) -> tuple[str, float] | None:
    rivals = [word for word in words if word[0] == needle[0]]
    best = process.extractOne(needle, rivals, scorer=fuzz.ratio, score_cutoff=cutoff)
    return (best[0], best[1]) if best else None
