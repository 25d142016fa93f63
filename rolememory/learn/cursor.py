"""How far learning has read each chat; losing seconds of it is harmless, since learning twice adds nothing."""

from collections.abc import Collection, Mapping

from rolememory.storage.port import Space
from rolememory.storage.state import StateLog


class Cursors:
    """`state/learning`, written in the background."""

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "learning", lambda found: found)

    def of(self, chat: str) -> int:
        """The log mark of the chat up to which learning has read; 0 if unknown."""
        mark = self._state.of(chat).get("mark")
        return mark if isinstance(mark, int) else 0

    def move(self, chat: str, mark: int) -> None:
        """Advance to this mark."""
        self._state.put(chat, {"mark": mark})

    def drop(self, chats: Collection[str]) -> None:
        """Forget these chats: deleted, or read again."""
        self._state.drop(chats)

    def forget(self, chats: Collection[str], renamed: Mapping[str, str]) -> None:
        """Forget these chats and rename others, written to disk at once."""
        kept = {one: value for one, value in self._state.load().items() if one not in chats}
        self._state.replace({renamed.get(one, one): value for one, value in kept.items()})

    def close(self) -> None:
        """Write pending changes."""
        self._state.close()
