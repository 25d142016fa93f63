"""The visible part of a chat at one moment: the versions on its path, in order, with their places."""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from copy import copy
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Self

from rolememory.chats.persistent_vector import PersistentVector
from rolememory.schema.learning import ChatMessage

_at = attrgetter("at")
_NOWHERE: PersistentVector[ChatMessage | None] = PersistentVector()


class VisiblePath(PersistentVector[ChatMessage]):
    """An immutable path; modified copies share the unchanged parts.

    So it can be read while the chat changes. Look-ups cost O(log n), a change its size and a
    pointer for every 32 messages of the path. Times never fall along a path, which is how places are found.
    """

    __slots__ = ("_said", "_slots")

    def __init__(self, said: Mapping[str, ChatMessage] = MappingProxyType({})) -> None:
        """An empty path; `said` are all possible versions, and may grow."""
        super().__init__()
        self._said, self._slots = said, _NOWHERE

    def standing(self, version: str) -> ChatMessage | None:
        """That version, if it is on the path."""
        said = self._said.get(version)
        found = said and self.in_slot(said.slot)
        return found if found and found.version == version else None

    def in_slot(self, slot: int) -> ChatMessage | None:
        """The version in this slot."""
        return self._slots[slot] if 0 <= slot < len(self._slots) else None

    def adjoin(self, version: str, other: str) -> bool:
        """Whether both are on the path, the second right after the first."""
        place = self.find(version)
        behind = () if place is None else self[place + 1 : place + 2]
        return any(said.version == other for said in behind)

    def beside(self, version: str) -> tuple[ChatMessage, ...]:
        """The neighbours of that version, if it is on the path."""
        place = self.find(version)
        if place is None:
            return ()
        return self[max(place - 1, 0) : place] + self[place + 1 : place + 2]

    def find(self, version: str, near: int = -1) -> int | None:
        """The place of that version, if on the path; `near` is a guess."""
        said = self.standing(version)
        return self.place(said, near) if said else None

    def place(self, said: ChatMessage, near: int = -1) -> int:
        """The place of a message on the path; `near` is a guess."""
        if 0 <= near < len(self) and self[near].version == said.version:
            return near
        place = self.rank(said.at, _at)
        while place < len(self) and self[place].at == said.at:
            if self[place].version == said.version:
                return place
            place += 1
        versions = (one.version for one in self)  # after damage to its log, times may descend
        return next(place for place, one in enumerate(versions) if one == said.version)

    def spliced(
        self,
        start: int,
        end: int,
        put: Iterable[ChatMessage],
        shown: Iterable[ChatMessage] | None = None,
    ) -> Self:
        """The path with [start, end) replaced by these messages; `shown` is what is read in their places."""
        slots: dict[int, ChatMessage | None] = {said.slot: None for said in self[start:end]}
        slots |= {said.slot: said for said in put}
        found = super().spliced(start, end, put if shown is None else shown)
        found._said, found._slots = self._said, _set(self._slots, slots)
        return found

    def knowing(self, said: Mapping[str, ChatMessage]) -> Self:
        """The same path, with these as possible versions."""
        if not said:
            return self
        found = copy(self)
        found._said = ChainMap(dict(said), self._said)  # type: ignore[arg-type]
        return found


def _set(
    slots: PersistentVector[ChatMessage | None], items: Mapping[int, ChatMessage | None]
) -> PersistentVector[ChatMessage | None]:
    """The slots with these items set; neighbours are set together."""
    for _, group in groupby(enumerate(sorted(items)), key=lambda pair: pair[1] - pair[0]):
        run = [slot for _, slot in group]
        gap = [None] * (run[0] - len(slots))
        start = run[0] - len(gap)
        put = [*gap, *[items[slot] for slot in run]]
        slots = slots.spliced(start, min(run[-1] + 1, len(slots)), put)
    return slots
