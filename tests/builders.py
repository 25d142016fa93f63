"""Builders of entries, memories, messages and scenes for tests."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from rolememory.recall.allowance import MUCH
from rolememory.recall.chat_states import ChatState
from rolememory.recall.gates import Asker
from rolememory.recall.index import MemoryIndex
from rolememory.recall.prepared_chat import PreparedChat, segments, window
from rolememory.recall.query import RecallQuery, Request
from rolememory.recall.visible import Visible
from rolememory.schema.entry import Entry
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Scene
from rolememory.schema.settings import Settings
from rolememory.text.keys import KeyIndex, KeyScan, KeySpec

DAY_ZERO = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
"""The moment that `day=0` means."""


def on_day(day: float) -> datetime:
    """Noon, so many days after `DAY_ZERO`."""
    return DAY_ZERO + timedelta(days=day)


def entry(entry_id: str, content: str = "", **fields: Any) -> Entry:
    """A lorebook-like entry; lists become tuples.

    >>> entry("lighthouse", keys=["beacon"]).keys
    ('beacon',)
    """
    return Entry(id=entry_id, content=content or f"About {entry_id}.", **fields)


def memory(memory_id: str, content: str = "", *, day: float | None = None, **fields: Any) -> Memory:
    """A memory; `day` is its date.

    >>> memory("lighthouse", keys=["beacon"], day=2).created.isoformat()
    '2025-03-03T12:00:00+00:00'
    """
    if day is not None:
        fields["created"] = on_day(day)
    return Memory(id=memory_id, content=content or f"About {memory_id}.", **fields)


def chat(*texts: str) -> list[Message]:
    """Messages, oldest first, alternating between user and character, the newest from the user.

    >>> [message.role for message in chat("Good morning.", "Why is it dark?")]
    ['assistant', 'user']
    """
    speakers = ["user" if (len(texts) - place) % 2 else "assistant" for place in range(len(texts))]
    return [Message(role=role, content=text) for role, text in zip(speakers, texts, strict=True)]  # type: ignore[arg-type]


def scene(
    *texts: str,
    day: float = 0,
    keys: Iterable[KeySpec] = (),
    depth: int = 4,
    character: Character | None = None,
    **fields: Any,
) -> Scene:
    """A turn over these texts, oldest first (the last is the newest user message), read with an index over `keys`.

    >>> scene("All is well.", "the beacon went dark", day=3).query
    'the beacon went dark'
    """
    read = segments(chat(*texts), character=character)
    fields.setdefault("query", texts[-1] if texts else "")
    fields.setdefault("window", window(read, depth))
    fields.setdefault("reading", KeyScan(KeyIndex(keys), read))
    return Scene(segments=read, now=on_day(day), **fields)


def question(
    *texts: str,
    measure: Any = None,
    settings: Settings | None = None,
    kept: Iterable[str] = (),
    heard: int = MUCH,
    **fields: Any,
) -> RecallQuery:
    """A recall query after these texts, oldest first, where so many may be heard, and these were in the prompt before.

    >>> question("Why is it dark?").scene.query
    'Why is it dark?'
    """
    rules, turn = settings or Settings(), fields.pop("scene", None) or scene(*texts)
    prepared, told = PreparedChat(turn.segments, turn.query), fields.pop("visible", Visible())
    return RecallQuery(
        MemoryIndex.empty(rules),
        turn,
        rules,
        measure,
        Asker(turn.user, turn.now, rules.recall, {}),
        Request(tuple(chat(*texts))),
        prepared,
        ChatState("", {"ids": [*kept]}, prepared.fingerprint, 0),
        [str(number) for number in range(heard)],
        told,
        **fields,
    )
