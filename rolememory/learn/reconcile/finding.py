"""By which words a memory is found again: cheap to take from thousands of texts, wide enough to miss no synonym.

A text is filed under its units and pairs of Han characters. What is sought is wider: every way to say what the statement means,
its contraries, and what it may end.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise

from rolememory.learn.reconcile.lexicon import ASKED, BREAK, base, lexicon, units
from rolememory.learn.reconcile.reading import LONGEST, Statement
from rolememory.text.fold import fold

NUMBER = "#"  # filed for any number
_PER_WORD = 4.0  # units that a word of Han is filed under, about
IDENTITY = "#is"  # filed where somebody is said to be something
_BEING = frozenset("is am are i'm been became becomes 是 当".split())


def filed_under(text: str) -> set[str]:
    """The units of a text by which it is found, words that say nothing left out. Cost: O(length).

    >>> sorted(filed_under("The user hates 3 cats."))
    ['#', '3', 'cat', 'hate']
    >>> sorted(filed_under("我怕猫"))
    ['怕', '怕猫', '我怕', '猫']
    """
    folded = fold(text[:LONGEST]).text
    pieces = units(folded if folded.isascii() else folded.translate(lexicon().spelling))
    found = {one for piece in pieces for one in _filed(piece)}
    if not _BEING.isdisjoint(pieces):
        found.add(IDENTITY)
    if folded.isascii():
        return found
    return (
        found
        | {one + two for one, two in pairwise(pieces) if _is_han(one) and _is_han(two)} - _silent()
    )


@lru_cache(maxsize=65536)
def _filed(piece: str) -> tuple[str, ...]:
    """Where one unit is filed: under its stem; a number also as a number."""
    stem = base(piece)
    if stem in _silent():
        return ()
    return (stem, NUMBER) if stem[0].isdigit() or stem in lexicon().numbers else (stem,)


def size(names: set[str]) -> float:
    """How many words a text says that is filed under these: Han is filed by character and by pair."""
    latin = sum(name.isascii() for name in names)
    return latin + (len(names) - latin) / _PER_WORD


def sought_by(statement: Statement) -> set[str]:
    """The units under which a memory may be filed that the statement restates, contradicts or is outdated by."""
    said = statement.words | statement.people
    near = {other for name in said for other in lexicon().against.get(name, ())}
    for group in (group for group, names in _rivals().items() if names & said):
        near |= _rivals()[group]
    for end in lexicon().ends:
        near |= (end.ends if end.told & said else frozenset()) | (
            end.told if end.ends & said else frozenset()
        )
    return {one for name in said | near for one in _spoken(name)} | (
        {NUMBER} if statement.numbers else set()
    )


def sought_for(attribute: str) -> frozenset[str]:
    """The units under which claims of this attribute are filed."""
    return frozenset(
        one
        for name in lexicon().attributes.get(attribute, ())
        for one in ((name,) if name[0] == NUMBER else _spoken(name))
    )


@cache
def _spoken(name: str) -> frozenset[str]:
    """One unit of every way to say it: the longest, which few other phrases hold; a word the lexicon does not know is said as it is."""
    phrases = _phrases().get(name)
    return (
        frozenset(_telling(phrase) for phrase in phrases) if phrases else frozenset(_pieces(name))
    )


def _telling(phrase: tuple[str, ...]) -> str:
    if all(map(_is_han, phrase)) and len(phrase) > 1:
        return phrase[0] + phrase[1]
    return max((piece for piece in phrase if piece not in _silent()), key=len, default=phrase[0])


def _pieces(word: str) -> Iterable[str]:
    """How an unknown word is filed: a run of Han by its pairs."""
    if len(word) > 1 and all(map(_is_han, word)):
        return (one + two for one, two in pairwise(word))
    return (word,)


@cache
def _phrases() -> dict[str, list[tuple[str, ...]]]:
    """Meaning or person -> every way to say it."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase, marks in lexicon().phrases.items():
        for kind, name in marks:
            if kind in ("word", "people"):
                found.setdefault(name, []).append(phrase)
    return found


@cache
def _rivals() -> dict[int, frozenset[str]]:
    groups: dict[int, set[str]] = {}
    for name, group in lexicon().rivals.items():
        groups.setdefault(group, set()).add(name)
    return {group: frozenset(names) for group, names in groups.items()}


@cache
def _silent() -> frozenset[str]:
    """Single units that say nothing by themselves, and signs."""
    return frozenset(
        phrase[0]
        for phrase, marks in lexicon().phrases.items()
        if len(phrase) == 1 and {kind for kind, _ in marks} <= {"filler", "break"}
    ) | {BREAK, ASKED}


def _is_han(unit: str) -> bool:
    return len(unit) == 1 and not unit.isascii() and unit.isalpha()
