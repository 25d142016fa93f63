"""Normalizes messages: speaker, cleaned text, and a digest that identifies the version."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Literal

from rolememory.chats.values import WindowSize
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from rolememory.schema.value_class import value_class
from rolememory.text.cancellation import check_cancelled
from rolememory.text.plain import replace_surrogates
from rolememory.text.scene_stamps import stamp_of
from rolememory.text.tags import strip_tags

Voice = Literal["user", "assistant"]
Clean = Callable[[str], str]
Known = Mapping[str, Mapping[str, ChatMessage]]  # speaker -> original text -> stored message
VOICES = ("user", "assistant")


@value_class
class NormalizedMessage:
    """A message of the visible history."""

    role: Voice
    text: str  # cleaned
    digest: str
    name: str = ""
    raw: str = ""  # original text, if different from `text`
    emotions: tuple[str, ...] = ()
    sent: datetime | None = None
    owner: str | None = None  # owner of a user's message, if the message itself tells
    stamp: tuple[tuple[str, str], ...] | None = None  # its printed scene; None: not parsed yet

    @property
    def came(self) -> str:
        """The original text."""
        return self.raw or self.text

    def said(self, version: str, at: datetime, slot: int = -1) -> ChatMessage:
        """The message as stored in a chat."""
        name, raw, emotions, owner = self.name, self.raw, self.emotions, self.owner
        said = ChatMessage(version, self.role, self.text, at, slot, name, raw, emotions, owner)
        stamp = stamp_of(self.came) if self.stamp is None else self.stamp
        return replace(said, stamp=stamp) if stamp else said


def normalize_messages(
    messages: Iterable[Message], clean: Clean | None, known: Known
) -> list[NormalizedMessage]:
    """Normalized user and character messages, oldest first; empty ones are left out.

    Texts seen before keep their first result, whatever `clean` returns now.
    """
    found = (_heard(message, clean, known) for message in messages if message.role in VOICES)
    return [heard for heard in found if heard is not None]


def _heard(message: Message, clean: Clean | None, known: Known) -> NormalizedMessage | None:
    check_cancelled()
    role: Voice = "user" if message.role == "user" else "assistant"
    name, came = replace_surrogates(message.name or ""), normalize_text(message.content)
    before = known[role].get(came) if role in known else None
    if before is not None:
        version, text, raw = base(before.version), before.text, before.raw
        found: NormalizedMessage | None = NormalizedMessage(
            role, text, version, name, raw, before.emotions, message.sent, message.owner
        )
    else:
        found = normalize_message(role, came, clean, name, message.sent) if came else None
        found = replace(found, owner=message.owner) if found and message.owner else found
    return found


def normalize_message(
    role: Voice, came: str, clean: Clean | None = None, name: str = "", sent: datetime | None = None
) -> NormalizedMessage | None:
    """Normalize a new text; None if nothing remains."""
    told = strip_tags(came) if role == "assistant" else None
    text = told.text if told else came
    text = normalize_text(clean(text)) if clean else text
    return (
        NormalizedMessage(
            role,
            text,
            digest(role, text),
            name,
            came if came != text else "",
            told.emotions if told else (),
            sent,
            stamp=stamp_of(came),
        )
        if text
        else None
    )


def normalize_text(text: str) -> str:
    r"""The text with uniform line ends, trimmed, without surrogates.

    >>> normalize_text(" a\r\nb \ud83d")
    'a\nb �'
    """
    return replace_surrogates(text.replace("\r\n", "\n") if "\r" in text else text).strip()


def digest(role: str, text: str) -> str:
    """The id of a version: 12 hexadecimal digits of speaker and cleaned text.

    >>> digest("user", "ok") == digest("user", "ok"), digest("user", "ok") == digest("assistant", "ok")
    (True, False)
    """
    return blake2b(f"{role}\0{text}".encode(), digest_size=6).hexdigest()


def base(version: str) -> str:
    """The digest in a version's id, without the slot number it may carry.

    >>> base("0a1b2c3d4e5f.2")
    '0a1b2c3d4e5f'
    """
    return version.partition(".")[0]


def window_size(news: Sequence[NormalizedMessage]) -> WindowSize:
    """The size of these messages."""
    return WindowSize(
        len(news),
        sum(heard.role == "user" for heard in news),
        sum(len(heard.text) for heard in news),
    )
