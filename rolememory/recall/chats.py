"""What a role keeps of its chats between turns: the story's clock, what was injected last, timers of lore. Written behind."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from rolememory.recall.alignment import ChatLog, digests
from rolememory.recall.clock import StoryClock
from rolememory.recall.hear import Heard
from rolememory.recall.turn import Turn
from rolememory.storage.port import Space
from rolememory.storage.state import StateFile, StateLog, Values

CLOCK, CHAT = "clock", "chat "  # keys


class ChatStates:
    """What changed at a turn is written, whatever else is kept; losing seconds of it is allowed."""

    def __init__(self, space: Space) -> None:
        self._state = StateLog(space, "turns", lambda _: _older(space))
        self.clock = StoryClock.of(self._state.load().get(CLOCK, {}))

    def injected(self, chat: str) -> frozenset[str]:
        """The ids that stood in the prompt of the last turn of this chat."""
        return frozenset(self._of(chat).get("ids", ()))

    def timers(self, chat: str) -> dict[str, Any]:
        """The running timers of lore in this chat, as JSON."""
        found: dict[str, Any] = self._of(chat).get("timers", {})
        return found

    def unseen(self, chat: str, heard: Heard) -> int:
        """How many messages of this chat the frontend has cut off before the visible ones."""
        return ChatLog.of(_seen(self._of(chat))).unseen(digests(heard.spoken))

    def keep(self, chat: str, heard: Heard, turn: Turn, now: datetime) -> None:
        """Keep what this turn did; a new user message is a turn of the story, a swipe of the same one is not."""
        before, said = self._of(chat), heard.fingerprint
        if before.get("said") != said:
            self._tick(now)
        seen = ChatLog.of(_seen(before)).with_visible(digests(heard.spoken))
        changes = {
            "said": said,
            "ids": [one.memory.id for one in turn.recalled],
            **_numbered(seen),
        }
        if turn.lore is not None:
            changes["timers"] = turn.lore.state.model_dump(mode="json", exclude_defaults=True)
        gone = {name: None for name in before if name.startswith("#") and name not in changes}
        news = {name: value for name, value in changes.items() if before.get(name) != value}
        self._state.put(CHAT + chat, {**gone, **news})

    def forget(self, chats: Collection[str]) -> None:
        """Drop what is kept of these chats, at once."""
        self._state.drop([CHAT + chat for chat in chats])

    def keep_only(self, chats: Collection[str]) -> None:
        """Drop what is kept of any other chat, and what stood in the last prompts, at once."""
        kept, prompted = {CLOCK, *(CHAT + chat for chat in chats)}, ("said", "ids")
        self._state.replace(
            {
                key: {name: value for name, value in held.items() if name not in prompted}
                for key, held in self._state.load().items()
                if key in kept
            }
        )

    def close(self) -> None:
        """Write what is still behind."""
        self._state.close()

    def _of(self, chat: str) -> dict[str, Any]:
        return self._state.load().get(CHAT + chat, {})

    def _tick(self, now: datetime) -> None:
        before = self.clock.first
        self.clock.tick(now)
        gone = {str(turn): None for turn in range(before, self.clock.first)}
        self._state.put(CLOCK, {**gone, **self.clock.newest})


def _numbered(seen: ChatLog) -> dict[str, Any]:
    """The digests by their number in the chat, so that a turn changes only a few."""
    return {f"#{number}": digest for number, digest in enumerate(seen.said, seen.before)}


def _seen(held: Mapping[str, Any]) -> dict[str, Any]:
    """What `ChatLog.to_json` gave."""
    told = sorted((int(name[1:]), digest) for name, digest in held.items() if name[0] == "#")
    return {"before": told[0][0] if told else 0, "said": [digest for _, digest in told]}


def _older(space: Space) -> Values:
    """What was kept in a file for each concern."""
    injected, timers, seen, clock = (
        StateFile(space, name).load() for name in ("injected", "timers", "seen", "clock")
    )
    chats = {
        CHAT + chat: {
            **(injected.get(chat) or {}),
            **_numbered(ChatLog.of(seen.get(chat))),
            "timers": timers.get(chat, {}),
        }
        for chat in {**injected, **timers, **seen}
    }
    return {**chats, CLOCK: dict(StoryClock.from_json(clock).kept())}
