"""What callers hand in as messages, in our shape."""

from collections.abc import Mapping, Sequence
from typing import Any

from rolememory.inject.fence import TAG, strip
from rolememory.schema.message import Message

Said = Message | Mapping[str, Any] | str
"""A message as frontends send it: ours, an OpenAI dict, or plain user text."""


def heard(messages: Sequence[Said]) -> tuple[Message, ...]:
    """The messages in our shape, without blocks of ours that came back; what was nothing else is left out."""
    read = [message if type(message) is Message else Message.of(message) for message in messages]
    return tuple(
        [
            found
            for message in read
            if (found := message if TAG not in message.content else _without_ours(message))
        ]
    )


def as_reply(reply: Said) -> Message:
    """The character's reply; plain text is the character's here."""
    return Message.assistant(reply) if isinstance(reply, str) else Message.of(reply)


def _without_ours(message: Message) -> Message | None:
    rest = strip(message.content, lone=message.role != "user")
    if rest == message.content:
        return message
    return message.model_copy(update={"content": rest}) if rest.strip() else None
