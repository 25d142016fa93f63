"""How far learning has read each chat: small state that may lose seconds, since learning twice adds nothing."""

from dataclasses import dataclass
from pathlib import Path

from rolememory.store.state import StateFile


@dataclass(frozen=True, slots=True)
class Cursor:
    """Read up to `mark` of the chat's log; `held` are versions that wait for the next user message."""

    mark: int = 0
    held: tuple[str, ...] = ()


class Cursors:
    """`state/learning.json`, written behind."""

    def __init__(self, folder: Path) -> None:
        self._file = StateFile(folder / "state" / "learning.json")

    def of(self, chat: str) -> Cursor:
        """Where learning stands in this chat; at its beginning when nothing is known."""
        raw = self._file.load().get(chat)
        if not isinstance(raw, dict) or not isinstance(raw.get("mark"), int):
            return Cursor()
        return Cursor(raw["mark"], tuple(map(str, raw.get("held", ()))))

    def move(self, chat: str, cursor: Cursor) -> None:
        """Learning has come so far."""
        self._file.later(self._file.load() | {chat: {"mark": cursor.mark, "held": list(cursor.held)}})

    def drop(self, chat: str) -> None:
        """The chat is gone, or is to be read anew."""
        self._file.later({one: value for one, value in self._file.load().items() if one != chat})

    def close(self) -> None:
        """Write what is still behind."""
        self._file.close()
