"""Builds the texts to scan from messages and card. Source: spec/worldinfo.md 4.1."""

from collections.abc import Iterable, Sequence

from rolememory.recall.lore.scan_buffer import MOST_MESSAGES, ScanTexts
from rolememory.schema.lorebook import MatchSource
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.scene import Segment
from rolememory.text.boundaries import BLANKS
from rolememory.text.macros import Macros, texts_of_card
from rolememory.text.macros.macros import is_hidden


def texts_of(
    messages: Sequence[Message],
    character: Character,
    macros: Macros,
    *,
    include_names: bool = True,
    injected: Iterable[str] = (),
    recalled: Iterable[str] = (),
) -> ScanTexts:
    """The texts to scan.

    `messages` oldest first, hidden ones are left out; `injected` texts are scanned at every depth, and so are `recalled`
    ones, whose macros are not expanded.

    >>> chat = [Message.assistant("The beacon.", name="Mira"), Message.user("Hm?", name="Ann")]
    >>> [segment.text for segment in texts_of(chat, Character(), Macros()).messages]
    ['Ann: Hm?', 'Mira: The beacon.']
    """
    visible = [(place, message) for place, message in enumerate(messages) if not is_hidden(message)]
    newest = visible[: -MOST_MESSAGES - 1 : -1]
    told = [(_told(message, character, include_names), place, message) for place, message in newest]
    while (
        told and not told[-1][0]
    ):  # the oldest that say nothing at all do not count; others keep their place
        told.pop()
    said = texts_of_card(character, macros)
    return ScanTexts(
        messages=tuple(
            Segment(text.strip(BLANKS), index=place, role=by.role, name=_speaker(by, character))
            for text, place, by in told
        ),
        card=tuple((source, said[source.value]) for source in MatchSource),
        injected=tuple(Segment(macros.expand(text), source="note") for text in injected if text)
        + tuple(Segment(text, source="note") for text in recalled if text),
        visible=len(visible),
        replies=sum(message.role == "assistant" for _, message in visible),
    )


def _told(message: Message, character: Character, include_names: bool) -> str:
    name = _speaker(message, character)
    return f"{name}: {message.content}" if include_names and name else message.content


def _speaker(message: Message, character: Character) -> str:
    return message.name or {"user": character.user, "assistant": character.name}.get(
        message.role, ""
    )
