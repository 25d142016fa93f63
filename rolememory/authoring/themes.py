"""Themes: groups of memories that are mutual nearest neighbours, with names. Pure. Source: S1.42."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rolememory.authoring.distinctive_terms import DistinctiveTerms
from rolememory.authoring.similarity import SimilarityRows
from rolememory.schema.memory import Memory
from rolememory.schema.value_class import value_class

NEAREST = 8  # neighbours considered for the same theme
JOINS = {"meaning": 0.5, "words": 0.3}  # minimum cosine within a theme
STEP = 0.08  # increment of that for a theme that is too large
LARGEST = 60  # maximum memories of a theme
SMALLEST = 3

Near = Sequence[Sequence[tuple[int, float]]]


@value_class
class Theme:
    """A group of similar memories, the most central first."""

    name: tuple[str, ...]  # its most distinctive words
    ids: tuple[str, ...]


def alike(like: SimilarityRows) -> list[tuple[str, str]]:
    """Pairs that are mutual neighbours, and similar enough for one theme."""
    near = nearest(like, 1)
    first = {
        at: other
        for at, row in enumerate(near)
        for other, cosine in row
        if cosine >= JOINS[like.by]
    }
    return [
        (like.ids[at], like.ids[other])
        for at, other in first.items()
        if at < other and first.get(other) == at
    ]


def nearest(like: SimilarityRows, most: int = NEAREST) -> Near:
    """The nearest neighbours of each row: (place, cosine), nearest first."""
    places, cosines = (found[:, :most].tolist() for found in like.neighbours)
    return [list(zip(row, told, strict=True)) for row, told in zip(places, cosines, strict=True)]


def grouped(
    looked: Sequence[Memory], like: SimilarityRows, near: Near, telling: DistinctiveTerms
) -> tuple[Theme, ...]:
    """The themes, largest first."""
    found = [
        Theme(telling.name([looked[at] for at in group]), tuple(looked[at].id for at in group))
        for group in _groups(near, JOINS[like.by])
    ]
    return tuple(sorted(found, key=lambda theme: (-len(theme.ids), theme.name)))


def _groups(near: Near, joins: float, among: Iterable[int] | None = None) -> Iterator[list[int]]:
    """Connected groups of mutual neighbours; one that is too large is split at a higher threshold."""
    for group in _joined(range(len(near)) if among is None else among, near, joins):
        if len(group) > LARGEST and joins <= 0.95:
            yield from _groups(near, joins + STEP, group)
        elif len(group) >= SMALLEST:
            yield _by_heart(group, near)


def _joined(among: Iterable[int], near: Near, joins: float) -> list[list[int]]:
    """Connected parts of the graph of mutual neighbours, in order of their first member."""
    left = set(among)
    friends = {
        at: {other for other, cosine in near[at] if cosine >= joins and other in left}
        for at in left
    }
    parts = []
    for start in sorted(left):
        if start in left:
            part = _reached(start, friends)
            left -= part
            parts.append(sorted(part))
    return parts


def _reached(start: int, friends: Mapping[int, set[int]]) -> set[int]:
    """Everything reachable over mutual neighbours."""
    part = {start}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        fresh = {other for other in friends[at] - part if at in friends[other]}
        part |= fresh
        waiting += fresh
    return part


def _by_heart(group: Sequence[int], near: Near) -> list[int]:
    """The members, most central first."""
    inside = set(group)
    worth = {at: sum(cosine for other, cosine in near[at] if other in inside) for at in group}
    return sorted(group, key=lambda at: (-round(worth[at], 5), at))
