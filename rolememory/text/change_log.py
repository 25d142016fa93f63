"""Change logs: readers get what changed since a version instead of everything."""

import threading
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Generic, TypeVar

Item = TypeVar("Item")
Value_co = TypeVar("Value_co", covariant=True)
_KEPT = 4096


class ChangeLog(Generic[Item]):
    """A bounded log of changed items, such as ids whose index row changed. Thread-safe.

    >>> moves = ChangeLog()
    >>> moves.note("a"); moves.note("b")
    >>> moves.version, moves.since(1), moves.since(7)
    (2, ['b'], [])
    """

    def __init__(self) -> None:
        self.version = 0
        self._items: list[Item] = []
        self._lock = threading.Lock()

    def note(self, *items: Item) -> None:
        """Note changed items."""
        with self._lock:
            self._items += items
            self.version += len(items)
            if len(self._items) > 2 * _KEPT:
                del self._items[:-_KEPT]

    def all(self) -> None:
        """Note that everything may have changed."""
        with self._lock:
            self._items.clear()
            self.version += 1

    def since(self, version: int) -> list[Item] | None:
        """Items changed after that version; None if no longer known: read everything."""
        with self._lock:
            behind = max(self.version - version, 0)
            return None if behind > len(self._items) else self._items[len(self._items) - behind :]


class VersionedDict(Mapping[str, Value_co]):
    """Values by id with a change log, changed in place by their owner in O(change).

    Iteration uses a copy of one moment. Thread-safe with one owner.

    >>> said = VersionedDict[str]()
    >>> said.put("a", "one"); said.put("b", "two"); said.drop("a")
    >>> dict(said), said.version, said.since(2)
    ({'b': 'two'}, 3, ['a'])
    """

    def __init__(self) -> None:
        self._values: dict[str, Value_co] = {}
        self._moves = ChangeLog[str]()

    @property
    def version(self) -> int:
        """The number of changes."""
        return self._moves.version

    def since(self, version: int) -> list[str] | None:
        """Ids added, changed or removed after that version; None if no longer known."""
        return self._moves.since(version)

    def put(self, one: str, value: Value_co) -> None:  # type: ignore[misc]  # for its owner alone
        """Set the value of an id."""
        self._values[one] = value
        self._moves.note(one)

    def drop(self, one: str) -> None:
        """Remove the id."""
        if one in self._values:
            del self._values[one]
            self._moves.note(one)

    def __getitem__(self, one: str) -> Value_co:
        return self._values[one]

    def __contains__(self, one: object) -> bool:
        return one in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._values))

    def values(self) -> ValuesView[Value_co]:
        """A copy of all values. Cost: O(n)."""
        return self._values.copy().values()

    def items(self) -> ItemsView[str, Value_co]:
        """A copy of all ids with their values. Cost: O(n)."""
        return self._values.copy().items()
