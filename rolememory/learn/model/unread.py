"""From where on a chat has to be looked at, so that a look costs what is new in it, not all that was ever said."""

from collections.abc import Collection, Sequence

from rolememory.chats import Chats
from rolememory.learn.model.batches import BEFORE, exchanges
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class


@value_class
class UnreadPart:
    """What is visible at the end of a chat and may be learned from."""

    said: Sequence[ChatMessage]
    whole: Sequence[ChatMessage]  # the chat as it was then
    begins: int  # place in it of the first message that was looked at
    moves: int  # how often something in the chat had stopped to stand, or come back

    def number(self, version: str) -> int:
        """Which message of the chat this is, from 1."""
        for place in range(self.begins, len(self.whole)):
            if self.whole[place].version == version:
                return place + 1
        return self.begins + 1


class Unread:
    """Keeps for each reader and chat where the oldest message stands that it may still have to read."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._kept: dict[tuple[str, str], tuple[int, int]] = {}  # moves, place

    def part(self, reader: str, chat: str) -> UnreadPart:
        """What has to be looked at, and a little before it.

        Cost: O(messages since the oldest unread one); the whole chat where something in it changed, and once per process.
        """
        known = self._chats.chat(chat)
        moves, whole = known.disturbed, known.worded
        then, place = self._kept.get((reader, chat), (moves, 0))
        begins = max(place - BEFORE, 0) if then == moves else 0
        told = [one.story for one in whole[begins:] if one.scope != "off" and one.story.text]
        return UnreadPart(told, whole, begins, moves)

    def keep(self, reader: str, chat: str, part: UnreadPart, read: Collection[str]) -> None:
        """So much of a part was read by now: the next one begins where the first unread exchange does."""
        found = exchanges(part.said)
        first = next((one.first for one in found if one.fresh(read)), None)
        last = found[-1].first if found else None  # it may still go on
        version = first or last
        place = part.number(version) - 1 if version else part.begins
        self._kept[reader, chat] = part.moves, place
