"""How far learning has read each chat: small state that may lose seconds, since learning twice adds nothing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rolememory.storage.port import Space
from rolememory.storage.state import StateLog


@dataclass(frozen=True, slots=True)
class Cursor:
    """Read up to `mark` of the chat's log."""

    mark: int = 0


class Cursors:
    """`state/learning`, written in the background."""

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "learning", lambda found: found)

    def of(self, chat: str) -> Cursor:
        """Where learning stands in this chat; at its beginning when nothing is known."""
        mark = self._state.load().get(chat, {}).get("mark")
        return Cursor(mark) if isinstance(mark, int) else Cursor()

    def move(self, chat: str, cursor: Cursor) -> None:
        """Learning has come so far."""
        self._state.put(chat, {"mark": cursor.mark})

    def drop(self, chat: str) -> None:
        """The chat is gone, or is to be read again."""
        self._state.drop([chat])

    def forget(self, chats: Collection[str], renamed: Mapping[str, str]) -> None:
        """These chats are gone, and others have another id; on disk at once."""
        kept = {one: value for one, value in self._state.load().items() if one not in chats}
        self._state.replace({renamed.get(one, one): value for one, value in kept.items()})

    def close(self) -> None:
        """Write what is still behind."""
        self._state.close()
