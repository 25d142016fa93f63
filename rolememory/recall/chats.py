"""What a role keeps of its chats between turns: the story's clock, what was injected last, timers of lore. Written behind."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

from rolememory.recall.alignment import ChatLog, digests
from rolememory.recall.clock import StoryClock
from rolememory.recall.hear import Heard
from rolememory.recall.turn import Turn
from rolememory.store.state import StateFile


class ChatStates:
    """Small JSON files under state/, one concern each; losing seconds of them is allowed."""

    def __init__(self, role_folder: Path) -> None:
        folder = role_folder / "state"
        self._clock, self._injected, self._timers, self._seen = (
            StateFile(folder / f"{name}.json") for name in ("clock", "injected", "timers", "seen")
        )
        self.clock = StoryClock.from_json(self._clock.load())

    def injected(self, chat: str) -> frozenset[str]:
        """The ids that stood in the prompt of the last turn of this chat."""
        return frozenset(self._injected.load().get(chat, {}).get("ids", ()))

    def timers(self, chat: str) -> dict[str, Any]:
        """The running timers of lore in this chat, as JSON."""
        found: dict[str, Any] = self._timers.load().get(chat, {})
        return found

    def unseen(self, chat: str, heard: Heard) -> int:
        """How many messages of this chat the frontend has cut off before the visible ones."""
        return ChatLog.of(self._seen.load().get(chat)).unseen(digests(heard.spoken))

    def keep(self, chat: str, heard: Heard, turn: Turn, now: datetime) -> None:
        """Keep what this turn did; a new user message is a turn of the story, a swipe of the same one is not."""
        before, said = self._injected.load(), heard.fingerprint
        if before.get(chat, {}).get("said") != said:
            self.clock.tick(now)
            self._clock.later(self.clock.to_json())
        self._injected.later(before | {chat: {"said": said, "ids": [one.memory.id for one in turn.recalled]}})
        seen = self._seen.load()
        self._seen.later(seen | {chat: ChatLog.of(seen.get(chat)).with_visible(digests(heard.spoken)).to_json()})
        if turn.lore is not None:
            self._timers.later(self._timers.load() | {chat: turn.lore.state.model_dump(mode="json", exclude_defaults=True)})

    def forget(self, chats: Collection[str]) -> None:
        """Drop what is kept of these chats, at once."""
        for file in (self._injected, self._timers, self._seen):
            file.save({chat: value for chat, value in file.load().items() if chat not in chats})

    def close(self) -> None:
        """Write what is still behind."""
        for file in (self._clock, self._injected, self._timers, self._seen):
            file.close()
