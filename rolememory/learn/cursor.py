"""How far learning has read each chat: small state that may lose seconds, since learning twice adds nothing."""

from collections.abc import Collection, Mapping

from rolememory.storage.port import Space
from rolememory.storage.state import StateLog


class Cursors:
    """`state/learning`, written in the background."""

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "learning", lambda found: found)

    def of(self, chat: str) -> int:
        """The mark of the chat's log that learning has read up to; 0 when nothing is known."""
        mark = self._state.of(chat).get("mark")
        return mark if isinstance(mark, int) else 0

    def move(self, chat: str, mark: int) -> None:
        """Learning has come so far."""
        self._state.put(chat, {"mark": mark})

    def drop(self, chats: Collection[str]) -> None:
        """These chats are gone, or are to be read again."""
        self._state.drop(chats)

    def forget(self, chats: Collection[str], renamed: Mapping[str, str]) -> None:
        """These chats are gone, and others have another id; on disk at once."""
        kept = {one: value for one, value in self._state.load().items() if one not in chats}
        self._state.replace({renamed.get(one, one): value for one, value in kept.items()})

    def close(self) -> None:
        """Write what is still behind."""
        self._state.close()
