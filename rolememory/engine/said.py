"""What callers hand in as messages, in our shape."""

from collections.abc import Mapping, Sequence
from typing import Any

from rolememory.inject.fence import OPEN, strip
from rolememory.schema.message import Message

Said = Message | Mapping[str, Any] | str
"""A message as frontends send it: ours, an OpenAI dict, or plain user text."""


def heard(messages: Sequence[Said]) -> tuple[Message, ...]:
    """The messages in our shape, without blocks of ours that came back; what was nothing else is left out."""
    read = (Message.of(message) for message in messages)
    return tuple(found for message in read if (found := _without_ours(message)) is not None)


def as_reply(reply: Said) -> Message:
    """The character's reply; plain text is the character's here."""
    return Message.assistant(reply) if isinstance(reply, str) else Message.of(reply)


def _without_ours(message: Message) -> Message | None:
    if OPEN not in message.content and OPEN[1:-1] not in message.content:
        return message
    rest = strip(message.content)
    if rest == message.content:
        return message
    return message.model_copy(update={"content": rest}) if rest.strip() else None
