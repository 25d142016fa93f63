"""The summaries that memory extensions left: in the messages of a chat (Summarize, MessageSummarize), in a lorebook (Memory Books).

Source: Summarize is part of SillyTavern 1.19.0 (`extra.memory` on the newest message it covers, each text in place of the one before).
MessageSummarize keeps `extra.qvink_memory` on the message it sums up. Memory Books marks entries with `stmemorybooks`, and with the
messages they cover, counted from 0 as SillyTavern shows them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rolememory.cards.json_read import is_whole, object_of
from rolememory.cards.tavern.files import text_of, texts_of

By = Literal["summarize", "qvink", "memory_books"]

MOST = 20_000  # characters of one summary


@dataclass(frozen=True, slots=True)
class LeftSummary:
    """A text that an extension wrote about a stretch of a chat."""

    by: By
    text: str
    through: int  # place of the last message it covers; -1 = it does not say
    chat: str = ""  # name of the chat's file, where it says
    title: str = ""
    keys: tuple[str, ...] = ()
    rolling: bool = False  # it says all that the one before it said
    lasting: bool = False  # marked to be kept for long
    constant: bool = False


def of_message(extra: Mapping[str, Any], place: int) -> Iterator[LeftSummary]:
    """The summaries on one message.

    >>> [found.by for found in of_message({"memory": "They met.", "qvink_memory": {"memory": "Lin came in.", "remember": True}}, 4)]
    ['summarize', 'qvink']
    """
    if text := text_of(extra.get("memory")).strip():
        yield LeftSummary("summarize", text[:MOST], place, rolling=True)
    of_qvink = object_of(extra.get("qvink_memory"))
    text = text_of(of_qvink.get("memory")).strip()
    if text and not of_qvink.get("exclude"):
        yield LeftSummary("qvink", text[:MOST], place, lasting=bool(of_qvink.get("remember")))


def of_entry(entry: Mapping[str, Any]) -> LeftSummary | None:
    """What Memory Books wrote into a lorebook entry; None when the entry is no memory, is empty or is switched off.

    Entries that a wider summary replaced are switched off by the extension: what they said is in that summary.

    >>> of_entry({"stmemorybooks": True, "content": "They met.", "key": ["lamp"], "STMB_end": 12}).through
    12
    """
    text = text_of(entry.get("content")).strip()
    if not is_memory(entry) or not text or entry.get("disable"):
        return None
    through = entry.get("STMB_end")
    return LeftSummary(
        "memory_books",
        text[:MOST],
        through if is_whole(through) and through >= 0 else -1,
        chat=_chat(entry),
        title=text_of(entry.get("comment")).strip()[:200],
        keys=texts_of(entry.get("key")),
        constant=entry.get("constant") is True,
    )


def is_memory(entry: object) -> bool:
    """Whether Memory Books wrote this entry."""
    return isinstance(entry, Mapping) and entry.get("stmemorybooks") is True


def _chat(entry: Mapping[str, Any]) -> str:
    found = entry.get("STMB_chatId")
    return str(found).removesuffix(".jsonl") if isinstance(found, str | int) else ""
