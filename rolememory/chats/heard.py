"""A message as it is heard: who says what, cleaned, with the digest that tells it from others."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Literal

from rolememory.chats.values import Look
from rolememory.schema.learning import Said
from rolememory.schema.message import Message
from rolememory.text.patience import still_wanted
from rolememory.text.tags import spoken

Voice = Literal["user", "assistant"]
Clean = Callable[[str], str]
Known = Mapping[str, Mapping[str, Said]]  # speaker -> text as it came -> what it was kept as
VOICES = ("user", "assistant")
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Heard:
    """One message of the visible history."""

    role: Voice
    text: str  # clean
    digest: str
    name: str = ""
    raw: str = ""  # as it came, where that differs from `text`
    emotions: tuple[str, ...] = ()
    sent: datetime | None = None
    owner: str | None = None  # of a user's message, where the message itself tells

    @property
    def came(self) -> str:
        """The text as it came."""
        return self.raw or self.text

    def said(self, version: str, at: datetime, slot: int = -1) -> Said:
        """It as a chat keeps it."""
        name, raw, emotions, owner = self.name, self.raw, self.emotions, self.owner
        return Said(version, self.role, self.text, at, slot, name, raw, emotions, owner)


def hear(messages: Iterable[Message], clean: Clean | None, known: Known) -> list[Heard]:
    """What user and character say, oldest first; messages that say nothing are left out.

    What came in the same words before is what it was then, whatever `clean` makes of it now.
    """
    found = (_heard(message, clean, known) for message in messages if message.role in VOICES)
    return [heard for heard in found if heard is not None]


def _heard(message: Message, clean: Clean | None, known: Known) -> Heard | None:
    still_wanted()
    role: Voice = "user" if message.role == "user" else "assistant"
    name, came = whole(message.name or ""), tidy(message.content)
    before = known[role].get(came) if role in known else None
    if before is not None:
        version, text, raw = base(before.version), before.text, before.raw
        found: Heard | None = Heard(
            role, text, version, name, raw, before.emotions, message.sent, message.owner
        )
    else:
        found = heard_anew(role, came, clean, name, message.sent) if came else None
        found = replace(found, owner=message.owner) if found and message.owner else found
    return found


def heard_anew(
    role: Voice, came: str, clean: Clean | None = None, name: str = "", sent: datetime | None = None
) -> Heard | None:
    """A text that was not heard before; None when nothing is left of it."""
    told = spoken(came) if role == "assistant" else None
    text = told.text if told else came
    text = tidy(clean(text)) if clean else text
    return (
        Heard(
            role,
            text,
            digest(role, text),
            name,
            came if came != text else "",
            told.emotions if told else (),
            sent,
        )
        if text
        else None
    )


def tidy(text: str) -> str:
    r"""The text with one kind of line end, without blank edges, made of whole characters.

    >>> tidy(" a\r\nb \ud83d")
    'a\nb �'
    """
    return whole(text.replace("\r\n", "\n") if "\r" in text else text).strip()


def whole(text: str) -> str:
    """The text with a mark in the place of every half character, which no file could keep."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def digest(role: str, text: str) -> str:
    """What tells one version from another: 12 hexadecimal digits of speaker and clean text.

    >>> digest("user", "ok") == digest("user", "ok"), digest("user", "ok") == digest("assistant", "ok")
    (True, False)
    """
    return blake2b(f"{role}\0{text}".encode(), digest_size=6).hexdigest()


def base(version: str) -> str:
    """The digest in a version's id, which may carry the number of the slot it stands in.

    >>> base("0a1b2c3d4e5f.2")
    '0a1b2c3d4e5f'
    """
    return version.partition(".")[0]


def look_of(news: Sequence[Heard]) -> Look:
    """How much there is of it."""
    return Look(
        len(news),
        sum(heard.role == "user" for heard in news),
        sum(len(heard.text) for heard in news),
    )
