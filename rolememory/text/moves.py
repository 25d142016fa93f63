"""What changed since when: a reader follows it without asking for everything again."""

import threading
from typing import Generic, TypeVar

Item = TypeVar("Item")
_KEPT = 4096


class Moves(Generic[Item]):
    """A log of what changed, such as the ids whose row in an index is another one; the newest are kept. Thread-safe.

    >>> moves = Moves()
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
