"""What changed since when: a reader follows it without asking for everything again."""

import threading
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Generic, TypeVar

Item = TypeVar("Item")
Value_co = TypeVar("Value_co", covariant=True)
_KEPT = 4096


class ChangeLog(Generic[Item]):
    """A log of what changed, such as the ids whose row in an index is another one; the newest are kept. Thread-safe.

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
        """These changed."""
        with self._lock:
            self._items += items
            self.version += len(items)
            if len(self._items) > 2 * _KEPT:
                del self._items[:-_KEPT]

    def all(self) -> None:
        """Everything may have changed."""
        with self._lock:
            self._items.clear()
            self.version += 1

    def since(self, version: int) -> list[Item] | None:
        """What changed after that version; None where that is not known any more: ask for all."""
        with self._lock:
            behind = max(self.version - version, 0)
            return None if behind > len(self._items) else self._items[len(self._items) - behind :]


class VersionedDict(Mapping[str, Value_co]):
    """Values by id that their owner changes in place, so that a change costs itself alone, and what changed since when.

    Who reads all of them reads them as they were at one moment. Thread-safe with one owner.

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
        """How often something changed."""
        return self._moves.version

    def since(self, version: int) -> list[str] | None:
        """The ids that came, changed or went after that version; None where that is not known any more."""
        return self._moves.since(version)

    def put(self, one: str, value: Value_co) -> None:  # type: ignore[misc]  # for its owner alone
        """Set the text of an id."""
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
        """All values, as they are now. Cost: O(n)."""
        return self._values.copy().values()

    def items(self) -> ItemsView[str, Value_co]:
        """All ids with their values, as they are now. Cost: O(n)."""
        return self._values.copy().items()
