"""The visible part of a chat at one moment: the versions on its path, in order, with their places."""

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import overload

from rolememory.chats.persistent_vector import PersistentVector
from rolememory.schema.learning import ChatMessage

_at = attrgetter("at")
_NOTHING: PersistentVector[ChatMessage] = PersistentVector()
_NOWHERE: PersistentVector[ChatMessage | None] = PersistentVector()


class VisiblePath(Sequence[ChatMessage]):
    """An immutable path; modified copies share the unchanged parts.

    So it can be read while the chat changes. Look-ups cost O(log n), a change its size and a
    pointer for every 32 messages of the path. Times never fall along a path, which is how places are found.
    """

    __slots__ = ("_rows", "_said", "_slots")

    def __init__(self, said: Mapping[str, ChatMessage] = MappingProxyType({})) -> None:
        """An empty path; `said` are all possible versions, and may grow."""
        self._said, self._rows, self._slots = said, _NOTHING, _NOWHERE

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
        behind = () if place is None else self._rows[place + 1 : place + 2]
        return any(said.version == other for said in behind)

    def beside(self, version: str) -> tuple[ChatMessage, ...]:
        """The neighbours of that version, if it is on the path."""
        place = self.find(version)
        if place is None:
            return ()
        return self._rows[max(place - 1, 0) : place] + self._rows[place + 1 : place + 2]

    def find(self, version: str, near: int = -1) -> int | None:
        """The place of that version, if on the path; `near` is a guess."""
        said = self.standing(version)
        return self.place(said, near) if said else None

    def place(self, said: ChatMessage, near: int = -1) -> int:
        """The place of a message on the path; `near` is a guess."""
        if 0 <= near < len(self) and self._rows[near].version == said.version:
            return near
        place = self._rows.rank(said.at, _at)
        while place < len(self) and self._rows[place].at == said.at:
            if self._rows[place].version == said.version:
                return place
            place += 1
        versions = (one.version for one in self._rows)  # after damage to its log, times may descend
        return next(place for place, one in enumerate(versions) if one == said.version)

    def spliced(
        self,
        start: int,
        end: int,
        put: Sequence[ChatMessage],
        shown: Sequence[ChatMessage] | None = None,
    ) -> "VisiblePath":
        """The path with [start, end) replaced by these messages; `shown` is what is read in their places."""
        slots: dict[int, ChatMessage | None] = {said.slot: None for said in self._rows[start:end]}
        slots |= {said.slot: said for said in put}
        rows = self._rows.spliced(start, end, put if shown is None else shown)
        return self._with(rows, _set(self._slots, slots))

    def knowing(self, said: Mapping[str, ChatMessage]) -> "VisiblePath":
        """The same path, with these as possible versions."""
        found = self._with(self._rows, self._slots)
        found._said = ChainMap(dict(said), self._said) if said else self._said  # type: ignore[arg-type]
        return found

    def _with(
        self, rows: PersistentVector[ChatMessage], slots: PersistentVector[ChatMessage | None]
    ) -> "VisiblePath":
        found = VisiblePath(self._said)
        found._rows, found._slots = rows, slots
        return found

    @overload
    def __getitem__(self, place: int) -> ChatMessage: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ChatMessage, ...]: ...
    def __getitem__(self, place: int | slice) -> ChatMessage | tuple[ChatMessage, ...]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ChatMessage]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return self._rows == (other._rows if isinstance(other, VisiblePath) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"VisiblePath({list(self)!r})"


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
