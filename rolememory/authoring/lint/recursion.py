"""Entries that wake entries: cycles, and those that wake half the book."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rolememory.authoring.books import title
from rolememory.authoring.lint.finding import Findings, of
from rolememory.authoring.lint.subject import Subject, fits, rivals
from rolememory.recall.lore.index import Lore

MANY = 5  # entries woken at once, if that is also half the book
Wakes = Mapping[str, tuple[str, ...]]
"""Entry id to the ids of those that its text may wake."""


@lru_cache(maxsize=1)
def wakes(subject: Subject) -> Wakes:
    """Which entry may wake which, flags considered. Secondary keys and chance may still keep one out."""
    if not subject.settings.recursive:
        return {}
    odd = [lore for lore in subject.living if lore.odd]
    return {
        lore.entry.id: tuple(_woken(subject, lore, odd))
        for lore in subject.living
        if not lore.silent
    }


def _woken(subject: Subject, lore: Lore, odd: Sequence[Lore]) -> Iterator[str]:
    said = subject.macros.expand(lore.content, hidden=subject.rules.card_macros)
    heard = _found_in(subject, said, odd)
    for other in subject.living if heard else ():
        if other.entry.id in heard and _may_wake(subject, lore, other):
            yield other.entry.id


def _found_in(subject: Subject, text: str, odd: Sequence[Lore]) -> set[str]:
    """Ids of the entries with a key in this text."""
    index = subject.index
    ranks = {rank for spec in index.keys.read(text) for rank in index.owners.get(spec, ())}
    by_patterns = {other.entry.id for other in odd if any(fits(key, text) for key in other.odd)}
    return by_patterns | {index.entries[rank].entry.id for rank in ranks}


def _may_wake(subject: Subject, lore: Lore, other: Lore) -> bool:
    """Whether the text of an entry may wake the other: it fires by keys, listens to entries and is no rival."""
    listens = not (other is lore or other.excluded or subject.is_woken(other))
    return listens and not rivals(lore, other)


def circles(subject: Subject) -> Findings:
    """Entries that wake each other: if one fires, all of them do."""
    graph, told = wakes(subject), set[frozenset[str]]()
    by_id = {lore.entry.id: lore for lore in subject.living}
    for start in graph:
        path = shortest(graph, start, start)
        if path and frozenset(path) not in told:
            told.add(frozenset(path))
            yield of(by_id[start], "circle", "content", path=_arrows([by_id[one] for one in path]))


def greedy(subject: Subject) -> Findings:
    """An entry whose text wakes half the book."""
    graph = wakes(subject)
    by_id = {lore.entry.id: lore for lore in subject.living}
    for start, woken in graph.items():
        if len(woken) >= max(MANY, len(subject.living) / 2):
            yield of(
                by_id[start], "wakes_many", "content", count=len(woken), of=len(subject.living)
            )


def shortest(graph: Wakes, start: str, goal: str) -> list[str]:
    """The shortest path between two entries, ends included; empty when there is none.

    >>> shortest({"a": ("b",), "b": ("c", "a"), "c": ()}, "a", "a")
    ['a', 'b', 'a']
    """
    ways = [[start]]
    seen = set[str]()
    for way in ways:  # grows while it is walked
        for follower in graph.get(way[-1], ()):
            if follower == goal:
                return [*way, follower]
            if follower not in seen:
                seen.add(follower)
                ways.append([*way, follower])
    return []


def _arrows(path: Sequence[Lore]) -> str:
    return " → ".join(title(lore.entry) for lore in path)


RULES = (circles, greedy)
