"""Summaries that memory extensions stored in a chat's messages (Summarize, MessageSummarize).

Source: Summarize is part of SillyTavern 1.19.0 (`extra.memory` on the newest message it covers, each text in place of the one before).
MessageSummarize stores `extra.qvink_memory` on the summarized message. Memory Books writes into its lorebook, activated by keys.
"""

from collections.abc import Iterator
from typing import Literal

from rolememory.schema.json_types import JsonMapping, object_of, text_of
from rolememory.schema.value_class import value_class

By = Literal["summarize", "qvink"]

MOST = 20_000  # maximum characters of a summary


@value_class
class LeftSummary:
    """An extension's summary of part of a chat."""

    by: By
    text: str
    through: int  # place of the last summarized message
    rolling: bool = False  # includes the previous summary
    lasting: bool = False  # marked as long-term


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
