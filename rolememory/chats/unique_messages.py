"""Tracks which texts occur exactly once on a path: the anchors of alignment."""

import re
from collections.abc import Callable, Hashable, Sequence

from rolememory.chats.normalize import base
from rolememory.schema.learning import ChatMessage

_NAMED = re.compile(r"^\s*[^\n:：]{1,64}[:：]\s*")
_NO_WORD = re.compile(r"[\W_]+")


class UniqueMessages:
    """The keys that occur exactly once on a changing path, and their slots. Not thread-safe."""

    def __init__(
        self, key: Callable[[ChatMessage], Hashable], path: Sequence[ChatMessage] = ()
    ) -> None:
        self._key = key
        self._found: dict[Hashable, tuple[int, int]] = {}  # count, and sum of the slots
        self.change((), path)

    def change(self, gone: Sequence[ChatMessage], put: Sequence[ChatMessage]) -> None:
        """Update for messages removed from and put on the path."""
        for sign, each in ((-1, gone), (1, put)):
            for said in each:
                key = self._key(said)
                count, slots = self._found.get(key, (0, 0))
                if count + sign:
                    self._found[key] = count + sign, slots + sign * said.slot
                else:
                    del self._found[key]

    def slot(self, key: Hashable) -> int | None:
        """The slot of the only one with this key."""
        count, slot = self._found.get(key, (0, 0))
        return slot if count == 1 else None


def words(said: ChatMessage) -> str:
    """A key that is equal for equal texts of the same speaker."""
    return base(said.version)


def loose(text: str) -> str:
    """The text for looser equality: without leading name, case and punctuation.

    >>> loose("Asha: *You* are late!") == loose("you are LATE")
    True
    """
    return _NO_WORD.sub("", _NAMED.sub("", text, count=1)).casefold()
