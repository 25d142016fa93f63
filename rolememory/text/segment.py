"""The segments that a turn scans: messages, newest first, then texts of the card."""

from collections.abc import Iterator, Sequence

from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Segment
from rolememory.text.clean import Cleaner

CARD_TEXTS = ("description", "personality", "depth_prompt", "scenario", "creator_notes", "persona")
"""Texts of a `Character` that become segments if not empty, in this order."""

_LIMIT = 1000  # messages; Source: SillyTavern's own limit, spec worldinfo 4.1
_NOBODY = Character()


def segments(
    messages: Sequence[Message],
    *,
    cleaner: Cleaner | None = None,
    character: Character | None = None,
) -> tuple[Segment, ...]:
    """The segments of a turn in order of number: the newest messages, then card texts.

    `messages` are the visible ones, oldest first. An empty message keeps its number; empty card texts are left out.

    >>> [s.text for s in segments([Message.user("Why?"), Message.assistant("The storm.")], character=Character(scenario="A harbour."))]
    ['The storm.', 'Why?', 'A harbour.']
    """
    who = character or _NOBODY
    first = max(len(messages) - _LIMIT, 0)
    clean = cleaner.clean if cleaner else str
    names = {"user": who.user, "assistant": who.name}
    newest = [
        Segment(
            clean(message.content).strip(),
            "message",
            place,
            message.role,
            message.name or names.get(message.role, ""),
        )
        for place, message in zip(
            range(len(messages) - 1, first - 1, -1), reversed(messages), strict=False
        )
    ]
    return (*newest, *(_card(character) if character else ()))


def _card(who: Character) -> Iterator[Segment]:
    for source in CARD_TEXTS:
        if text := str(getattr(who, source)).strip():
            yield Segment(text, source=source)
