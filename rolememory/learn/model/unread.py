"""Tracks where the unread part of a chat begins, so that a pass costs only what is new."""

from collections.abc import Collection, Sequence

from rolememory.chats import Chats
from rolememory.learn.model.batches import BEFORE, exchanges
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class


@value_class
class UnreadPart:
    """The visible end of a chat that may be learned from."""

    said: Sequence[ChatMessage]
    whole: Sequence[ChatMessage]  # the chat at that time
    begins: int  # index of its first message
    moves: int  # the chat's counter of removed and restored messages

    def number(self, version: str) -> int:
        """The number of the message in the chat, from 1."""
        for place in range(self.begins, len(self.whole)):
            if self.whole[place].version == version:
                return place + 1
        return self.begins + 1


class Unread:
    """The start of the unread part, by reader and chat."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._kept: dict[tuple[str, str], tuple[int, int]] = {}  # moves, place

    def part(self, reader: str, chat: str) -> UnreadPart:
        """The unread part, and a little before it.

        Cost: O(messages since the oldest unread one); the whole chat if it changed, and once per process.
        """
        known = self._chats.chat(chat)
        moves, whole = known.moves, known.worded
        then, place = self._kept.get((reader, chat), (moves, 0))
        begins = max(place - BEFORE, 0) if then == moves else 0
        told = [one.story for one in whole[begins:] if one.is_readable]
        return UnreadPart(told, whole, begins, moves)

    def keep(self, reader: str, chat: str, part: UnreadPart, read: Collection[str]) -> None:
        """Record what of a part was read: the next one begins at the first unread exchange."""
        found = exchanges(part.said)
        first = next((one.first for one in found if one.fresh(read)), None)
        last = found[-1].first if found else None  # it may still continue
        version = first or last
        place = part.number(version) - 1 if version else part.begins
        self._kept[reader, chat] = part.moves, place
