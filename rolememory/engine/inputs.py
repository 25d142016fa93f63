"""Conversion of arguments: one text or many messages, a user by name or number, a time in any format."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import lru_cache
from typing import Any, get_args

from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.inject.fence import TAG, strip
from rolememory.schema.generation import Generation
from rolememory.schema.message import Message, TurnKind
from rolememory.schema.settings import ServeSettings
from rolememory.storage.gc_pause import gc_paused
from rolememory.text.cancellation import cancellable
from rolememory.text.timestamps import moment

MANY = 1000  # messages: garbage collection of more would take longer than a step between two checks
MessageLike = Message | Mapping[str, Any] | str
"""A message: ours, an OpenAI dict, or plain user text."""
Name = str | int
"""A name or id of a user or chat; programs often use numbers."""
Time = datetime | str | int | float


def coerce_messages(messages: Iterable[MessageLike] | MessageLike) -> tuple[Message, ...]:
    """The messages as `Message`, without memory blocks of ours that came back; empty ones are dropped.

    >>> [message.content for message in coerce_messages("Why is the beacon dark?")]
    ['Why is the beacon dark?']
    """
    alone = isinstance(messages, str | Message | Mapping)
    given: Any = [messages] if alone else messages
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InvalidValueError(
            "expected a text or a list of messages, got {given!r}", given=str(given)[:60]
        )
    given = given if isinstance(given, Sequence) else list(given)
    with gc_paused() if len(given) > MANY else nullcontext():
        read = [
            message if type(message) is Message else _read(message)
            for message in cancellable(given)
        ]
    return tuple(
        [
            found
            for message in read
            if (found := message if TAG not in message.content else _without_ours(message))
        ]
    )


def _read(message: MessageLike) -> Message:
    """A message as `Message`: the same object for the same role and text, so that only new ones of a chat are read."""
    if isinstance(message, dict) and message.keys() == {"role", "content"}:
        role = message["role"]
        content = message["content"]
        if isinstance(role, str) and isinstance(content, str):
            return _read_before(role, content)
    return Message.of(message)


@lru_cache(maxsize=1024)
def _read_before(role: str, content: str) -> Message:
    return Message.of({"role": role, "content": content})


def check_size(said: Sequence[Message], settings: ServeSettings) -> None:
    """Raises: InvalidValueError: the messages exceed the limits of the settings."""
    characters = sum(len(one.content) for one in said)
    if len(said) > settings.max_messages or characters > settings.max_characters:
        raise InvalidValueError(
            "{messages} messages of {characters} characters are more than is read at once; see serve.max_messages and serve.max_characters",
            messages=len(said),
            characters=characters,
        )


def as_reply(reply: MessageLike) -> Message:
    """The reply as a message; plain text is the character's here."""
    return Message.assistant(reply) if isinstance(reply, str) else Message.of(reply)


def name_of(given: Name) -> str:
    """A name as text.

    >>> name_of(12345), name_of("lin")
    ('12345', 'lin')
    """
    if isinstance(given, str):
        return given
    if type(given) is int:
        return str(given)
    raise InvalidValueError("expected a name or a number, got {given!r:.60}", given=given)


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "chat"), counted(2, "memory", "memories")
    ('1 chat', '2 memories')
    """
    return f"{number} {one if number == 1 else more or one + 's'}"


def user_of(given: Name | None) -> str | None:
    """The user's name as text; None = no specific user."""
    return None if given is None else name_of(given)


def names_of(given: Iterable[Name] | Name | None) -> tuple[str, ...] | None:
    """Names as a tuple; a single name gives one element.

    >>> names_of("ann"), names_of(["ann", 7]), names_of(None)
    (('ann',), ('ann', '7'), None)
    """
    if given is None:
        return None
    return (name_of(given),) if isinstance(given, str | int) else tuple(map(name_of, given))


def turn_kind_of(given: str) -> TurnKind:
    """The kind of generation of this name.

    >>> turn_kind_of("swipe")
    'swipe'
    """
    for known in get_args(TurnKind):
        if given == known:
            return known  # type: ignore[no-any-return]
    raise UnknownNameError("generation", str(given), get_args(TurnKind))


def generation_of(given: Generation | str) -> Generation:
    """The generation; a kind alone has the usual values otherwise."""
    if isinstance(given, Generation):
        turn_kind_of(given.kind)
        return given
    return Generation(turn_kind_of(given))


def time_of(given: Time | None) -> datetime | None:
    """The time in UTC; None = now.

    >>> time_of("2026-05-01").isoformat()
    '2026-05-01T00:00:00+00:00'
    """
    try:
        return None if given is None else moment(given)
    except ValueError as error:
        raise InvalidValueError(
            "expected a time, got {given!r:.60}; write 2026-05-01 or 2026-05-01T18:00:00Z",
            given=given,
        ) from error


def _without_ours(message: Message) -> Message | None:
    rest = strip(message.content, lone=message.role != "user")
    if rest == message.content:
        return message
    return message.model_copy(update={"content": rest}) if rest.strip() else None
