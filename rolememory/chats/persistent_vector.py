"""A sequence that never changes: with other items in some place it is a new one that shares all the rest with the old."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

Item_co = TypeVar("Item_co", covariant=True)
WIDTH = 32  # items of a leaf, children of an inner node


class PersistentVector(Sequence[Item_co]):
    """A tree of short tuples. Reading an item and `spliced` cost O(log n), a slice its length besides.

    >>> vector = PersistentVector("abcd")
    >>> vector.spliced(1, 3, "xyz")[1:], vector[-1], vector == ("a", "b", "c", "d")
    (('x', 'y', 'z', 'd'), 'd', True)
    """

    # a leaf is a tuple of items, an inner node a pair: where each child ends, counted in items, and the children
    __slots__ = ("_height", "_root", "_size")

    def __init__(self, items: Iterable[Item_co] = ()) -> None:
        self._plant(_leaves_of(tuple(items)), 0)

    def spliced(self, start: int, end: int, put: Iterable[Item_co]) -> "PersistentVector[Item_co]":
        """The sequence with these items in the place of [start, end), which may reach beyond its end."""
        new: PersistentVector[Item_co] = PersistentVector.__new__(PersistentVector)
        start, end = min(start, self._size), min(end, self._size)
        new._plant(_spliced(self._root, self._height, start, end, tuple(put)), self._height)
        return new

    def rank(self, value: Any, key: Callable[[Item_co], Any]) -> int:
        """How many items have a smaller key, where keys rise. Cost: O(log n)."""
        node, before = self._root, 0
        for height in range(self._height, 0, -1):
            ends, children = node
            low, high = 0, len(children) - 1
            while low < high:  # the last child that does not begin behind `value`
                middle = (low + high + 1) // 2
                first = children[middle]
                for _ in range(height - 1):
                    first = first[1][0]
                low, high = (middle, high) if key(first[0]) <= value else (low, middle - 1)
            before += ends[low - 1] if low else 0
            node = children[low]
        return before + bisect_left(node, value, key=key)

    def _plant(self, nodes: Sequence[Any], height: int) -> None:
        """Let these nodes of one height be the tree."""
        while len(nodes) > 1:
            nodes, height = _above(nodes, height), height + 1
        root: Any = nodes[0] if nodes else ()
        while height and len(root) and len(root[1]) == 1:
            root, height = root[1][0], height - 1
        self._root, self._height = root, height if root else 0
        self._size = _size(root, self._height)

    @overload
    def __getitem__(self, place: int) -> Item_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Item_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Item_co | tuple[Item_co, ...]:
        if isinstance(place, slice):
            return self._slice(place)
        if place < 0:
            place += self._size
        if not 0 <= place < self._size:
            raise IndexError(place)
        node = self._root
        for _ in range(self._height):
            ends, children = node
            at = bisect_right(ends, place)
            node = children[at]
            if at:
                place -= ends[at - 1]
        found: Item_co = node[place]
        return found

    def _slice(self, wanted: slice) -> tuple[Item_co, ...]:
        start, end, step = wanted.indices(self._size)
        if step != 1:
            return tuple(self)[wanted]
        found: list[Item_co] = []
        _gather(self._root, self._height, start, end, found)
        return tuple(found)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Item_co]:
        for leaf in _leaves(self._root, self._height):
            yield from leaf

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (PersistentVector, tuple, list)):
            return NotImplemented
        return self is other or (len(self) == len(other) and tuple(self) == tuple(other))

    __hash__ = None  # type: ignore[assignment]  # it is equal to a list

    def __repr__(self) -> str:
        return f"Vector({list(self)!r})"


def _spliced(node: Any, height: int, start: int, end: int, put: tuple[Any, ...]) -> Sequence[Any]:
    """The nodes of the same height that take the place of this one; none where nothing is left."""
    if not height:
        return _leaves_of(node[:start] + put + node[end:])
    ends, children = node
    first = min(bisect_right(ends, start), len(children) - 1)
    last = bisect_left(ends, end, first) if end > start else first
    new: list[Any] = []
    for at in (first,) if first == last else (first, last):  # what lies between them goes whole
        begin, put_here = ends[at - 1] if at else 0, put if at == first else ()
        inside = max(start - begin, 0), min(end, ends[at]) - begin
        new += _spliced(children[at], height - 1, *inside, put_here)
    more = len(put) - (end - start)
    if len(new) == 1 and first == last and more >= 0:
        moved = (*ends[:first], *[at + more for at in ends[first:]]) if more else ends
        return ((moved, (*children[:first], new[0], *children[last + 1 :])),)
    low = max(first - 1, 0)
    near = _merged([*children[low:first], *new, *children[last + 1 : last + 2]], height - 1)
    return _above([*children[:low], *near, *children[last + 2 :]], height - 1, ends[:low])


def _above(children: Sequence[Any], height: int, ends: tuple[int, ...] = ()) -> Sequence[Any]:
    """The nodes that hold these of that height; `ends` of the first of them are known."""
    if len(children) > WIDTH:
        parts = (children[at : at + WIDTH] for at in range(0, len(children), WIDTH))
        return [node for part in parts for node in _above(part, height)]
    known, total = list(ends), ends[-1] if ends else 0
    for child in children[len(known) :]:
        total += _size(child, height)
        known.append(total)
    return [(tuple(known), tuple(children))] if children else ()


def _leaves_of(items: tuple[Any, ...]) -> Sequence[Any]:
    if len(items) <= WIDTH:
        return (items,) if items else ()
    return [items[at : at + WIDTH] for at in range(0, len(items), WIDTH)]


def _merged(nodes: Sequence[Any], height: int) -> list[Any]:
    """The same in fewer nodes, where two side by side fit into one: else many small cuts would leave many small nodes."""
    found: list[Any] = []
    for node in nodes:
        if found and _width(found[-1], height) + _width(node, height) <= WIDTH:
            found[-1:] = (
                _above(found[-1][1] + node[1], height - 1) if height else [found[-1] + node]
            )
        else:
            found.append(node)
    return found


def _width(node: Any, height: int) -> int:
    return len(node[1]) if height else len(node)


def _size(node: Any, height: int) -> int:
    size: int = node[0][-1] if height else len(node)
    return size


def _gather(node: Any, height: int, start: int, end: int, found: list[Any]) -> None:
    if not height:
        found += node[start:end]
        return
    ends, children = node
    at = bisect_right(ends, start)
    while at < len(children) and (begin := ends[at - 1] if at else 0) < end:
        _gather(children[at], height - 1, max(start - begin, 0), end - begin, found)
        at += 1


def _leaves(node: Any, height: int) -> Iterator[tuple[Any, ...]]:
    if height:
        for child in node[1]:
            yield from _leaves(child, height - 1)
    else:
        yield node
