"""An immutable sequence; modified copies share the unchanged parts."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import Any, Self, TypeVar, overload

Item_co = TypeVar("Item_co", covariant=True)
WIDTH = 32  # items of a leaf


class PersistentVector(Sequence[Item_co]):
    """A tuple of short tuples. Cost: O(log n) for an item; for a slice, also its length.

    `spliced` copies the leaves around the change, and a pointer for each other leaf.

    >>> vector = PersistentVector("abcd")
    >>> vector.spliced(1, 3, "xyz")[1:], vector[-1], vector == ("a", "b", "c", "d")
    (('x', 'y', 'z', 'd'), 'd', True)
    """

    __slots__ = ("_begins", "_leaves")

    def __init__(self, items: Iterable[Item_co] = ()) -> None:
        self._leaves = _leaves_of(tuple(items))
        self._begins = tuple(
            accumulate(map(len, self._leaves), initial=0)
        )  # in items; the end last

    def spliced(self, start: int, end: int, put: Iterable[Item_co]) -> Self:
        """A copy with these items instead of [start, end), which may exceed its end."""
        start, end = min(start, self._begins[-1]), min(end, self._begins[-1])
        count = len(self._leaves)
        low = max(min(bisect_right(self._begins, start, 1) - 1, count - 1), 0)
        high = min(max(bisect_left(self._begins, end, 1) - 1, low) + 1, count)  # after the last cut
        before, old = self._begins[low], tuple(chain.from_iterable(self._leaves[low:high]))
        items = (*old[: start - before], *put, *old[end - before :])
        if low and len(self._leaves[low - 1]) + len(items) <= WIDTH:  # created by many small cuts
            low -= 1
            items = self._leaves[low] + items
        if high < count and len(items) % WIDTH + len(self._leaves[high]) <= WIDTH:
            items += self._leaves[high]  # merges small leaves
            high += 1
        return self._with(low, high, _leaves_of(items))

    def rank(self, value: Any, key: Callable[[Item_co], Any]) -> int:
        """The number of items with a smaller key, for ascending keys. Cost: O(log n)."""
        at = max(bisect_right(self._leaves, value, key=lambda leaf: key(leaf[0])) - 1, 0)
        leaf = self._leaves[at] if self._leaves else ()
        return self._begins[at] + bisect_left(leaf, value, key=key)

    def _with(self, low: int, high: int, put: tuple[tuple[Item_co, ...], ...]) -> Self:
        """A copy with these leaves instead of [low, high)."""
        new = object.__new__(type(self))
        new._leaves = self._leaves[:low] + put + self._leaves[high:]
        begins = tuple(accumulate(map(len, put), initial=self._begins[low]))
        more, behind = begins[-1] - self._begins[high], self._begins[high + 1 :]
        new._begins = self._begins[:low] + begins
        new._begins += tuple([begin + more for begin in behind]) if more else behind
        return new

    @overload
    def __getitem__(self, place: int) -> Item_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Item_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Item_co | tuple[Item_co, ...]:
        if isinstance(place, slice):
            return self._slice(place)
        size = self._begins[-1]
        if place < 0:
            place += size
        if not 0 <= place < size:
            raise IndexError(place)
        at = bisect_right(self._begins, place) - 1
        return self._leaves[at][place - self._begins[at]]

    def _slice(self, wanted: slice) -> tuple[Item_co, ...]:
        start, end, step = wanted.indices(self._begins[-1])
        if step != 1:
            return tuple(self)[wanted]
        low, high = bisect_right(self._begins, start) - 1, bisect_left(self._begins, end)
        before = self._begins[low]
        found = chain.from_iterable(self._leaves[low:high])
        return tuple(islice(found, start - before, max(end, start) - before))

    def __len__(self) -> int:
        return self._begins[-1]

    def __iter__(self) -> Iterator[Item_co]:
        return chain.from_iterable(self._leaves)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (PersistentVector, tuple, list)):
            return NotImplemented
        return self is other or (len(self) == len(other) and tuple(self) == tuple(other))

    __hash__ = None  # type: ignore[assignment]  # it is equal to a list

    def __repr__(self) -> str:
        return f"Vector({list(self)!r})"


def _leaves_of(items: tuple[Item_co, ...]) -> tuple[tuple[Item_co, ...], ...]:
    return tuple([items[at : at + WIDTH] for at in range(0, len(items), WIDTH)])
