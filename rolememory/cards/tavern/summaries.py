"""The summaries that memory extensions left in the messages of a chat (Summarize, MessageSummarize).

Source: Summarize is part of SillyTavern 1.19.0 (`extra.memory` on the newest message it covers, each text in place of the one before).
MessageSummarize keeps `extra.qvink_memory` on the message it sums up. What Memory Books wrote stays in its lorebook, where keys wake it.
"""

from collections.abc import Iterator
from typing import Literal

from rolememory.cards.json_read import object_of
from rolememory.cards.tavern.files import text_of
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.value_class import value_class

By = Literal["summarize", "qvink"]

MOST = 20_000  # characters of one summary


@value_class
class LeftSummary:
    """A text that an extension wrote about a stretch of a chat."""

    by: By
    text: str
    through: int  # place of the last message it covers
    rolling: bool = False  # it says all that the one before it said
    lasting: bool = False  # marked to be kept for long


def of_message(extra: JsonMapping, place: int) -> Iterator[LeftSummary]:
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
